"""Intervals for shares and means, two-sided, as (lower end, upper end)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import TypeAlias

from assay.verdict.student import normal_quantile, t_quantile

Interval: TypeAlias = tuple[float, float]


def wilson(passed: float, runs: float, confidence: float = 0.95) -> Interval:
    """The score interval of a share (Wilson 1927); (0, 1) where there are no runs."""
    if runs <= 0:
        return 0.0, 1.0
    z = normal_quantile((1 + confidence) / 2)
    share, z2 = passed / runs, z * z
    middle = (share + z2 / (2 * runs)) / (1 + z2 / runs)
    half = z / (1 + z2 / runs) * sqrt(share * (1 - share) / runs + z2 / (4 * runs * runs))
    low = 0.0 if passed <= 0 else max(0.0, middle - half)
    high = 1.0 if passed >= runs else min(1.0, middle + half)
    return low, high


def clopper_pearson(passed: int, runs: int, confidence: float = 0.95) -> Interval:
    """The exact interval of a share: never below its confidence, so wider than Wilson's."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = float(betaincinv(passed, runs - passed + 1, tail)) if passed > 0 else 0.0
    high = float(betaincinv(passed + 1, runs - passed, 1 - tail)) if passed < runs else 1.0
    return low, high


def beta_interval(passed: float, runs: float, confidence: float = 0.95, prior: float = 1.0) -> Interval:
    """Equal-tailed interval of a share under a Beta(prior, prior): 1 is uniform, 0.5 is Jeffreys'."""
    from scipy.special import betaincinv

    tail, a, b = (1 - confidence) / 2, passed + prior, runs - passed + prior
    return float(betaincinv(a, b, tail)), float(betaincinv(a, b, 1 - tail))


def mean_of(values: Sequence[float]) -> float:
    """The mean of at least one value."""
    return sum(values) / len(values)


def variance_of(values: Sequence[float], less: int = 1) -> float:
    """The variance with `len - less` in the denominator; 0 where that is not positive."""
    if len(values) <= less:
        return 0.0
    middle = mean_of(values)
    return sum((value - middle) ** 2 for value in values) / (len(values) - less)


def t_interval(values: Sequence[float], confidence: float = 0.95) -> Interval | None:
    """Interval of the mean of independent values, as of the differences of cases; None for fewer than two."""
    if len(values) < 2:
        return None
    half = t_quantile((1 + confidence) / 2, len(values) - 1) * sqrt(variance_of(values) / len(values))
    middle = mean_of(values)
    return middle - half, middle + half


def within_variance(trials: Sequence[Sequence[float]]) -> float:
    """Variance of one trial around its case's mean, pooled over the cases that have two trials or more."""
    spread = [(variance_of(scores), len(scores) - 1) for scores in trials if len(scores) > 1]
    freedom = sum(size for _, size in spread)
    return sum(variance * size for variance, size in spread) / freedom if freedom else 0.0


def se_fixed_cases(trials: Sequence[Sequence[float]]) -> float:
    """Standard error of the mean of case means if these cases were run again: trials are the only noise."""
    return sqrt(sum(variance_of(scores) / len(scores) for scores in trials)) / len(trials)


def se_new_cases(trials: Sequence[Sequence[float]]) -> float:
    """Standard error of the mean of case means for new cases like these: cases are a sample as well."""
    return sqrt(variance_of([mean_of(scores) for scores in trials]) / len(trials))


def between_variance(trials: Sequence[Sequence[float]]) -> float:
    """Variance of the cases' true means: their means' less what the trials' noise explains; 0 or more."""
    noise = mean_of([variance_of(scores) / len(scores) for scores in trials])
    return max(0.0, variance_of([mean_of(scores) for scores in trials]) - noise)


def clustered_se(clusters: Sequence[Sequence[float]], correct: bool = False) -> float:
    """Standard error of the mean over all values, those of a cluster being alike (Miller 2024: CR0).

    `correct` multiplies the variance by G/(G-1), as statsmodels does for a mean by default (CR1).
    """
    values = [value for cluster in clusters for value in cluster]
    middle, size, groups = mean_of(values), len(values), len(clusters)
    total = sum(sum(value - middle for value in cluster) ** 2 for cluster in clusters)
    return sqrt(total * (groups / (groups - 1) if correct else 1.0)) / size


def tango(gained: int, lost: int, pairs: int, confidence: float = 0.95) -> Interval:
    """Score interval of the difference of two paired shares (Tango 1998), solved by bisection.

    `gained` pairs failed before and passed now, `lost` the other way round; `pairs` counts all of them.
    """
    z = normal_quantile((1 + confidence) / 2)
    middle = (gained - lost) / pairs

    def is_outside(difference: float) -> bool:
        return abs(_tango_score(gained, lost, pairs, difference)) > z

    return _edge(middle, -1.0, is_outside), _edge(middle, 1.0, is_outside)


def _tango_score(gained: int, lost: int, pairs: int, difference: float) -> float:
    a = 2 * pairs
    b = -gained - lost + (2 * pairs - gained + lost) * difference
    c = -lost * difference * (1 - difference)
    lost_share = (sqrt(max(0.0, b * b - 4 * a * c)) - b) / (2 * a)
    variance = pairs * (2 * lost_share + difference * (1 - difference))
    return (gained - lost - pairs * difference) / sqrt(variance) if variance > 0 else 0.0


def _edge(inside: float, outside: float, is_outside: Callable[[float], bool]) -> float:
    for _ in range(60):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if is_outside(middle) else (middle, outside)
    return inside
