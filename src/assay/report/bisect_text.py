"""Where a drop came from, for people: the answer first, then what was looked at."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.report.printable import one_line

if TYPE_CHECKING:
    from assay.cli.bisecting import Bisected

COLUMNS = 80
_WORDS = {True: "good", False: "bad", None: "undecided"}


def bisect_text(found: Bisected) -> str:
    """The report of a bisection."""
    return "\n".join(_lines(found))


def _lines(found: Bisected) -> Iterator[str]:
    yield from textwrap.wrap(_answer(found), COLUMNS)
    for look in found.looks:
        head = f"  {look.commit.revision[:12]}  {_WORDS[look.is_good]:<9}  {look.score:.2f}"
        head = f"{head}  {look.trials:>4} trials  "
        yield f"{head}{one_line(look.commit.subject, COLUMNS - len(head))}"
    yield f"{found.trials} trials, {found.reused} of them from the store, ${found.spent_usd:.2f}"


def _answer(found: Bisected) -> str:
    ends = f"{found.good.revision[:12]} and {found.bad.revision[:12]}"
    if not found.is_shown:
        odds = f"p {found.p_drop:.3f} is above {found.error:.2f}"
        return f"{found.item}: no drop is shown between {ends} ({odds}): more --runs may show one."
    commit = found.found
    if commit is None:
        names = ", ".join(one.revision[:12] for one in found.suspects)
        return (
            f"{found.item}: the drop between {ends} lies in one of {len(found.suspects)} versions, and the"
            f" trials of one between did not decide: {names}."
        )
    return (
        f"{found.item}: it dropped with {commit.revision[:12]} ({commit.date},"
        f" {one_line(commit.subject, 200)}); wrong in at most {100 * found.error:.0f} of 100 such searches."
    )
