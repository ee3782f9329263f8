"""What a suite can see: the smallest change it would notice, and what its rules do when nothing changed.

A world is what the cases may truly be: many draws of each case's pass rate, from the recorded trials or from
a shape. Simulated trials of a draw are judged by the same exact test that the reports use, all draws at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import TypeAlias

from assay.verdict.arrays import NDArray, np
from assay.verdict.bayes import PRIOR, Counts
from assay.verdict.student import normal_quantile

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

DRAWS = 500
POWER = 0.8
ALPHA = 0.05
SIMULATED_CELLS = 75_000
"""Draws times cases up to which trials are simulated; larger suites take the normal formula."""
EXACT_CELLS = 125_000
"""Complex numbers that the exact test of all draws may take; beyond them the normal limit is used."""
REACH = 12.0
"""The largest change on the log-odds scale that is tried: it takes any case to 0 or 1."""

SHAPES = {"bimodal": (0.5, 0.4), "mature": (1.6, 0.4), "saturated": (9.0, 0.6)}
"""Beta shapes of cases' pass rates: tasks nobody tuned for, a suite in use, a suite nearly solved."""


@dataclass(frozen=True, slots=True)
class World:
    """Pass rates by (draw, case), and how many trials either side makes of each case."""

    rates: Floats
    before_runs: Integers
    now_runs: Integers

    @property
    def shape(self) -> tuple[int, int]:
        return self.rates.shape[0], self.rates.shape[1]


def world_of_shape(
    cases: int, before_runs: int, now_runs: int, *, shape: str = "bimodal", seed: int = 1, draws: int = DRAWS
) -> World:
    """A suite that has not run yet, its pass rates from one of `SHAPES`."""
    rates = np.random.default_rng(seed).beta(*SHAPES[shape], (draws, cases))
    return World(rates, np.full(cases, before_runs), np.full(cases, now_runs))


