"""`assay accept RUN`, and `--accept` of a golden run: the only two ways to write `evals/baseline.json`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.common import agrees, project_option, store_option
from assay.cli.project import open_project
from assay.errors import UsageError
from assay.store.golden_baseline import difference, read_baseline, write_baseline
from assay.verdict.golden_eval import accepted, compared, merge_conflict

if TYPE_CHECKING:
    from assay.cli.options import RunOptions
    from assay.schemas.golden_baseline import GoldenBaseline
    from assay.schemas.golden_eval import GoldenEval
    from assay.store.trials import Run

REFUSED = 1


@click.command(name="accept")
@click.argument("run_id", metavar="RUN")
@click.option("--yes", is_flag=True, help="Answer yes to the question.")
@store_option
@project_option
def accept_run(run_id: str, yes: bool, store: Path | None, project: Path) -> int:
    """Make a stored golden run that passed the accepted baseline. `latest` is the newest one.

    It is compared with the thresholds and the baseline as they are now. The difference to baseline.json is
    shown and asked about.
    """
    from assay.cli.options import RunOptions

    options = RunOptions(open_project(project), yes=yes, store=store)
    run = _stored(options, run_id)
    baseline = read_baseline(options.project.evals)
    result = _compared_now(options, run, baseline)
    click.echo(f"{run.id}: {result.verdict}", err=True)
    return accept(options, result, baseline)


def accept(options: RunOptions, result: GoldenEval, baseline: GoldenBaseline | None) -> int:
    """Make a run that passed the accepted one: the difference is shown and asked about first."""
    refusal = refusal_of(result, baseline)
    if refusal:
        click.echo(f"not accepted: {refusal}", err=True)
        return result.exit_code or REFUSED
    new = accepted(result, baseline, f"{datetime.now(UTC):%Y-%m-%d}")
    click.echo(difference(options.project.evals, new).rstrip("\n"), err=True)
    if not agrees("Accept this run as the baseline?", yes=options.yes):
        click.echo("not accepted", err=True)
        return REFUSED
    write_baseline(options.project.evals, new)
    click.echo("accepted: evals/baseline.json", err=True)
    return 0


def refusal_of(result: GoldenEval, baseline: GoldenBaseline | None) -> str | None:
    """Why a run may not be accepted; None where it may."""
    if not result.is_complete:
        return "the run is incomplete"
    failing = [skill.skill for skill in result.triggers if not skill.passed]
    if failing:
        return f"triggers fail: {', '.join(failing)}"
    failed = [suite.name for suite in result.suites if suite.tasks and not suite.passed]
    if failed:
        return f"suites that did not pass: {', '.join(failed)}"
    if not result.acceptable:
        return "the run has no task"
    return merge_conflict(result, baseline)


def _stored(options: RunOptions, run_id: str) -> Run:
    from assay.store.trials import TrialStore

    path = options.store or options.project.store
    if not path.is_file():
        raise UsageError(f"nothing is stored here ({path.as_posix()} does not exist)")
    trials = TrialStore(path, read_only=True)
    try:
        runs = [run for run in trials.runs() if run.kind == "golden"]
    finally:
        trials.close()
    found = next((run for run in runs if run_id in (run.id, "latest")), None)
    if found is None:
        known = ", ".join(run.id for run in runs[:5]) or "none"
        raise UsageError(f"no golden run is called {run_id!r}; the newest are: {known}")
    return found


def _compared_now(options: RunOptions, run: Run, baseline: GoldenBaseline | None) -> GoldenEval:
    """The stored result against today's thresholds and baseline. Raises UsageError for tasks that changed."""
    from assay.schemas.golden_eval import from_document
    from assay.suites.golden import load_golden, select
    from assay.suites.thresholds import load_thresholds

    if run.document is None:
        raise UsageError(f"run {run.id} left no result: it is {run.state}")
    result = from_document(run.document, f"the result of {run.id}")
    every = load_golden(options.project.evals)
    names = [f"{suite.name}/{task.id}" for suite in result.suites for task in suite.tasks]
    now = {suite.name: suite.digest for suite in select(every, names)} if names else {}
    changed = [name for name, digest in run.info.get("suites", {}).items() if now.get(name, digest) != digest]
    if changed:
        raise UsageError(f"tasks of {', '.join(changed)} changed since {run.id}: run them again")
    thresholds = load_thresholds(options.project.evals, tuple(suite.name for suite in every))
    return compared(result, thresholds, baseline)
