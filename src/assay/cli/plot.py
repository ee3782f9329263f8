"""`assay plot`: a stored run as a figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.common import project_option, store_option
from assay.cli.stored import find_run, reading
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.report.figures import Kind


@click.command()
@click.argument("run_id", default="latest", metavar="[RUN | latest]")
@click.option(
    "--kind",
    type=click.Choice(["cases", "history", "triggers", "cost"]),
    default="cases",
    show_default=True,
    help="What is drawn.",
)
@click.option("--dark", is_flag=True, help="Light on dark.")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="The file: its name ends in .svg or .png."
)
@store_option
@project_option
def plot(*, run_id: str, kind: Kind, dark: bool, out: Path, store: Path | None, project: Path) -> int:
    """Draw a stored run: scores by case with intervals, history, trigger matrix, or cost."""
    from assay.report.figures import figure
    from assay.report.history import history
    from assay.report.summary import summarise
    from assay.store.look import runs_of
    from assay.store.whole_file import write_whole

    ending = out.suffix.lower()
    if ending not in (".svg", ".png"):
        raise UsageError(f"--out {out.as_posix()}: the name must end in .svg or .png")
    with reading(project, store) as trials:
        run = find_run(trials, run_id)
        summary = summarise(run, trials.records(run.id))
        points = history(run, runs_of(trials, run.name, 120))
    write_whole(out, figure(kind, summary, points, "svg" if ending == ".svg" else "png", dark=dark))
    return 0