def world_of_trials(
    recorded: Sequence[Counts], before_runs: Sequence[int], now_runs: Sequence[int], seed: int = 1
) -> World:
    """A suite as its trials know it: draws from Beta(1/2 + passes, 1/2 + fails) of each case."""
    rng = np.random.default_rng(seed)
    draws = max(1, min(DRAWS, SIMULATED_CELLS // max(1, len(recorded))))
    passed = np.array([count for count, _ in recorded], dtype=np.float64)
    runs = np.array([size for _, size in recorded], dtype=np.float64)
    rates = rng.beta(PRIOR + passed, PRIOR + np.maximum(0.0, runs - passed), (draws, len(recorded)))
    return World(rates, np.array(before_runs), np.array(now_runs))


def simulate(world: World, change: float, seed: int = 2) -> tuple[Integers, Integers]:
    """Passes by (draw, case) before and now, the change being on the log-odds scale."""
    rng = np.random.default_rng(seed)
    before = rng.binomial(world.before_runs, world.rates)
    now = rng.binomial(world.now_runs, shifted(world.rates, change))
    return before, now


def shifted(rates: Floats, change: float) -> Floats:
    """Rates moved on the log-odds scale; 0 and 1 stay."""
    if change == 0:
        return rates
    inner = np.clip(rates, 1e-12, 1 - 1e-12)
    odds = inner / (1 - inner) * np.exp(change)
    moved: Floats = odds / (1 + odds)
    return moved


def p_greater(world: World, before: Integers, now: Integers) -> Floats:
    """The within-case exact p-value of an increase, one a draw."""
    sizes = sorted(set(zip(world.before_runs.tolist(), world.now_runs.tolist(), strict=True)))
    length = int(world.now_runs.sum()) + 1
    if len(before) * length > EXACT_CELLS:
        return _p_by_normal(world, before, now)
    waves = np.exp(-2j * np.pi * np.arange(length) / length)
    logs = np.zeros((len(before), length), dtype=np.complex128)
    for before_runs, now_runs in sizes:
        here = (world.before_runs == before_runs) & (world.now_runs == now_runs)
        totals = before[:, here] + now[:, here]
        shapes = np.stack([np.bincount(row, minlength=before_runs + now_runs + 1) for row in totals])
        logs += shapes @ _log_waves(before_runs, now_runs, waves)
    row = np.fft.ifft(np.exp(logs), axis=1).real
    tails = np.cumsum(row[:, ::-1], axis=1)[:, ::-1]
    p_values: Floats = np.clip(tails[np.arange(len(before)), now.sum(axis=1)], 0.0, 1.0)
    return p_values


def _log_waves(before_runs: int, now_runs: int, waves: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """By total of passes: the logarithm of the hypergeometric distribution's generating function."""
    from math import comb

    every = before_runs + now_runs
    rows = []
    for total in range(every + 1):
        row = np.zeros_like(waves)
        for hits in range(max(0, total - before_runs), min(total, now_runs) + 1):
            ways = comb(now_runs, hits) * comb(before_runs, total - hits) / comb(every, total)
            row += ways * waves**hits
        rows.append(np.log(np.where(np.abs(row) < 1e-14, 1e-14, row)))
    return np.stack(rows)


def _p_by_normal(world: World, before: Integers, now: Integers) -> Floats:
    every = world.before_runs + world.now_runs
    totals = before + now
    expected = (totals * world.now_runs / every).sum(axis=1)
    spread = world.before_runs * world.now_runs / (every**2 * np.maximum(1, every - 1))
    deviation = np.sqrt((spread * totals * (every - totals)).sum(axis=1))
    z = np.where(deviation > 0, (now.sum(axis=1) - expected - 0.5) / np.maximum(deviation, 1e-300), -9.0)
    return upper_tail(z)


def upper_tail(z: Floats) -> Floats:
    """The normal's upper tail, to 1e-7 (Abramowitz & Stegun 26.2.17)."""
    t = 1 / (1 + 0.2316419 * np.abs(z))
    poly = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = np.exp(-z * z / 2) / sqrt(2 * np.pi) * poly
    return np.where(z >= 0, tail, 1 - tail)


@dataclass(frozen=True, slots=True)
class Visible:
    """The smallest change of the mean score that is seen four times in five; None: not even the largest."""

    gain: float | None
    drop: float | None


def minimum_detectable(world: World, alpha: float = ALPHA, power: float = POWER) -> Visible:
    """By simulation where the suite is small enough, else 2.49 standard errors of the same cases rerun."""
    draws, cases = world.shape
    if draws * cases > SIMULATED_CELLS or draws < DRAWS // 2:
        size = (normal_quantile(1 - alpha) + normal_quantile(power)) * standard_error(world)
        room = float(world.rates.mean())
        return Visible(size if size <= 1 - room else None, size if size <= room else None)
    return Visible(*(_smallest(world, side, alpha, power) for side in (1.0, -1.0)))


def _smallest(world: World, side: float, alpha: float, power: float) -> float | None:
    def seen(change: float) -> float:
        return detection_rate(world, side * change, alpha)

    if seen(REACH) < power:
        return None
    low, high = 0.0, REACH
    for _ in range(9):
        middle = (low + high) / 2
        low, high = (low, middle) if seen(middle) >= power else (middle, high)
    return abs(mean_change(world, side * high))


def detection_rate(world: World, change: float, alpha: float = ALPHA) -> float:
    """How often the exact test sees a change of this size and sign on the log-odds scale."""
    before, now = simulate(world, change)
    if change < 0:
        before, now = world.before_runs - before, world.now_runs - now
    return float((p_greater(world, before, now) <= alpha * (1 + 1e-9)).mean())


def mean_change(world: World, change: float) -> float:
    """What a change on the log-odds scale does to the mean score."""
    return float((shifted(world.rates, change) - world.rates).mean())


def change_for(world: World, size: float) -> float:
    """The change on the log-odds scale that moves the mean score by `size`; ±`REACH` where none does."""
    side = 1.0 if size >= 0 else -1.0
    low, high = 0.0, REACH
    for _ in range(40):
        middle = (low + high) / 2
        reached = abs(mean_change(world, side * middle))
        low, high = (low, middle) if reached >= abs(size) else (middle, high)
    return side * high


def standard_error(world: World) -> float:
    """Of the difference of means if the same cases are run again: sqrt(sum p(1-p)(1/k0+1/k1)) / N."""
    runs = 1 / world.before_runs + 1 / world.now_runs
    return sqrt(float((_noise(world) * runs).sum())) / len(runs)


def _noise(world: World) -> Floats:
    """The expected variance of one trial, by case."""
    noise: Floats = (world.rates * (1 - world.rates)).mean(axis=0)
    return noise


def runs_to_see(world: World, size: float, alpha: float = ALPHA, power: float = POWER) -> int | None:
    """Trials a case and arm that would see a change of this size, by the normal formula; None over 1000."""
    noise = _noise(world)
    spread = sqrt(float(noise.sum()) * 2) / len(noise)
    if not size or not spread:
        return None
    runs = ((normal_quantile(1 - alpha) + normal_quantile(power)) * spread / abs(size)) ** 2
    return ceil(runs) if runs <= 1000 else None


@dataclass(frozen=True, slots=True)
class NoChange:
    """What the literal rules do at these cases and runs when nothing changed, as shares of all decisions."""

    strict_accepts: float
    """The mean is strictly higher than the incumbent's by luck alone."""
    any_drop_fails: float
    """Some case is below the incumbent's by luck alone."""


def under_no_change(world: World) -> NoChange:
    """The operating characteristics of `strict` and of "any drop fails", by simulation.

    On a suite too large to draw often, means tie so seldom that luck alone lifts half of them.
    """
    before, now = simulate(world, 0.0)
    ours, theirs = now * world.before_runs, before * world.now_runs
    weight = 1 / (world.before_runs * world.now_runs)
    higher = ((ours - theirs) * weight).sum(axis=1) > 1e-12
    is_large = world.shape[0] < DRAWS // 2
    return NoChange(
        strict_accepts=0.5 if is_large else float(higher.mean()),
        any_drop_fails=float((ours < theirs).any(axis=1).mean()),
    )


def power_curve(world: World, sizes: Sequence[float], rule: Callable[[World, float], float]) -> list[float]:
    """How often a rule notices changes of the mean score of these sizes."""
    return [rule(world, change_for(world, size)) for size in sizes]
