"""`assay show`: what is stored of runs, or one result document of assay or of another tool."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.common import json_option, project_option, store_option
from assay.cli.output import print_result
from assay.cli.stored import find_run, reading
from assay.report.runs_text import run_text, runs_text

if TYPE_CHECKING:
    from assay.store.rows import Run


@click.command()
@click.argument("run_id", required=False, metavar="[RUN | latest | FILE]")
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="Runs listed, newest first."
)
@json_option
@store_option
@project_option
def show(run_id: str | None, limit: int, as_json: bool, store: Path | None, project: Path) -> int:
    """List the stored runs, or show one: its report and every trial's outcome.

    FILE is a result, assay's own or another tool's: aggregate-result.json, benchmark.json, grading.json.
    """
    if run_id is not None and Path(run_id).is_file():
        from assay.cli.result_file import result_file

        print_result(*result_file(Path(run_id)), as_json=as_json)
        return 0
    with reading(project, store) as trials:
        if run_id is None:
            runs = trials.runs(limit)
            print_result([_head(run) for run in runs], runs_text(runs), as_json=as_json)
        else:
            run = find_run(trials, run_id)
            records = tuple(trials.records(run.id))
            document = {**asdict(run), "trials": [asdict(record) for record in records]}
            print_result(document, run_text(run, records), as_json=as_json)
    return 0


def _head(run: Run) -> dict[str, object]:
    return {key: value for key, value in asdict(run).items() if key not in ("info", "document")}
