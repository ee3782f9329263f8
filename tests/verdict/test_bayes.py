"""The odds of an improvement: the reference values, symmetry, and no lift out of nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.verdict import bayes
from assay.verdict.bayes import change_odds, probability_above

COUNT = st.integers(0, 3).map(lambda passed: (float(passed), 3))
SUITE = st.lists(st.tuples(COUNT, COUNT), min_size=1, max_size=8)
Suite = list[tuple[tuple[float, int], tuple[float, int]]]


def counts(passed: list[int], runs: int) -> list[tuple[float, int]]:
    return [(float(count), runs) for count in passed]


@pytest.mark.parametrize(
    ("before", "before_runs", "now", "now_runs", "improved"),
    [
        ([3, 1, 2, 0, 3], 3, [3, 3, 3, 2, 3], 3, 0.963173),
        ([3, 2, 1, 0, 3], 3, [3, 2, 1, 0, 3], 3, 0.5),
        ([5, 5, 4, 5, 3], 5, [4, 2, 4, 5, 0], 5, 0.016402),
        ([1, 3], 3, [3, 3], 3, 0.803318),
        ([3, 3], 3, [0, 0], 3, 0.009274),
        ([10, 9, 4, 0, 8], 10, [3, 3, 3, 1, 3], 3, 0.960117),
    ],
)
def test_reference_values(
    before: list[int], before_runs: int, now: list[int], now_runs: int, improved: float
) -> None:
    odds = change_odds(counts(before, before_runs), counts(now, now_runs))
    assert odds.improved == pytest.approx(improved, abs=6e-7)


@settings(max_examples=40, deadline=None)
@given(SUITE)
def test_swapping_the_arms_swaps_the_odds(suite: Suite) -> None:
    before, now = [old for old, _ in suite], [new for _, new in suite]
    one, other = change_odds(before, now), change_odds(now, before)
    assert one.improved == pytest.approx(1 - other.improved, abs=1e-6)
    assert 0 <= one.negligible <= 1
    assert one.improved + one.regressed == pytest.approx(1)


def test_a_saturated_suite_is_not_called_improved_for_nothing() -> None:
    rng = np.random.default_rng(1)
    called = 0
    for _ in range(200):
        rates = rng.beta(9, 0.6, 100)
        before, now = (counts(rng.binomial(3, rates).tolist(), 3) for _ in range(2))
        called += change_odds(before, now).improved >= 0.95
    assert called / 200 <= 0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5


def test_the_normal_limit_agrees_with_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    rates = rng.beta(2, 2, 400)
    before = counts(rng.binomial(5, rates).tolist(), 5)
    now = counts(rng.binomial(5, np.minimum(1, rates + 0.01)).tolist(), 5)
    grid = change_odds(before, now)
    monkeypatch.setattr(bayes, "PATTERNS", 0)
    limit = change_odds(before, now)
    assert limit.improved == pytest.approx(grid.improved, abs=0.03)
    assert limit.negligible == pytest.approx(grid.negligible, abs=0.03)


@given(COUNT, COUNT)
def test_one_share_or_the_other_is_higher(one: tuple[float, int], other: tuple[float, int]) -> None:
    assert probability_above(one, other) + probability_above(other, one) == pytest.approx(1)


def test_fractional_scores_lie_between_their_neighbours() -> None:
    low, middle, high = (probability_above((1.0, 3), (share, 3)) for share in (2.0, 2.5, 3.0))
    assert low < middle < high
    assert probability_above((1.0001, 3), (2.0, 3)) == pytest.approx(
        probability_above((1, 3), (2, 3)), abs=1e-3
    )
