"""`assay run ITEM`: every case with the item and without it, reduced to `skill-eval/1`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.harnesses import Rig, rig
from assay.cli.measure import Measured, measure, record_end, say
from assay.engine.plan import Plan
from assay.errors import CannotRun
from assay.items import find_item
from assay.model import WITH, WITHOUT
from assay.report.ablation_text import ablation_text, plan_text
from assay.schemas.skill_eval import SkillEval
from assay.store.trials import Run
from assay.suites import load_suite
from assay.verdict.skill_eval import RunInfo, run_id, skill_eval

if TYPE_CHECKING:
    from assay.cli.options import RunOptions
    from assay.model import Item, Suite

INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Ablation:
    """A finished ablation run."""

    result: SkillEval
    measured: Measured


def run_ablation(options: RunOptions) -> int:
    """Measure an item and print what came of it; the exit code."""
    from assay.cli.output import write_out

    item = find_item(options.project.root, options.targets[0])
    suite = suite_of(options, item)
    ablation = measure_item(options, item, suite)
    text = ablation_text(ablation.result)
    document = ablation.result.to_document()
    write_out(options, document, text)
    say(f"run {ablation.measured.run.id} is stored: `assay show {ablation.measured.run.id}`", options)
    return INTERRUPTED if ablation.result.partial_reason == "interrupted" else 0


def suite_of(options: RunOptions, item: Item) -> Suite:
    """The suite of an item: `evals/<item>/`, else the cases directly in its own `evals/`."""
    folder = options.project.evals / item.name
    own = item.root / "evals"
    if not folder.is_dir() and item.kind in ("skill", "plugin") and own.is_dir():
        folder = own
    if not folder.is_dir():
        raise CannotRun(
            f"{item.kind} {item.name!r} has no suite: looked for {_shown(options.project.evals / item.name)}"
            f" and {_shown(own)}; a suite is a folder of cases, each with a prompt.md and graders/*.md"
        )
    return load_suite(folder, name=item.name)


def measure_item(options: RunOptions, item: Item, suite: Suite) -> Ablation:
    """Run the suite of an item on both arms and reduce what came back."""
    parts = rig(options, (suite,), item.kind)
    try:
        return _measure(options, item, suite, parts)
    finally:
        parts.close()


def _measure(options: RunOptions, item: Item, suite: Suite, parts: Rig) -> Ablation:
    started = datetime.now(UTC)
    arms = {WITH: lambda _: item, WITHOUT: lambda _: None}
    plan = Plan(suite.cases, arms, options.runs or options.project.config.runs, options.model)
    run = Run(
        id=run_id(item.name, started),
        kind="ablation",
        name=item.name,
        started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        harness=parts.harness.stamp,
        model=parts.model,
        planned=plan.size,
        info={"item_digest": item.digest, "suite_digest": suite.digest, "arms": list(arms)},
    )
    say(plan_text(plan, parts.harness, parts.model, options.ceiling_usd), options)
    measured = measure(options, parts, plan, run)
    info = RunInfo(
        item=item.name,
        item_digest=item.digest,
        model=parts.model,
        harness=parts.harness.stamp,
        started=started,
        max_cost_usd=options.ceiling_usd,
        planned={case.id: plan.runs_of(case) for case in suite.cases},
        judge_model=parts.judge.name if parts.judge else None,
        curtailed=measured.finish.curtailed,
        partial_reason=measured.finish.partial_reason,
    )
    result = skill_eval(suite, measured.records, info)
    record_end(options, measured.run, measured.finish, result.to_document())
    return Ablation(result, measured)


def _shown(path: Path) -> str:
    return click.format_filename(path.as_posix())
