"""`assay power`: what a suite could show, what the rules would do, and the cost, before anything is spent."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.common import json_option, project_option, store_option
from assay.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.cli.project import Project
    from assay.model import Record
    from assay.store.trials import Run, TrialStore
    from assay.verdict.bayes import Counts
    from assay.verdict.evidence import Price
    from assay.verdict.outlook import Outlook

DEFAULT_RUNS = 3
SHAPES = ("bimodal", "mature", "saturated")


@click.command()
@click.argument("name", metavar="[ITEM | SUITE]", required=False)
@click.option("--cases", type=click.IntRange(1, 2000), help="So many cases, instead of those of a suite.")
@click.option(
    "--runs", type=click.IntRange(1, 100), help="Runs of each case (what the last run had, else 3)."
)
@click.option(
    "--shape",
    type=click.Choice(SHAPES),
    help="How cases' pass rates lie: a new suite (the default), one in use, one nearly solved.",
)
@click.option("--usd-per-trial", type=click.FloatRange(0), help="What a trial costs, where none has run.")
@click.option("--svg", type=click.Path(path_type=Path), help="Write the plot as an SVG picture.")
@json_option
@store_option
@project_option
def power(
    *,
    name: str | None,
    cases: int | None,
    runs: int | None,
    shape: str | None,
    usd_per_trial: float | None,
    svg: Path | None,
    as_json: bool,
    store: Path | None,
    project: Path,
) -> int:
    """Say what the suite of ITEM, or --cases of --runs, could show; nothing is run.

    Where the item or golden suite has run, its trials say how its cases pass and what a trial costs; else a
    shape of pass rates is assumed. All figures are simulated on the rules themselves.
    """
    from assay.cli.output import print_result
    from assay.cli.project import open_project
    from assay.report.power_text import power_text
    from assay.verdict.evidence import Price

    price = None if usd_per_trial is None else Price(usd_per_trial)
    if (name is None) == (cases is None):
        raise UsageError("name an item or a golden suite, or give --cases; one of the two")
    opened = open_project(project)
    outlook = None
    if name is not None and shape is None:
        outlook = _of_stored(name, runs, price, store or opened.store)
    if outlook is None:
        from assay.verdict.outlook import outlook_of_shape

        count = cases or _cases(opened, name or "")
        outlook = outlook_of_shape(
            count, runs or opened.config.runs or DEFAULT_RUNS, shape or SHAPES[0], price
        )
    if svg is not None:
        _draw(outlook, svg)
    print_result(outlook.to_document(), power_text(outlook), as_json=as_json)
    return 0


def _of_stored(name: str, runs: int | None, price: Price | None, path: Path) -> Outlook | None:
    """From the newest stored run of that name that has scored trials; None without one."""
    from assay.store.trials import TrialStore
    from assay.verdict.evidence_of_result import price_of
    from assay.verdict.outlook import outlook_of_trials

    if not path.is_file():
        return None
    trials = TrialStore(path, read_only=True)
    try:
        for run in trials.runs():
            if name in run.name.split(", ") and (records := _scored(trials, run, name)):
                recorded = _counts(records)
                usual = Counter(count for _, count in recorded).most_common(1)[0][0]
                return outlook_of_trials(recorded, runs or usual, run.id, price or price_of(records))
    finally:
        trials.close()
    return None


def _scored(trials: TrialStore, run: Run, name: str) -> list[Record]:
    """The scored trials of an item or golden suite in a run, the item loaded."""
    from assay.model import WITH

    lead = f"{name}/" if run.kind == "golden" else ""
    found = (record for record in trials.records(run.id) if record.arm == WITH)
    return [record for record in found if record.score is not None and record.case.startswith(lead)]


def _counts(records: Sequence[Record]) -> list[Counts]:
    """(sum of scores, trials) of each case."""
    scores: dict[str, list[float]] = {}
    for record in records:
        scores.setdefault(record.case, []).append(float(record.score or 0))
    return [(sum(row), len(row)) for row in scores.values()]


def _cases(project: Project, name: str) -> int:
    """The cases of a suite that has not run yet."""
    from assay.cli.options import RunOptions
    from assay.cli.run_ablation import suite_of
    from assay.items import find_item
    from assay.suites.golden import is_suite, load_golden_suite

    folder = project.evals / name
    if folder.is_dir() and is_suite(folder):
        return len(load_golden_suite(folder).cases)
    options = RunOptions(project, scaffold=True, quiet=True)
    return len(suite_of(options, find_item(project.root, name)).cases)


def _draw(outlook: Outlook, path: Path) -> None:
    from assay.report.power_svg import power_svg
    from assay.store.whole_file import write_whole

    write_whole(path, power_svg(outlook))
