"""How probable an improvement is: a hierarchical beta-binomial with its prior on the midpoint of two arms.

Case i has a midpoint m_i ~ Beta(1/2, 1/2); one change d ~ Normal(0, 1) on the log-odds scale moves the arm
before by -d/2 and the arm now by +d/2. The prior on the *midpoint* treats the arms alike; on the old arm it
would call chance an improvement wherever scores are near 1. Fractional scores count as so many passes, which
overstates their noise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, lgamma, sqrt
from statistics import NormalDist
from typing import TypeAlias

from assay.verdict.arrays import NDArray, np

Floats: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = tuple[float, int]
"""(sum of scores, trials) of one case on one arm."""

PRIOR = 0.5
SPREAD = 1.0
"""Standard deviation of the change's prior, in log-odds."""
QUANTILES = 200
PRACTICAL = 0.02
"""A change of the mean score that nobody would act on."""
ZOOMS = 4
"""How often the grid of changes may be narrowed around the posterior of a large suite."""
PATTERNS = 1_500
"""Different pairs of counts up to which the grid is used; beyond them the normal limit is as good."""


@dataclass(frozen=True, slots=True)
class Odds:
    """Probabilities of a change for better, for worse, and of one too small to matter."""

    improved: float
    regressed: float
    negligible: float
    expected: float
    """The mean score now if it were run again: shrunk towards the arm before, since records are lucky."""


def change_odds(before: Sequence[Counts], now: Sequence[Counts]) -> Odds:
    """The odds of a change of these cases' mean score; a case that lacks an arm says nothing."""
    pairs = Counter((old, new) for old, new in zip(before, now, strict=True) if old[1] and new[1])
    if len(pairs) > PATTERNS:
        return _by_normal(pairs)
    middle, reach = 0.0, 8.0
    for _ in range(ZOOMS):
        change = np.round(middle + reach * np.arange(-80, 81) / 80, 10)
        weight, shift, level = _posterior(change, pairs)
        mean = float((weight * change).sum())
        deviation = sqrt(float((weight * (change - mean) ** 2).sum()))
        if deviation >= 3 * reach / 80:
            break
        middle, reach = mean, max(8 * deviation, reach / 20)
    below = np.cumsum(weight) - weight / 2
    regressed = float(np.interp(0.0, change, below, left=0.0, right=1.0))
    return Odds(1 - regressed, regressed, _mass_between(shift, below), float((weight * level).sum()))


def _posterior(change: Floats, pairs: Counter[tuple[Counts, Counts]]) -> tuple[Floats, Floats, Floats]:
    """By change on the log-odds scale: its probability, what it does to the mean, and the mean now."""
    table = _table(change.tobytes())
    posterior = -(change**2) / (2 * SPREAD**2)
    shift, level = np.zeros_like(change), np.zeros_like(change)
    cases = max(1, sum(pairs.values()))
    for ((old, old_runs), (new, new_runs)), count in pairs.items():
        logs = old * table[0] + (old_runs - old) * table[1] + new * table[2] + (new_runs - new) * table[3]
        top = logs.max(axis=1, keepdims=True)
        likely = np.exp(logs - top)
        mass = likely.sum(axis=1)
        posterior = posterior + count * (np.log(mass) + top[:, 0])
        shift += count / cases * (likely * table[4]).sum(axis=1) / mass
        level += count / cases * (likely * table[5]).sum(axis=1) / mass
    weight = np.exp(posterior - posterior.max())
    return weight / weight.sum(), shift, level


@lru_cache(maxsize=4)
def _table(changes: bytes) -> Floats:
    """By (change, midpoint): the logs of both arms' pass and fail rates, their gap, and the rate now.

    The midpoints are quantiles of Beta(1/2, 1/2), the arcsine distribution.
    """
    share = np.sin(np.pi / 2 * (np.arange(QUANTILES) + 0.5) / QUANTILES) ** 2
    half = np.frombuffer(changes)[:, None] / 2
    middle = np.log(share / (1 - share))[None, :]
    old, new = middle - half, middle + half
    logs = [-np.logaddexp(0, odds) for odds in (-old, old, -new, new)]
    now = np.exp(logs[2])
    table: Floats = np.stack([*logs, now - np.exp(logs[0]), now])
    return table


def _mass_between(shift: Floats, below: Floats) -> float:
    """Posterior mass of the changes that move the expected mean score by less than `PRACTICAL`."""
    low, high = np.interp([-PRACTICAL, PRACTICAL], np.maximum.accumulate(shift), below, left=0.0, right=1.0)
    return float(max(0.0, high - low))


def _by_normal(pairs: Counter[tuple[Counts, Counts]]) -> Odds:
    distance = variance = cases = level = 0.0
    for ((old, old_runs), (new, new_runs)), count in pairs.items():
        share = (old + new + PRIOR) / (old_runs + new_runs + 2 * PRIOR)
        distance += count * (new / new_runs - old / old_runs)
        variance += count * share * (1 - share) * (1 / old_runs + 1 / new_runs)
        cases += count
        level += count * (new + PRIOR) / (new_runs + 2 * PRIOR)
    spread = NormalDist(distance / cases, sqrt(variance) / cases)
    improved = 1 - spread.cdf(0)
    negligible = spread.cdf(PRACTICAL) - spread.cdf(-PRACTICAL)
    return Odds(improved, 1 - improved, negligible, level / cases)


def probability_above(one: Counts, other: Counts) -> float:
    """Probability that the share behind `other` is above that behind `one`, uniform priors, independent."""
    if float(one[0]).is_integer() and float(other[0]).is_integer():
        return _beta_above(int(one[0]), one[1], int(other[0]), other[1])
    return _beta_above_grid(one, other)


@lru_cache(maxsize=4096)
def _beta_above(passed: int, runs: int, other_passed: int, other_runs: int) -> float:
    """The finite sum for whole counts (Evan Miller 2014)."""
    a, b, c, d = passed + 1, runs - passed + 1, other_passed + 1, other_runs - other_passed + 1
    return sum(
        exp(_log_beta(a + i, b + d) - _log_beta(1 + i, d) - _log_beta(a, b)) / (d + i) for i in range(c)
    )


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


@lru_cache(maxsize=4096)
def _beta_above_grid(one: Counts, other: Counts) -> float:
    share = (np.arange(2_000) + 0.5) / 2_000
    first, second = (_beta_weights(share, passed, runs) for passed, runs in (one, other))
    return float((second * (np.cumsum(first) - first / 2)).sum())


def _beta_weights(share: Floats, passed: float, runs: int) -> Floats:
    logs = passed * np.log(share) + (runs - passed) * np.log1p(-share)
    weights: Floats = np.exp(logs - logs.max())
    weights /= weights.sum()
    return weights
