"""`assay show`: what is stored of runs, one run, one case of it, or a result document of any tool."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.common import json_option, project_option, store_option
from assay.cli.output import columns, print_result
from assay.cli.resume import as_it_stands
from assay.cli.stored import find_case, find_run, reading
from assay.errors import UsageError
from assay.report.runs_text import brief_text, run_text, runs_text

if TYPE_CHECKING:
    from assay.model import JSON, Case
    from assay.report.summary import CaseSummary
    from assay.store.rows import Run
    from assay.store.trials import TrialStore


@click.command()
@click.argument("run_id", required=False, metavar="[RUN | latest | FILE]")
@click.argument("case", required=False)
@click.option("--arm", help="Of a case: only the trials of this arm.")
@click.option("--repeat", type=click.IntRange(1), help="Of a case: only this repeat.")
@click.option("--brief", is_flag=True, help="Of a run: only its verdict, at once however large it is.")
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="Runs listed, newest first."
)
@json_option
@store_option
@project_option
def show(
    *,
    run_id: str | None,
    case: str | None,
    arm: str | None,
    repeat: int | None,
    brief: bool,
    limit: int,
    as_json: bool,
    store: Path | None,
    project: Path,
) -> int:
    """List the stored runs, show one with its report, or one CASE of it with every trial's transcript.

    FILE is a result, assay's own or another tool's: aggregate-result.json, benchmark.json, grading.json.
    """
    if case is None and (arm or repeat):
        raise UsageError("--arm and --repeat are of one case: `assay show RUN CASE`")
    if run_id is not None and Path(run_id).is_file():
        from assay.cli.result_file import result_file

        print_result(*result_file(Path(run_id)), as_json=as_json)
        return 0
    from assay.cli.material import sources_of

    with reading(project, store) as trials:
        if run_id is None:
            runs = [as_it_stands(run) for run in trials.runs(limit)]
            print_result([_head(run) for run in runs], runs_text(runs), as_json=as_json)
            return 0
        if brief:
            return _print_brief(trials, run_id, as_json=as_json)
        run = as_it_stands(find_run(trials, run_id))
        if case is None:
            _print_run(trials, run, as_json=as_json)
            return 0
        found = find_case(trials, run, case)
        meant = [row for row in found.trials if arm in (None, row.arm) and repeat in (None, row.repeat)]
        if not meant:
            there = ", ".join(f"{record.arm} #{record.repeat}" for record in found.trials)
            raise UsageError(f"no such trial of {found.id}; there are: {there}")
        shown = replace(found, trials=tuple(meant))
        print_result(*_case(trials, shown, sources_of(run, project).get(found.id)), as_json=as_json)
    return 0


def _print_run(trials: TrialStore, run: Run, *, as_json: bool) -> None:
    if as_json:
        rows = [asdict(record) for record in trials.records(run.id)]
        print_result({**asdict(run), "trials": rows}, "", as_json=True)
        return
    outcomes, cached = trials.counts(run.id)
    lost = tuple(trials.records(run.id, "error"))
    print_result(None, run_text(run, outcomes, cached, lost, columns()), as_json=False)


def _print_brief(trials: TrialStore, run_id: str, *, as_json: bool) -> int:
    from assay.store.look import run_line

    line = run_line(trials, run_id)
    if line is None:
        raise UsageError(f"no stored run is called {run_id!r}; `assay show` lists them")
    print_result(asdict(line), brief_text(line), as_json=as_json)
    return 0


def _case(trials: TrialStore, case: CaseSummary, source: Case | None) -> tuple[JSON, str]:
    from assay.report.caps import Caps
    from assay.report.case_text import case_text
    from assay.report.detail import detail

    document = [
        {**asdict(record), "transcript": _asdict(trials.transcript(record.transcript))}
        if record.transcript
        else asdict(record)
        for record in case.trials
    ]
    return document, case_text(detail(case, trials.transcript, Caps(), source=source))


def _asdict(transcript: object) -> JSON:
    return None if transcript is None else asdict(transcript)  # type: ignore[call-overload]


def _head(run: Run) -> dict[str, object]:
    return {key: value for key, value in asdict(run).items() if key not in ("info", "document")}
