"""`assay history`: how an item, or golden suites, scored over time."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.common import json_option, project_option, store_option
from assay.cli.output import print_result
from assay.cli.stored import reading
from assay.errors import UsageError


@click.command()
@click.argument("name", metavar="ITEM")
@click.option(
    "--limit", type=click.IntRange(1), default=500, show_default=True, help="Stored runs looked at."
)
@json_option
@store_option
@project_option
def history(*, name: str, limit: int, as_json: bool, store: Path | None, project: Path) -> int:
    """Show how ITEM, or a golden suite, scored over time, for each model and harness by itself.

    The table is the stored runs that finished, oldest first; the bars above it go from 0 to 1.
    """
    from assay.report.history import tracks
    from assay.report.history_text import history_document, history_text

    with reading(project, store) as trials:
        runs = trials.runs(limit)
    found = tracks(name, runs)
    if not found:
        known = ", ".join(sorted({run.name for run in runs})) or "none"
        raise UsageError(f"no finished run of {name!r} is stored; there are runs of: {known}")
    print_result(history_document(found), history_text(name, found), as_json=as_json)
    return 0
