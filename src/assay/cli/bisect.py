"""`assay bisect`: which commit made an item's suite, or one case of it, drop."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from assay.cli.common import options_from, run_options

DEFAULT_RUNS = 8
UNDECIDED = 4


@click.command()
@click.argument("item")
@click.option("--good", metavar="REVISION", help="A version that was good; that of the recorded best, else.")
@click.option("--bad", metavar="REVISION", default="HEAD", show_default=True, help="A version that is not.")
@click.option("--case", help="Look at this case alone.")
@click.option(
    "--error",
    type=click.FloatRange(0, 0.5, min_open=True),
    default=0.05,
    show_default=True,
    help="The chance of a wrong answer, at most.",
)
@run_options
def bisect(*, item: str, good: str | None, bad: str, case: str | None, error: float, **given: Any) -> int:
    """Find the commit with which the suite of ITEM dropped, by repeated trials of its versions in git.

    Both ends run --runs times (8) a case. Versions between run until they are told to be like one end, four
    times as often at most; what the store holds of a version is not paid for again. Exit code 0: found;
    1: no drop between the ends is shown; 4: the trials of a version did not decide.
    """
    from assay.cli.bisecting import Search
    from assay.cli.bisecting import bisect as find
    from assay.cli.output import write_out
    from assay.report.bisect_text import bisect_text

    options = options_from(**given)
    runs = options.runs or DEFAULT_RUNS
    found = find(Search(replace(options, runs=None), item, good, bad, case, runs, error))
    write_out(options, found.to_document(), bisect_text(found))
    if not found.is_shown:
        return 1
    return 0 if found.found else UNDECIDED
