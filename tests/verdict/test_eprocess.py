"""Evidence that may be looked at after every pair: at most 1 on average, and rarely large for nothing."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.verdict.betting import capital, evidence_of_gain
from assay.verdict.eprocess import e_values, mixture_e_value

SMALL = st.integers(0, 30)


@pytest.mark.parametrize("pairs", [1, 2, 5, 12, 30])
def test_the_mean_is_one_if_wins_are_a_coin(pairs: int) -> None:
    mean = sum(comb(pairs, wins) * mixture_e_value(wins, pairs - wins) for wins in range(pairs + 1))
    assert mean / 2**pairs == Fraction(1)


def test_seven_wins_in_a_row_settle_it_and_six_do_not() -> None:
    assert mixture_e_value(6, 0) < 20 <= mixture_e_value(7, 0)


@given(SMALL, SMALL)
def test_a_win_speaks_for_the_gain_and_against_the_loss(wins: int, losses: int) -> None:
    gain, loss = e_values(wins, losses)
    more_gain, less_loss = e_values(wins + 1, losses)
    assert more_gain > gain
    assert less_loss < loss
    assert (loss, gain) == e_values(losses, wins)


def test_looking_after_every_pair_keeps_the_error() -> None:
    rng = np.random.default_rng(4)
    crossed = 0
    for _ in range(2_000):
        wins = np.cumsum(rng.integers(0, 2, 60))
        crossed += any(e_values(int(won), turn - int(won))[0] >= 20 for turn, won in enumerate(wins, 1))
    assert crossed / 2_000 <= 0.05 + 3 * (0.05 * 0.95 / 2_000) ** 0.5


def test_bets_on_fractional_scores_keep_the_error() -> None:
    rng = np.random.default_rng(5)
    crossed = 0
    for _ in range(500):
        scores = rng.beta(0.6, 0.6, 60)
        crossed += max(capital(scores.tolist(), 0.5, upward=1.0)) >= 20
    assert crossed / 500 <= 0.05 + 3 * (0.05 * 0.95 / 500) ** 0.5


def test_no_pairs_are_no_evidence() -> None:
    assert e_values(0, 0) == (1.0, 1.0)
    assert evidence_of_gain([]) == 1.0
