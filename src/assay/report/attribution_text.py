"""A split difference for people: the answer first, then the share of each thing that differed."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.cli.attributing import Attributed
    from assay.verdict.attribution import Share

COLUMNS = 80


def attribution_text(found: Attributed) -> str:
    """The report of an attribution."""
    return "\n".join(_lines(found))


def _lines(found: Attributed) -> Iterator[str]:
    yield from textwrap.wrap(_answer(found), COLUMNS)
    for share in sorted(found.split.shares, key=lambda share: -abs(share.effect)):
        yield _share(share)
        for name, side in (("before", found.before), ("now", found.now)):
            value = side.value(share.name) or "unknown"  # type: ignore[arg-type]
            yield f"    {name:<7} {value}"[:COLUMNS]
    if abs(found.split.together) >= 0.005 and len(found.split.shares) > 1:
        yield f"  of which only together {found.split.together:+.2f}"
    yield f"{found.trials} trials, {found.reused} of them from the store, ${found.spent_usd:.2f}"


def _answer(found: Attributed) -> str:
    whole = found.split
    clear = [share.name for share in whole.shares if share.is_told_apart]
    told = (
        f"what the trials can tell is due to {' and '.join(clear)}" if clear else "the trials tell no share"
    )
    return (
        f"{found.now.result.item}: {whole.before:.2f} became {whole.now:.2f} ({whole.delta:+.2f},"
        f" {_range(whole.interval)} on these {found.cases} cases); {told}."
    )


def _share(share: Share) -> str:
    note = "" if share.is_told_apart else "  not told apart from 0"
    return f"  {share.name:<8} {share.effect:+.2f}  95 %: {_range(share.interval)}{note}"


def _range(interval: tuple[float, float]) -> str:
    return f"{interval[0]:+.2f} to {interval[1]:+.2f}"
