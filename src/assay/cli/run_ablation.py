"""`assay run ITEM`: every case with the item and without it, reduced to `skill-eval/1`."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.harnesses import Rig, rig
from assay.cli.measure import Measured, explain, measure, print_plan, record_end, say
from assay.cli.preflight import checked_suite, refuse_commands
from assay.cli.resume import resumed
from assay.engine.plan import Plan
from assay.errors import CannotRun, UsageError
from assay.gating import gate_of
from assay.items import find_item
from assay.model import PREVIOUS, WITH, WITHOUT
from assay.report.ablation_text import ablation_text
from assay.report.plan_text import plan_text
from assay.schemas.skill_eval import SkillEval
from assay.store.trials import Run
from assay.verdict.curtail import is_rejected
from assay.verdict.evidence_of_result import evidence_of_run
from assay.verdict.skill_eval import RunInfo, cost_of, run_id, skill_eval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from assay.cli.options import RunOptions
    from assay.model import JSON, Item, Record, Suite

INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Ablation:
    """A finished ablation run."""

    result: SkillEval
    document: JSON
    """Of the result, checked against its schema."""
    measured: Measured
    incumbent: SkillEval | None = None
    """The same of the item as it was, where that ran beside it."""


@dataclass(frozen=True, slots=True)
class Ready:
    """An ablation run that is set up and has spent nothing yet."""

    options: RunOptions
    item: Item
    suite: Suite
    parts: Rig
    plan: Plan
    info: RunInfo
    incumbent: Item | None = None

    @property
    def empty(self) -> SkillEval:
        """The result as it is before the first trial: what it will be comparable with."""
        return skill_eval(self.suite, (), self.info)

    def measure(self, is_certain: Callable[[Sequence[Record]], bool] | None = None) -> Ablation:
        """Run the plan and reduce what came back; `is_certain` may end it as `measure` says."""
        parts, ceiling_usd = self.parts, self.options.ceiling_usd
        say(plan_text(self.plan, parts.harness, parts.model, ceiling_usd, parts.judge), self.options)
        measured = self._measured(is_certain)
        finish = measured.finish
        info = replace(
            self.info, run=measured.run.id, curtailed=finish.curtailed, partial_reason=finish.partial_reason
        )
        records = _of_arms(measured.records, WITH)
        result = skill_eval(self.suite, records, info)
        paid = cost_of(measured.records)
        result = replace(result, evidence=evidence_of_run(result, records), cost_usd=paid)
        document = result.to_document()
        record_end(self.options, measured.run, finish, document)
        if self.incumbent is None:
            return Ablation(result, document, measured)
        before = replace(info, item_digest=self.incumbent.digest)
        incumbent = skill_eval(self.suite, _of_arms(measured.records, PREVIOUS), before)
        return Ablation(result, document, measured, incumbent)

    def explain(self) -> int:
        """Print which trials would run and why; the exit code."""
        print_plan(self.options, *explain(self.options, self.parts, self.plan, self._run()))
        return 0

    def _measured(self, is_certain: Callable[[Sequence[Record]], bool] | None) -> Measured:
        harness = self.parts.harness
        if harness.name == "plugin-eval" and not self.options.source:
            from assay.cli.measure_platform import measure_on_platform
            from assay.harnesses.plugin_eval import PluginEvalHarness

            assert isinstance(harness, PluginEvalHarness)
            return measure_on_platform(
                harness,
                self._run(),
                options=self.options,
                plan=self.plan,
                item=self.item,
                suite=self.suite,
            )
        return measure(self.options, self.parts, self.plan, self._run(), is_certain)

    def _run(self) -> Run:
        return Run(
            id=run_id(self.item.name, self.info.started),
            kind="ablation",
            name=self.item.name,
            started=self.info.started.strftime("%Y-%m-%dT%H:%M:%SZ"),
            harness=self.info.harness,
            model=self.info.model,
            planned=self.plan.size,
            info={
                "item_digest": self.item.digest,
                "suite_digest": self.suite.digest,
                "arms": list(self.plan.arms),
            },
        )


def run_ablation(options: RunOptions) -> int:
    """Measure an item and print what came of it; the exit code."""
    from assay.cli.output import columns, write_out

    item = find_item(options.project.root, options.targets[0])
    if options.source and options.source.item_digest:
        item = replace(item, digest=options.source.item_digest)
    options = resumed(options, "ablation", item.name)
    suite = sharded(options, suite_of(options, item))
    if options.explain:
        with ready(options, item, suite) as run:
            return run.explain()
    with ready(options, item, suite) as run:
        ablation = run.measure(_reject_is_certain(run) if options.curtail else None)
    text = ablation_text(ablation.result, columns())
    write_out(options, ablation.document, text)
    if ablation.measured.finish.unstored is None:
        say(f"run {ablation.measured.run.id} is stored: `assay show {ablation.measured.run.id}`", options)
    return INTERRUPTED if ablation.result.partial_reason == "interrupted" else 0


def _reject_is_certain(run: Ready) -> Callable[[Sequence[Record]], bool]:
    """Whether the strict gate rejects against the recorded best, whatever the remaining trials bring."""
    best = gate_of(run.options.project.root, run.item.name).best(run.info.model)
    return lambda records: is_rejected(run.info.planned, records, best)


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
    suite = checked_suite(options, folder, item.name)
    refuse_commands(options, suite)
    return suite


def sharded(options: RunOptions, suite: Suite) -> Suite:
    """The suite, or the share of it that was asked for, or the cases that a run to be graded again had."""
    if options.source:
        return replace(suite, cases=options.source.of_cases(suite.cases))
    if options.shard is None:
        return suite
    cases = options.shard.of_cases(suite.cases)
    if not cases:
        raise UsageError(f"--shard {options.shard}: the suite has only {len(suite.cases)} cases")
    return replace(suite, cases=cases)


def measure_item(options: RunOptions, item: Item, suite: Suite) -> Ablation:
    """Run the suite of an item on both arms and reduce what came back."""
    with ready(options, item, suite) as run:
        return run.measure()


@contextmanager
def ready(
    options: RunOptions, item: Item, suite: Suite, incumbent: Callable[[str], Item] | None = None
) -> Iterator[Ready]:
    """Set an ablation run up: harness, judge, plan.

    `incumbent` gives, for the model that is run, the version of the item that gets an arm of its own.
    """
    parts = rig(options, (suite,), item.kind)
    try:
        yield _ready(options, item, suite, parts, incumbent(parts.model) if incumbent else None)
    finally:
        parts.close()


def _ready(options: RunOptions, item: Item, suite: Suite, parts: Rig, previous: Item | None) -> Ready:
    arms = {WITH: lambda _: item, WITHOUT: lambda _: None}
    if previous is not None:
        arms[PREVIOUS] = lambda _: previous
    config = options.project.config
    plan = Plan(suite.cases, arms, options.runs_of(config), options.model or config.model)
    info = RunInfo(
        item=item.name,
        item_digest=item.digest,
        model=parts.model,
        harness=parts.harness.stamp,
        started=datetime.now(UTC),
        max_cost_usd=options.ceiling_usd,
        planned={case.id: plan.runs_of(case) for case in suite.cases},
        judge_model=parts.judge_model,
    )
    return Ready(options, item, suite, parts, plan, info, previous)


def _of_arms(records: Sequence[Record], arm: str) -> list[Record]:
    """The records of one arm with an item, as the arm `with`, beside those of the arm without."""
    return [replace(record, arm=WITH) for record in records if record.arm == arm] + [
        record for record in records if record.arm == WITHOUT
    ]


def _shown(path: Path) -> str:
    return click.format_filename(path.as_posix())
