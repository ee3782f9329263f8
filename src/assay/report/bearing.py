"""What the numbers of a run can bear, as reports show it: read from the result's `evidence`, else little."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from assay.verdict.intervals import t_interval

if TYPE_CHECKING:
    from assay.model import JSON

Interval: TypeAlias = tuple[float, float]

NO_INTERVAL = "With fewer than two scored cases there is no interval."
NEW_CASES = "95 % intervals of the mean over new cases like these (t, from the cases' means)."


@dataclass(frozen=True, slots=True)
class Bearing:
    """How sure a run is. `intervals` is by arm, 95 %; `facts` are (name, value) for people."""

    sentence: str | None
    intervals: Mapping[str, Interval]
    note: str
    facts: tuple[tuple[str, str], ...] = ()


def bearing(document: JSON, scores: Mapping[str, Sequence[float]]) -> Bearing:
    """From a result document, and the scores of the cases of each arm where it carries no evidence."""
    evidence = (document or {}).get("evidence")
    if not evidence or "arms" not in evidence:
        found = {arm: t_interval(values) for arm, values in scores.items()}
        known = {arm: _clipped(interval) for arm, interval in found.items() if interval}
        return Bearing(None, known, NEW_CASES if known else NO_INTERVAL)
    intervals = {
        arm["name"]: _clipped(tuple(arm["interval_new_cases"]))
        for arm in evidence["arms"]
        if arm.get("interval_new_cases")
    }
    note = NEW_CASES if intervals else NO_INTERVAL
    return Bearing(evidence.get("sentence"), intervals, note, tuple(_facts(evidence)))


def _facts(evidence: JSON) -> Iterator[tuple[str, str]]:
    same, new = evidence.get("interval_same_cases"), evidence.get("interval_new_cases")
    if same:
        yield "difference, these cases again", _range(same)
    if new:
        yield "difference, new cases like these", _range(new)
    if evidence.get("probability_improved") is not None:
        yield "probability of a gain", f"{evidence['probability_improved']:.0%}"
    if evidence.get("probability_regressed") is not None:
        yield "probability of a drop", f"{evidence['probability_regressed']:.0%}"
    gain, drop = evidence.get("smallest_visible_gain"), evidence.get("smallest_visible_drop")
    if gain is not None and drop is not None:
        yield "smallest change these runs see", f"{max(gain, drop):.2f}"


def _range(interval: Sequence[float]) -> str:
    return f"{interval[0]:+.2f} to {interval[1]:+.2f}".replace("-", "−")


def _clipped(interval: tuple[float, ...]) -> Interval:
    return max(0.0, interval[0]), min(1.0, interval[1])
