"""Exact tests by shuffling: within cases (did anything change on these cases) and over cases (on new ones).

Scores are put on a common grid of integers, so that ties are ties and not float dust. Where the grid is fine
enough to count, the test counts every outcome; where it is not, it draws shuffles from a seed; for suites of
thousands of trials it takes the normal limit of the same statistic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm, sqrt
from statistics import NormalDist
from typing import Literal, TypeAlias

from assay.verdict.arrays import NDArray, np

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Method: TypeAlias = Literal["exact", "sampled", "normal"]
Scores: TypeAlias = Sequence[Fraction]

SAMPLES = 9_999
EXACT_CELLS = 20_000
"""The longest distribution that is counted out."""
EXACT_TRIALS = 4_000
"""Beyond so many trials the normal limit is right to the digits that anybody reads."""
_GRID = 2**20


@dataclass(frozen=True, slots=True)
class Test:
    """One-sided p-values: `greater` for an increase, `less` for a drop."""

    greater: float
    less: float
    mid_greater: float
    """Half of the observed outcome's own probability taken off: less conservative, not exact."""
    method: Method

    __test__ = False

    @property
    def two_sided(self) -> float:
        return min(1.0, 2 * min(self.greater, self.less))


def within_cases(before: Sequence[Scores], now: Sequence[Scores], seed: int = 1) -> Test:
    """Shuffle the trials of each case between the two arms; the statistic is the sum of scores now.

    For 0/1 scores this is the exact conditional Cochran-Mantel-Haenszel test. `before[i]` and `now[i]` are
    the scores of case i, as many of either as there are; a case that lacks an arm says nothing.
    """
    whole_before, whole_now = _on_grid(before, now)
    pools = Counter(
        (tuple(sorted([*old, *new])), len(new))
        for old, new in zip(whole_before, whole_now, strict=True)
        if old and new
    )
    observed = sum(sum(new) for old, new in zip(whole_before, whole_now, strict=True) if old and new)
    if not pools:
        return Test(1.0, 1.0, 1.0, "exact")
    trials = sum(len(pool) * count for (pool, _), count in pools.items())
    cells = sum(_span(pool, size) * count for (pool, size), count in pools.items())
    if trials > EXACT_TRIALS:
        return _normal_within(pools, observed)
    if cells <= EXACT_CELLS:
        return _tails(*_convolved(pools), observed)
    return _sampled_within(pools, observed, seed)


def sign_flip(differences: Sequence[Fraction], seed: int = 1) -> Test:
    """Flip the sign of each case's difference; the statistic is their sum. Asks about new cases like these.

    It cannot reject below 1/2^n for n cases that differ: with four or fewer it has no power at .05.
    """
    whole = _integers([differences])[0]
    moved = [abs(value) for value in whole if value]
    observed, reach = sum(whole), sum(moved)
    if not moved:
        return Test(1.0, 1.0, 0.5, "exact")
    if len(moved) > EXACT_TRIALS:
        return _by_z(observed, sqrt(sum(value * value for value in moved)), 2 * min(moved))
    if 2 * reach <= EXACT_CELLS:
        flips: Floats = np.ones(1)
        for value in moved:
            grown = np.zeros(len(flips) + 2 * value)
            grown[: len(flips)] += flips / 2
            grown[2 * value :] += flips / 2
            flips = grown
        return _tails(flips, -reach, observed)
    signs = np.random.default_rng(seed).integers(0, 2, (SAMPLES, len(moved))) * 2 - 1
    return _from_samples(signs @ np.array(moved, dtype=np.int64), observed)


def _on_grid(before: Sequence[Scores], now: Sequence[Scores]) -> tuple[list[list[int]], list[list[int]]]:
    whole = _integers([*before, *now])
    return whole[: len(before)], whole[len(before) :]


