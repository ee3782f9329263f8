"""Splits the difference of two runs among the things in which they differ. Pure.

A corner is a run with some of them as in the run after and the others as before. The share of one of them is
what changing it does to the score, averaged over all orders in which they may be changed (Shapley 1953):
shares add up to the whole difference, and what two of them do only together is shared between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import factorial, sqrt
from typing import TypeAlias

from assay.verdict.intervals import Interval
from assay.verdict.student import normal_quantile
from assay.verdict.trials import Scores, dispersion, mean

Corner: TypeAlias = frozenset[str]
"""What is as in the run after."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one of the differences did to the mean score, with its 95 % interval on these cases."""

    name: str
    effect: float
    interval: Interval
    alone: float
    """What it does where nothing else is changed."""

    @property
    def is_told_apart(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.interval[0] > 0 or self.interval[1] < 0


@dataclass(frozen=True, slots=True)
class Split:
    """The whole difference and its shares."""

    before: float
    now: float
    interval: Interval
    shares: tuple[Share, ...]

    @property
    def delta(self) -> float:
        return self.now - self.before

    @property
    def together(self) -> float:
        """What they do only together: the difference less what each does alone."""
        return self.delta - sum(share.alone for share in self.shares)


def corners(names: Sequence[str]) -> tuple[Corner, ...]:
    """All corners, the run before first and the run after last."""
    sizes = (combinations(names, size) for size in range(len(names) + 1))
    return tuple(map(frozenset, chain.from_iterable(sizes)))


def split(names: Sequence[str], scores: Mapping[Corner, Mapping[str, Scores]]) -> Split:
    """Split by the scores of every corner, on the cases that all of them have."""
    cases = sorted(set.intersection(*(set(found) for found in scores.values())))
    noise = dispersion(row for found in scores.values() for row in found.values())
    values = {
        corner: (
            float(sum(mean(found[case]) for case in cases)) / len(cases),
            sum(_variance(found[case], noise) for case in cases) / len(cases) ** 2,
        )
        for corner, found in scores.items()
    }
    nothing, everything = frozenset[str](), frozenset(names)
    shares = []
    for name in names:
        weights = _weights(name, names)
        effect, interval = _sum(weights, values)
        alone = values[frozenset({name})][0] - values[nothing][0]
        shares.append(Share(name, effect, interval, alone))
    _, interval = _sum({everything: 1.0, nothing: -1.0}, values)
    return Split(values[nothing][0], values[everything][0], interval, tuple(shares))


def _weights(name: str, names: Sequence[str]) -> dict[Corner, float]:
    """How much each corner's score counts in the share of one name."""
    size = len(names)
    found = {}
    for corner in corners([other for other in names if other != name]):
        orders = factorial(len(corner)) * factorial(size - len(corner) - 1) / factorial(size)
        found[corner | {name}], found[corner] = orders, -orders
    return found


def _sum(
    weights: Mapping[Corner, float], values: Mapping[Corner, tuple[float, float]]
) -> tuple[float, Interval]:
    middle = sum(weight * values[corner][0] for corner, weight in weights.items())
    half = normal_quantile(0.975) * sqrt(sum(w * w * values[corner][1] for corner, w in weights.items()))
    return middle, (max(-1.0, middle - half), min(1.0, middle + half))


def _variance(scores: Scores, noise: float) -> float:
    """Of a case's mean, from a Beta(1/2, 1/2) posterior."""
    share = (float(sum(scores)) + 0.5) / (len(scores) + 1)
    return noise * share * (1 - share) / len(scores)
