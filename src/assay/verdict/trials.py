"""The trials of a comparison as the statistics need them: exact scores by case on two arms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from assay.model import exact
from assay.schemas.skill_eval import PairOfWeights

Scores: TypeAlias = tuple[Fraction, ...]
Trials: TypeAlias = Mapping[str, Mapping[str, Sequence[PairOfWeights]]]
"""By case and arm: (passed weight, scored weight) of each trial that has a score."""

LEAST_DISPERSION = 0.02


@lru_cache(maxsize=4096)
def score_of(passed: float, scored: float) -> Fraction:
    """A trial's score, exact."""
    return exact(passed) / exact(scored)


def scores_of(rows: Iterable[PairOfWeights]) -> Scores:
    """The scores of an arm's trials; one without a scored weight has none."""
    return tuple(score_of(passed, scored) for passed, scored in rows if scored > 0)


@dataclass(frozen=True, slots=True)
class Pair:
    """One case on the two arms that are compared; both have a trial."""

    case: str
    before: Scores
    now: Scores

    @property
    def delta(self) -> Fraction:
        return mean(self.now) - mean(self.before)


def pairs_of(trials: Trials, before: str, now: str) -> tuple[Pair, ...]:
    """The cases that have trials on both arms, in their order."""
    rows = (
        (case, scores_of(arms.get(before, ())), scores_of(arms.get(now, ()))) for case, arms in trials.items()
    )
    return tuple(Pair(case, old, new) for case, old, new in rows if old and new)


def mean(scores: Sequence[Fraction]) -> Fraction:
    """The mean of at least one score."""
    if len(scores) == 1:
        return scores[0]
    return sum(scores, Fraction(0)) / len(scores)


def is_binary(scores: Iterable[Fraction]) -> bool:
    """Whether every trial passed whole or failed whole."""
    return all(score in (0, 1) for score in scores)


def dispersion(arms: Iterable[Scores]) -> float:
    """How noisy trials are beside coins of the same mean: 1 for 0/1 scores, less for fractional ones.

    Its inverse is how many coins a trial is worth.
    """
    observed = coins = 0.0
    for scores in arms:
        middle = float(mean(scores))
        observed += sum((float(score) - middle) ** 2 for score in scores)
        coins += len(scores) * middle * (1 - middle)
    return min(1.0, max(LEAST_DISPERSION, observed / coins)) if coins > 1e-12 else 1.0