def _integers(groups: Sequence[Scores]) -> list[list[int]]:
    """All scores times one number that makes them whole; a common denominator too large is cut to 2^-20."""
    common = 1
    for denominator in {score.denominator for scores in groups for score in scores}:
        common = lcm(common, denominator)
        if common > _GRID:
            common = _GRID
            break
    return [[round(score * common) for score in scores] for scores in groups]


def _span(pool: Sequence[int], size: int) -> int:
    return sum(pool[-size:]) - sum(pool[:size])


def _convolved(pools: Counter[tuple[tuple[int, ...], int]]) -> tuple[Floats, int]:
    """The distribution of the sum under shuffling, and the sum that its first cell stands for."""
    total: Floats = np.ones(1)
    start = 0
    for (pool, size), count in pools.items():
        one, low = _subset_sums(pool, size)
        for _ in range(count):
            total = np.convolve(total, one)
        start += low * count
    return total, start


def _subset_sums(pool: Sequence[int], size: int) -> tuple[Floats, int]:
    """How likely each sum of `size` of the pool's scores is, from the least sum on."""
    base = pool[0]
    ways: list[dict[int, int]] = [{0: 1}, *({} for _ in range(size))]
    for score in pool:
        for chosen in range(size, 0, -1):
            for total, count in ways[chosen - 1].items():
                grown = total + score - base
                ways[chosen][grown] = ways[chosen].get(grown, 0) + count
    sums = ways[size]
    low, every = min(sums), sum(sums.values())
    row: Floats = np.zeros(max(sums) - low + 1)
    for total, count in sums.items():
        row[total - low] = count / every
    return row, low + base * size


def _tails(row: Floats, start: int, observed: int) -> Test:
    at = observed - start
    greater = float(min(1.0, row[at:].sum()))
    less = float(min(1.0, row[: at + 1].sum()))
    return Test(greater, less, max(0.0, greater - float(row[at]) / 2), "exact")


def _sampled_within(pools: Counter[tuple[tuple[int, ...], int]], observed: int, seed: int) -> Test:
    rng = np.random.default_rng(seed)
    sums: Integers = np.zeros(SAMPLES, dtype=np.int64)
    for (pool, size), count in pools.items():
        row = np.array(pool, dtype=np.int64)
        for _ in range(count):
            shuffled = rng.permuted(np.broadcast_to(row, (SAMPLES, len(row))), axis=1)
            sums += shuffled[:, :size].sum(axis=1)
    return _from_samples(sums, observed)


def _from_samples(sums: Integers, observed: int) -> Test:
    """(1 + hits) / (1 + samples): never 0, and valid at any number of samples (Phipson & Smyth 2010)."""
    every = len(sums) + 1
    greater = (1 + int((sums >= observed).sum())) / every
    less = (1 + int((sums <= observed).sum())) / every
    tied = int((sums == observed).sum()) / every
    return Test(greater, less, max(0.0, greater - tied / 2), "sampled")


def _normal_within(pools: Counter[tuple[tuple[int, ...], int]], observed: int) -> Test:
    mean, variance, step = 0.0, 0.0, 0
    for (pool, size), count in pools.items():
        runs, middle = len(pool), sum(pool) / len(pool)
        mean += count * size * middle
        squares = sum((score - middle) ** 2 for score in pool)
        variance += count * size * (runs - size) / (runs * (runs - 1)) * squares
        step = min(filter(None, (step, *(b - a for a, b in pairwise(pool) if b > a))), default=0)
    return _by_z(observed - mean, sqrt(variance), step)


def _by_z(distance: float, deviation: float, step: float) -> Test:
    """Tails of the normal limit, half a step of the statistic's grid added for continuity."""
    if deviation <= 0:
        return Test(1.0, 1.0, 0.5, "normal")
    normal, half = NormalDist(), step / 2
    greater, less = (1 - normal.cdf((side * distance - half) / deviation) for side in (1, -1))
    return Test(greater, less, 1 - normal.cdf(distance / deviation), "normal")
