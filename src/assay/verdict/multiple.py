"""Exact tests of one case, and corrections for testing many. Plain integers, no numeric library."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb


def fisher_drop(before: int, before_runs: int, now: int, now_runs: int) -> float:
    """One-sided Fisher: how likely at most `now` passes of `now_runs` are, if nothing changed."""
    passed, runs = before + now, before_runs + now_runs
    least = max(0, passed - before_runs)
    ways = sum(comb(now_runs, hits) * comb(before_runs, passed - hits) for hits in range(least, now + 1))
    return ways / comb(runs, passed)


def fisher_two_sided(one: int, one_runs: int, other: int, other_runs: int) -> float:
    """Two-sided Fisher: the total probability of all tables that are no likelier than this one."""
    passed = one + other
    ways = [
        comb(one_runs, hits) * comb(other_runs, passed - hits)
        for hits in range(max(0, passed - other_runs), min(one_runs, passed) + 1)
    ]
    own = comb(one_runs, one) * comb(other_runs, other)
    return sum(way for way in ways if way <= own) / comb(one_runs + other_runs, passed)


def mcnemar(lost: int, gained: int) -> tuple[float, float]:
    """Exact McNemar on discordant pairs: (two-sided, one-sided p of the larger side)."""
    pairs, fewer = lost + gained, min(lost, gained)
    if not pairs:
        return 1.0, 1.0
    tail = sum(comb(pairs, hits) for hits in range(fewer + 1)) / 2**pairs
    return min(1.0, 2 * tail), tail


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values that bound the chance of any false alarm (Holm 1979), in the order given."""
    size, order = len(p_values), _order(p_values)
    adjusted, worst = [0.0] * size, 0.0
    for rank, index in enumerate(order):
        worst = max(worst, min(1.0, (size - rank) * p_values[index]))
        adjusted[index] = worst
    return adjusted


def benjamini_hochberg(p_values: Sequence[float], dependent: bool = False) -> list[float]:
    """Adjusted p-values that bound the share of false alarms (Benjamini & Hochberg 1995).

    `dependent` holds under any dependence of the tests (Benjamini & Yekutieli 2001).
    """
    size, order = len(p_values), _order(p_values)
    factor = sum(1 / rank for rank in range(1, size + 1)) if dependent else 1.0
    adjusted, best = [0.0] * size, 1.0
    for rank in range(size, 0, -1):
        index = order[rank - 1]
        best = min(best, factor * size / rank * p_values[index])
        adjusted[index] = best
    return adjusted


def _order(p_values: Sequence[float]) -> list[int]:
    return sorted(range(len(p_values)), key=lambda index: p_values[index])
