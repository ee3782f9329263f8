"""Evidence by betting on a mean, for fractional scores (Waudby-Smith & Ramdas 2024, "Estimating means").

A gambler bets on each value being above (or below) a supposed mean, with stakes that look at the past only.
If the mean is as supposed the capital is at most 1 on average, whenever one stops: it is an e-value.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt

from assay.verdict.intervals import Interval

TRUNCATION = 0.5
"""Of the largest stake that cannot lose everything."""


def stakes(values: Sequence[float], alpha: float) -> list[float]:
    """The bet before each value, from the variance of those before it (their equation 26)."""
    total, squares, variance, bets = 0.5, 0.25, 0.25, []
    for turn, value in enumerate(values, start=1):
        bets.append(sqrt(2 * log(1 / alpha) / (turn * log(turn + 1) * variance)))
        total += value
        squares += (value - total / (turn + 1)) ** 2
        variance = squares / (turn + 1)
    return bets


def capital(values: Sequence[float], mean: float, alpha: float = 0.05, upward: float = 0.5) -> list[float]:
    """The gambler's capital after each value in 0 to 1: the larger of the two bets' shares.

    `upward` is the share that bets on a mean above `mean`, the rest bets on one below; 1 is one-sided.
    """
    side = alpha * max(upward, 1 - upward)
    up, down, course = upward, 1 - upward, []
    for value, bet in zip(values, stakes(values, side), strict=True):
        up *= 1 + min(bet, TRUNCATION / mean if mean else bet) * (value - mean)
        down *= 1 - min(bet, TRUNCATION / (1 - mean) if mean < 1 else bet) * (value - mean)
        course.append(max(up, down))
    return course


def evidence_of_gain(differences: Sequence[float], alpha: float = 0.05) -> float:
    """E-value that differences of scores, each within -1 to 1, are above 0 on average."""
    return (
        capital([(value + 1) / 2 for value in differences], 0.5, alpha, upward=1.0)[-1]
        if differences
        else 1.0
    )


def confidence_sequence(values: Sequence[float], alpha: float = 0.05, steps: int = 1000) -> list[Interval]:
    """After each value, the means in 0 to 1 that no capital so far has reached 1/alpha against."""
    grid = [step / steps for step in range(steps + 1)]
    alive = dict.fromkeys(range(len(grid)), True)
    courses = [capital(values, mean, alpha) for mean in grid]
    found = []
    for turn in range(len(values)):
        for index, course in enumerate(courses):
            alive[index] = alive[index] and course[turn] <= 1 / alpha
        left = [grid[index] for index in alive if alive[index]]
        found.append((max(0.0, left[0] - 1 / steps), min(1.0, left[-1] + 1 / steps)) if left else (0.0, 1.0))
    return found
