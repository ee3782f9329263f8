"""Which of two endpoints a version is like: Wald's sequential test on its trials, case by case. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, log, log2

from assay.verdict.trials import Scores

Rates = Mapping[str, float]
"""By case: how often its trials pass."""


@dataclass(frozen=True, slots=True)
class Endpoints:
    """How often each case passes at the good end and at the bad one."""

    good: Rates
    bad: Rates

    def log_odds(self, scores: Mapping[str, Scores]) -> float:
        """Evidence of trials that they are of the good end, in natural logarithms; below 0 of the bad one.

        A fractional score counts as so much of a pass.
        """
        return sum(
            float(score) * log(self.good[case] / self.bad[case])
            + float(1 - score) * log((1 - self.good[case]) / (1 - self.bad[case]))
            for case, row in scores.items()
            if case in self.good
            for score in row
        )


def rates(scores: Mapping[str, Scores]) -> dict[str, float]:
    """The expected rate of each case after its trials, from Beta(1/2, 1/2): never 0 and never 1."""
    return {case: (float(sum(row)) + 0.5) / (len(row) + 1) for case, row in scores.items()}


def probes_of(versions: int) -> int:
    """How many versions a bisection of so many between the ends looks at, at most."""
    return max(1, ceil(log2(versions + 1)))


def bound(error: float, probes: int) -> float:
    """The log-odds at which one of `probes` is decided, so that all are right but with chance `error`.

    Wald 1947: stopping at log((1 - e) / e) errs with a chance of e at most, the rates taken as known.
    """
    each = error / probes
    return log((1 - each) / each)


class Probe:
    """Follows the trials of one version; called with all their scores, it says whether it is decided."""

    def __init__(self, ends: Endpoints, needed: float) -> None:
        self.log_odds = 0.0
        self._ends, self._needed = ends, needed

    def __call__(self, scores: Mapping[str, Scores]) -> bool:
        self.log_odds = self._ends.log_odds(scores)
        return self.is_good is not None

    @property
    def is_good(self) -> bool | None:
        """Which end it is like; None while that is open."""
        return self.log_odds > 0 if abs(self.log_odds) >= self._needed else None
