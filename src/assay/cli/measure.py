"""Runs one plan for a command: store, budget, progress and harness wired together, the records kept."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from assay.cli.desk import Desk
from assay.errors import CannotRun, StoreError, UsageError
from assay.report.finish_text import finish_text
from assay.store.trials import Run, TrialStore

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from assay.cli.harnesses import Rig
    from assay.cli.options import RunOptions
    from assay.engine.estimate import Estimate
    from assay.engine.outlook import Outlook
    from assay.engine.plan import Plan
    from assay.engine.session import Finish
    from assay.model import Record


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
    """Run the plan under the ceilings and write every trial to the store as it ends.

    `is_certain` sees all records so far and returns True where the answer cannot change any more. A store
    that cannot be used is told, and the run goes on without it. Raises CannotRun where the user says no.
    """
    from assay.cli.progress import Progress

    if options.ceiling_usd <= 0:
        raise UsageError(f"a ceiling of {options.ceiling_usd:g} dollars allows nothing: give more than 0")
    store, problem = open_store(options)
    try:
        desk = Desk(options, rig, plan, run, store)
        try:
            _tell_and_ask(options, desk)
            begun = desk.begin()
        except StoreError as error:  # a damaged page is found when it is read
            store.close()
            store, problem = _without_store(options, error)
            desk = Desk(options, rig, plan, run, store)
            begun = desk.begin()
        progress = Progress(plan.size, quiet=options.quiet)
        records: list[Record] = []

        def on_records(batch: Sequence[Record]) -> bool:
            records.extend(batch)
            progress.add(batch)
            return is_certain is not None and is_certain(records)

        finish = desk.session(begun.id).execute(plan, desk.jobs, on_records)
        finish = replace(finish, unstored=problem or finish.unstored)
        progress.close()
        say_kept(finish.kept, options)
        if (text := finish_text(finish)) and not (options.quiet and finish.unstored is None):
            click.echo(text, err=True)
        return Measured(begun, finish, tuple(records))
    finally:
        store.close()


def explain(options: RunOptions, rig: Rig, plan: Plan, run: Run) -> tuple[Outlook, Estimate]:
    """What the plan would find in the store and what it would run; nothing is run or written."""
    path = options.store or options.project.store
    store = TrialStore(path, read_only=True) if path.is_file() else TrialStore(None)
    try:
        desk = Desk(options, rig, plan, run, store)
        outlook = desk.outlook()
        return outlook, desk.estimate(outlook.to_run)
    finally:
        store.close()


def print_plan(options: RunOptions, outlook: Outlook, expected: Estimate) -> None:
    """Print what `explain` found."""
    from assay.cli.output import write_out
    from assay.report.outlook_text import explain_document, explain_text

    write_out(options, explain_document(outlook, expected), explain_text(outlook, expected))


def open_store(options: RunOptions) -> tuple[TrialStore, str | None]:
    """The trial store of a run; where it cannot be used, one in memory and why."""
    path = options.store or options.project.store
    try:
        store = TrialStore(path)
        with store.transaction():  # one that cannot be written is found before anything is paid for
            return store, None
    except StoreError as error:
        return _without_store(options, error)


def _without_store(options: RunOptions, error: StoreError) -> tuple[TrialStore, str]:
    """Tell why, and give a store in memory; a run that is to go on cannot without its own."""
    if options.going_on:
        raise error
    click.echo(
        f"{error}\nThe run goes on without it: its result is printed, its trials are not kept.", err=True
    )
    return TrialStore(None), str(error)


def _tell_and_ask(options: RunOptions, desk: Desk) -> None:
    """Say what the plan will find and cost; ask where that is much. Raises CannotRun for a no."""
    much = options.project.config.ask_above_usd
    if options.quiet and (options.yes or not _can_ask()):
        return
    lines, expected = desk.forecast()
    if lines:
        say("\n".join(lines), options)
    is_much = (expected.total_usd or 0.0) > much
    if is_much and _can_ask() and not options.yes and not click.confirm(f"It {expected}. Start?", err=True):
        raise CannotRun("not started: nothing was spent")


def _can_ask() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def record_end(options: RunOptions, run: Run, finish: Finish, document: dict[str, object] | None) -> None:
    """Write down how a run ended, with its document where it has one; tell where that fails."""
    if finish.unstored is not None:
        return
    state = {None: "done", "interrupted": "interrupted"}.get(finish.partial_reason, "partial")
    ended = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    try:
        store = TrialStore(options.store or options.project.store)
        try:
            store.finish(replace(run, state=state, ended=ended, document=document))  # type: ignore[arg-type]
        finally:
            store.close()
    except StoreError as error:
        click.echo(f"NOT STORED: {error}", err=True)


def say_kept(folder: Path | None, options: RunOptions) -> None:
    """Say where the trials' folders stayed, if they did."""
    if folder is not None:
        say(f"kept: {folder.as_posix()}", options)


def say(text: str, options: RunOptions) -> None:
    """Tell the user something beside the result: on standard error, unless asked to be quiet."""
    if not options.quiet:
        click.echo(text, err=True)
