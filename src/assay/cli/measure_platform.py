"""Measures a suite on the platform's own evaluator: one call for all trials, its document made records."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from assay.cli.measure import Measured, open_store, say, say_kept
from assay.engine.rooms import Rooms
from assay.engine.session import Finish
from assay.engine.signals import stopping
from assay.engine.stop import StopFlag
from assay.engine.writing import Writer
from assay.harnesses.plugin_eval import EvalOptions, PluginEvalHarness, platform_judge
from assay.report.finish_text import finish_text
from assay.store.trials import Run
from assay.suites.platform_result import records_of

if TYPE_CHECKING:
    from assay.cli.run_ablation import Ready
    from assay.engine.plan import Plan
    from assay.engine.session import PartialReason
    from assay.model import JSON, Record


def measure_on_platform(ready: Ready, harness: PluginEvalHarness, run: Run) -> Measured:
    """Run the suite there and write its trials to the store. Raises CannotRun where no result came back."""
    options, plan, stop = ready.options, ready.plan, StopFlag()
    asked = EvalOptions(
        max_cost_usd=options.ceiling_usd,
        model=plan.model,
        judge_model=platform_judge(options.judge_model or options.project.config.judge_model),
        runs=plan.runs,
        jobs=options.jobs or options.project.config.jobs,
        keep=options.keep,
    )
    store, problem = open_store(options)
    try:
        run = store.begin(replace(run, planned=plan.size))
        with Rooms(keep=options.keep) as rooms, stopping(stop):
            done = harness.evaluate(ready.item, ready.suite.root, asked, rooms.folder / "platform", stop)
            say_kept(rooms.kept, options)
        records = records_of(done.document, run.id, done.prefix)
        writer = Writer(store)
        writer.write([(record, None) for record in records])
    finally:
        store.close()
    finish = replace(_finish(plan, records, done.document), unstored=problem or writer.problem)
    if text := finish_text(finish):
        say(text, options)
    return Measured(run, finish, records)


def _finish(plan: Plan, records: tuple[Record, ...], document: JSON) -> Finish:
    scored = sum(record.outcome == "scored" for record in records)
    spent = sum((record.usage.cost_usd or 0.0) + (record.judge_cost_usd or 0.0) for record in records)
    return Finish(
        partial_reason=_partial(plan, scored, document),
        spent_usd=spent,
        saved_usd=0.0,
        planned=plan.size,
        scored=scored,
        errors=sum(record.outcome == "error" for record in records),
        cached=0,
    )


def _partial(plan: Plan, scored: int, document: JSON) -> PartialReason | None:
    told = document.get("partialReason") if document.get("partial") else None
    if told in ("cost_ceiling", "interrupted"):
        reason: PartialReason = told
        return reason
    return "errors" if told or scored < plan.size else None
