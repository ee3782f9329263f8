"""What a suite could show, for people, in 80 columns: the answer, a plot of bars, and a table of rules."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.verdict.outlook import Outlook, RuleOutlook

COLUMNS = 80
BAR = 20
DRAWN = ("strict", "evidence")
"""The rules of the plot."""


def power_text(outlook: Outlook) -> str:
    """The answer first, then the chance of an accept by true change, then each rule under no change."""
    return "\n".join(_lines(outlook))


def _lines(outlook: Outlook) -> Iterator[str]:
    yield from textwrap.wrap(_answer(outlook), COLUMNS)
    yield ""
    drawn = [rule for rule in outlook.rules if rule.name in DRAWN]
    heads = "   ".join(f"{f'{rule.name} accepts':<{BAR + 7}}" for rule in drawn)
    yield f"{'true change':<11}   {heads}".rstrip()
    for row in zip(*(rule.rates for rule in drawn), strict=True):
        change = row[0][0]
        name = f"{change:+.2f}" if change else "none"
        yield f"{name:>11}   " + "   ".join(_bar(rate) for _, rate in row).rstrip()
    yield ""
    yield f"{'if nothing changed':<34}{'of 100':>9}{'trials':>10}{'cost':>12}"
    for rule in outlook.rules:
        yield _rule(rule, outlook).rstrip()
    yield ""
    yield from textwrap.wrap(_price(outlook), COLUMNS)


def _answer(outlook: Outlook) -> str:
    size = f"{_many(outlook.cases, 'case')} of {_many(outlook.runs, 'run')}"
    known = [
        f"a {name} of {size_:.2f}"
        for name, size_ in (("gain", outlook.visible_gain), ("drop", outlook.visible_drop))
        if size_ is not None
    ]
    seen = f"see {' and '.join(known)} four times in five, smaller ones less often"
    if not known:
        seen = "see not even the largest change four times in five"
    elif len(known) == 1:
        other = "drop" if outlook.visible_drop is None else "gain"
        seen += f"; not even the largest {other} is seen as often"
    return f"{size} {seen} (pass rates as of {outlook.basis}, mean {outlook.mean:.2f})."


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _bar(rate: float | None) -> str:
    if rate is None:
        return f"{'not possible here':<{BAR + 7}}"
    return f"{'█' * round(rate * BAR):<{BAR}} {100 * rate:>4.0f} %"


def _rule(rule: RuleOutlook, outlook: Outlook) -> str:
    verb = "accepts" if rule.kind == "gate" else "fails"
    share = "-" if rule.no_change is None else f"{100 * rule.no_change:.1f}"
    each = outlook.price.cost_usd
    cost = "" if each is None else f"${rule.trials * each:.2f}"
    return f"  {f'{rule.name}: {verb}':<32}{share:>9}{rule.trials:>10.0f}{cost:>12}"


def _price(outlook: Outlook) -> str:
    each, minutes = outlook.price.cost_usd, outlook.price.minutes
    told = (
        "The table counts the trials of what is compared, and not those without the item. One run on"
        f" both arms is {outlook.trials} trials"
    )
    if each is None:
        return f"{told}; what a trial costs is not known before one has run."
    time = "" if minutes is None else f" and {outlook.trials * minutes:.1f} minutes one after the other"
    return f"{told}, about ${outlook.trials * each:.2f}{time}."
