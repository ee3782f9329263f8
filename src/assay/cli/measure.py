"""Runs one plan for a command: store, budget, progress and harness wired together, the records kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from assay.engine.budget import Budget
from assay.engine.grading import Grading
from assay.engine.retry import Retry
from assay.engine.session import Finish, Session
from assay.engine.stop import StopFlag
from assay.errors import UsageError
from assay.graders import Bench
from assay.store.trials import Run, TrialStore

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from assay.cli.harnesses import Rig
    from assay.cli.options import RunOptions
    from assay.engine.plan import Plan
    from assay.model import Record

DEFAULT_JOBS = 4


@dataclass(frozen=True, slots=True)
class Measured:
    """A run that is over: as stored, how it ended, and its records."""

    run: Run
    finish: Finish
    records: tuple[Record, ...]


def measure(
    options: RunOptions,
    rig: Rig,
    plan: Plan,
    run: Run,
    is_certain: Callable[[Sequence[Record]], bool] | None = None,
) -> Measured:
    """Run the plan under the ceiling and write every trial to the store as it ends.

    `is_certain` sees all records so far and returns True where the answer cannot change any more.
    """
    from assay.cli.progress import Progress

    if options.ceiling_usd <= 0:
        raise UsageError(f"a ceiling of {options.ceiling_usd:g} dollars allows nothing: give more than 0")
    store = TrialStore(options.store or options.project.store)
    try:
        run = store.begin(replace(run, planned=plan.size))
        stop, retry = StopFlag(), Retry()
        bench = Bench(judge=rig.judge, votes=options.votes, run_scripts=options.scaffold)
        session = Session(
            run.id,
            harness=rig.harness,
            grading=Grading(bench, tuple(plan.arms), retry, stop),
            journal=store,
            budget=Budget(options.ceiling_usd, store.typical_cost(run.harness, run.model) or 0.0),
            retry=retry,
            stop=stop,
            fresh=options.fresh,
            keep=options.keep,
        )
        progress = Progress(plan.size, quiet=options.quiet)
        records: list[Record] = []

        def on_records(batch: Sequence[Record]) -> bool:
            records.extend(batch)
            progress.add(batch)
            return is_certain is not None and is_certain(records)

        finish = session.execute(
            plan, options.jobs or options.project.config.jobs or DEFAULT_JOBS, on_records
        )
        progress.close()
        say_kept(finish.kept, options)
        return Measured(run, finish, tuple(records))
    finally:
        store.close()


def record_end(options: RunOptions, run: Run, finish: Finish, document: dict[str, object] | None) -> None:
    """Write down how a run ended, with its document where it has one."""
    state = {None: "done", "interrupted": "interrupted"}.get(finish.partial_reason, "partial")
    store = TrialStore(options.store or options.project.store)
    try:
        ended = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        store.finish(replace(run, state=state, ended=ended, document=document))  # type: ignore[arg-type]
    finally:
        store.close()


def say_kept(folder: Path | None, options: RunOptions) -> None:
    """Say where the trials' folders stayed, if they did."""
    if folder is not None:
        say(f"kept: {folder.as_posix()}", options)


def say(text: str, options: RunOptions) -> None:
    """Tell the user something beside the result: on standard error, unless asked to be quiet."""
    if not options.quiet:
        click.echo(text, err=True)
