"""`assay run` of golden tasks: each against its target, its oracle, and the accepted baseline."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from assay.cli.harnesses import Rig, rig
from assay.cli.measure import Measured, measure, record_end, say
from assay.engine.plan import Plan
from assay.items import find_item
from assay.model import WITH
from assay.report.golden_text import golden_text
from assay.report.plan_text import plan_text
from assay.schemas.golden_eval import NO_MODEL, JudgeStamp
from assay.store.golden_baseline import difference, read_baseline, write_baseline
from assay.store.trials import Run
from assay.suites.golden import load_golden, select
from assay.suites.thresholds import load_thresholds
from assay.verdict.golden_eval import GoldenRun, accepted, case_key, golden_eval, merge_conflict, run_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.cli.options import RunOptions
    from assay.model import Case, Item, ItemKind, Suite
    from assay.schemas.golden_baseline import GoldenBaseline
    from assay.schemas.golden_eval import GoldenEval

INTERRUPTED = 130
REFUSED = 1
DEFAULT_VOTES = 1


def run_golden(options: RunOptions) -> int:
    """Run the golden tasks that are meant; the exit code."""
    from assay.cli.output import write_out

    every = load_golden(options.project.evals)
    names = tuple(name for name in options.targets if name.rstrip("/\\") not in ("evals", "./evals"))
    suites = select(every, names, options.grep, options.target)
    thresholds = load_thresholds(options.project.evals, tuple(suite.name for suite in every))
    baseline = read_baseline(options.project.evals)
    for suite in suites:
        for task, why in suite.skipped:
            say(f"skipped: {suite.name}/{task}: {why}", options)
    run, measured = _measure(options, suites, every)
    result = golden_eval(suites, measured.records, run, thresholds, baseline)
    record_end(options, measured.run, measured.finish, result.to_document())
    write_out(options, result.to_document(), golden_text(result).rstrip("\n"))
    if result.partial_reason == "interrupted":
        return INTERRUPTED
    return accept(options, result, baseline) if options.accept else result.exit_code


def accept(options: RunOptions, result: GoldenEval, baseline: GoldenBaseline | None) -> int:
    """Make a run that passed the accepted one: the difference is shown and asked about first."""
    refusal = None if result.acceptable else f"not accepted: the run is {result.verdict}"
    refusal = refusal or merge_conflict(result, baseline)
    if refusal:
        click.echo(refusal, err=True)
        return result.exit_code or REFUSED
    new = accepted(result, baseline, f"{datetime.now(UTC):%Y-%m-%d}")
    click.echo(difference(options.project.evals, new), err=True)
    if not (options.yes or click.confirm("Accept this run as the baseline?", err=True)):
        return REFUSED
    write_baseline(options.project.evals, new)
    say("accepted: evals/baseline.json", options)
    return 0


def _measure(
    options: RunOptions, suites: Sequence[Suite], every: Sequence[Suite]
) -> tuple[GoldenRun, Measured]:
    started = datetime.now(UTC)
    cases = tuple(replace(case, id=case_key(suite.name, case.id)) for suite in suites for case in suite.cases)
    items = {str(case.target): _item(options, case) for case in cases}
    parts = rig(options, tuple(suites), _kind(cases))
    try:
        runs = options.runs or options.project.config.runs
        arms = {WITH: lambda case: items[str(case.target)]}
        plan = Plan(cases, arms, runs, options.model, default_runs=1)
        model = NO_MODEL if all(item is None for item in items.values()) else parts.model
        stored = Run(
            id=run_id(started),
            kind="golden",
            name=", ".join(suite.name for suite in suites),
            started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
            harness=parts.harness.stamp,
            model=model,
            planned=plan.size,
            info={"suites": {suite.name: suite.digest for suite in suites}},
        )
        say(plan_text(plan, parts.harness, model, options.ceiling_usd), options)
        measured = measure(options, parts, plan, stored)
    finally:
        parts.close()
    whole = {suite.name: len(suite.cases) for suite in every}
    run = GoldenRun(
        id=measured.run.id,
        started=started,
        model=model,
        harness=parts.harness.stamp,
        planned={case.id: plan.runs_of(case) for case in cases},
        whole=frozenset(suite.name for suite in suites if len(suite.cases) == whole[suite.name]),
        is_whole={suite.name: len(suite.cases) for suite in suites} == whole,
        judge=_judge_stamp(options, parts),
        partial_reason=measured.finish.partial_reason,
    )
    return run, measured


def _item(options: RunOptions, case: Case) -> Item | None:
    if case.target is None or case.target.kind == "feature":
        return None
    return find_item(options.project.root, str(case.target))


def _kind(cases: Sequence[Case]) -> ItemKind:
    """What the chosen harness has to run: features have one of their own."""
    kinds = [case.target.kind for case in cases if case.target]
    return next((kind for kind in kinds if kind != "feature"), "feature")


def _judge_stamp(options: RunOptions, parts: Rig) -> JudgeStamp | None:
    from assay.graders.judge_prompts import PROMPT_VERSIONS

    if parts.judge is None:
        return None
    return JudgeStamp(parts.judge.name, PROMPT_VERSIONS["rubric"], options.votes or DEFAULT_VOTES)
