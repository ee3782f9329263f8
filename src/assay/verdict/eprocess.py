"""E-values on discordant pairs: evidence that may be looked at after every pair (anytime-valid).

A pair is one trial of the candidate beside one of the incumbent on the same case: a win where only the
candidate passed, a loss where only the incumbent did. If nothing changed the e-value is at most 1 on average,
whenever one stops, so it reaches 1/alpha with probability alpha at most (Ville).
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial


def mixture_e_value(wins: int, losses: int) -> Fraction:
    """Evidence that wins are likelier than losses: the bets on win rates in (1/2, 1), mixed uniformly.

    2^(n+1) B(w+1, l+1) P(Beta(w+1, l+1) > 1/2) with n = w + l, here as an exact rational.
    """
    pairs = wins + losses
    below = sum(comb(pairs + 1, hits) for hits in range(wins + 1))
    return Fraction(factorial(wins) * factorial(losses) * below, factorial(pairs + 1))


def fixed_e_value(wins: int, losses: int, bet: Fraction = Fraction(1, 2)) -> Fraction:
    """The same for one bet, a share of the stake on the next pair being a win."""
    return (1 + bet) ** wins * (1 - bet) ** losses


def e_values(wins: int, losses: int) -> tuple[float, float]:
    """(for an improvement, for a regression)."""
    return float(mixture_e_value(wins, losses)), float(mixture_e_value(losses, wins))
