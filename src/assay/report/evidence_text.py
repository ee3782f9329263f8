"""What the numbers can bear, as lines of a report: one sentence first, the figures behind it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from assay.model import JSON

COLUMNS = 80


def evidence_lines(evidence: Mapping[str, JSON], lead: str = "") -> Iterator[str]:
    """The lines of an `evidence` object, each begun with `lead`; fields that it lacks are left out."""
    yield from _wrapped(str(evidence.get("sentence", "")), lead, lead)
    for name, text in _figures(evidence):
        yield from _wrapped(text, f"{lead}  {name:<14}", f"{lead}{'':<16}")


def _figures(evidence: Mapping[str, JSON]) -> Iterator[tuple[str, str]]:
    same, new = evidence.get("interval_same_cases"), evidence.get("interval_new_cases")
    if same:
        on_new = f"; {_range(new)} on new cases like these" if new else ""
        yield "95 % interval", f"{_range(same)} on these cases{on_new}"
    if evidence.get("probability_improved") is not None:
        better, worse, same_ = (
            _percent(evidence.get(f"probability_{name}")) for name in ("improved", "regressed", "negligible")
        )
        yield "likely", f"better {better}, worse {worse}, within 0.02 either way {same_}"
    luck = evidence.get("under_no_change")
    if luck:
        accepts, falls = _percent(luck.get("strict_accepts")), _percent(luck.get("some_case_falls"))
        yield "by luck alone", f"strict accepts {accepts} of such runs; some case falls in {falls}"
    judge = evidence.get("judge")
    if judge and judge.get("flip_rate") is not None:
        yield "judge", f"{_percent(judge['flip_rate'])} of its votes on one output disagree; not calibrated"


def _range(interval: JSON) -> str:
    return f"{interval[0]:+.2f} to {interval[1]:+.2f}"


def _percent(share: JSON) -> str:
    return "unknown" if share is None else f"{100 * share:.0f} %"


def _wrapped(text: str, lead: str, indent: str) -> list[str]:
    plain = "".join(letter if letter.isprintable() else "�" for letter in text)
    return textwrap.wrap(plain, COLUMNS, initial_indent=lead, subsequent_indent=indent)
