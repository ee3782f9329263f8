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
from assay.graders.activation import activation_of
from assay.harnesses.plugin_eval import EvalOptions, PlatformRun, PluginEvalHarness, platform_judge
from assay.model import WITH
from assay.report.finish_text import finish_text
from assay.store.trials import Run
from assay.suites.platform_result import records_of

if TYPE_CHECKING:
    from assay.cli.options import RunOptions
    from assay.engine.plan import Plan
    from assay.engine.session import PartialReason
    from assay.harnesses.platform_trace import Session
    from assay.model import JSON, Item, Record, Suite, Transcript


def measure_on_platform(
    harness: PluginEvalHarness, run: Run, *, options: RunOptions, plan: Plan, item: Item, suite: Suite
) -> Measured:
    """Run the suite there and write its trials to the store. Raises CannotRun where no result came back."""
    stop = StopFlag()
    asked = EvalOptions(
        max_cost_usd=options.ceiling_usd,
        model=plan.model,
        judge_model=platform_judge(options.judge_model or options.project.config.judge_model),
        runs=plan.runs,
        jobs=options.jobs or options.project.config.jobs,
    )
    store, problem = open_store(options)
    try:
        run = store.begin(replace(run, planned=plan.size))
        with Rooms(keep=options.keep) as rooms, stopping(stop):
            done = harness.evaluate(item, suite.root, asked, rooms.folder / "platform", stop)
            say_kept(rooms.kept, options)
        finished = trials_of(done, run.id, item)
        writer = Writer(store)
        writer.write(finished)
    finally:
        store.close()
    records = tuple(record for record, _ in finished)
    finish = replace(_finish(plan, records, done.document), unstored=problem or writer.problem)
    if text := finish_text(finish):
        say(text, options)
    return Measured(run, finish, records)


def trials_of(done: PlatformRun, run_id: str, item: Item) -> list[tuple[Record, Transcript | None]]:
    """Every trial of the platform's, with its transcript where there is one; unclean arms are errors."""
    records = records_of(done.document, run_id, done.prefix)
    return [_told(record, session, item) for record, session in zip(records, done.sessions, strict=True)]


def _told(record: Record, session: Session | None, item: Item) -> tuple[Record, Transcript | None]:
    if session is None:
        return record, None
    transcript = session.transcript
    record = replace(
        record,
        usage=replace(transcript.usage, cost_usd=record.usage.cost_usd),
        model_reported=transcript.model_reported,
        activation=activation_of(transcript, item if record.arm == WITH else None),
    )
    if session.fault and record.fault is None:
        record = replace(record, outcome="error", fault=session.fault, passed_weight=0.0, scored_weight=0.0)
    return record, transcript


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
