"""Exact curtailment: whether a run's rejection is certain, whatever its remaining trials bring.

It leaves every verdict of the strict rule as it is and saves the trials that could not change it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from assay.model import WITH, WITHOUT, Record, exact
from assay.schemas.baseline import Best
from assay.schemas.skill_eval import TOLERANCE


@dataclass(frozen=True, slots=True)
class Bounds:
    """The most and the least that an arm's mean can still become."""

    least: Fraction
    most: Fraction


def is_rejected(
    planned: Mapping[str, int], records: Iterable[Record], best: Best | None, incumbent: str | None = None
) -> bool:
    """Whether the strict rule rejects however the rest of the plan goes.

    `planned` has the trials of each case on each arm. `incumbent` names the arm that takes the place of the
    best, where it is run as well. A trial that died has no score: it neither counts nor is waited for.
    Nothing is certain as long as some case has neither a score nor a trial to come.
    """
    found = tuple(records)
    with_ = bounds(planned, found, WITH)
    floors = [bounds(planned, found, arm) for arm in (WITHOUT, incumbent) if arm]
    if with_ is None or None in floors:
        return False
    least = [floor.least for floor in floors if floor]
    if best is not None and incumbent is None:
        recorded = best.exact_score(WITH)
        least.append(exact(best.score) + exact(TOLERANCE) if recorded is None else recorded)
    return with_.most <= max(least)


def bounds(planned: Mapping[str, int], records: Iterable[Record], arm: str) -> Bounds | None:
    """Bounds of an arm's mean of case scores; None where a case has nothing to count and nothing to come."""
    scores: dict[str, list[Fraction]] = {case: [] for case in planned}
    done: Counter[str] = Counter()
    for record in records:
        if record.arm == arm and record.case in scores:
            done[record.case] += 1
            if record.score is not None:
                scores[record.case].append(record.score)
    least, most = Fraction(0), Fraction(0)
    for case, runs in planned.items():
        left = max(0, runs - done[case])
        size = len(scores[case]) + left
        if not size:
            return None
        known = sum(scores[case], Fraction(0))
        least += known / size
        most += (known + left) / size
    return Bounds(least / len(planned), most / len(planned)) if planned else None
