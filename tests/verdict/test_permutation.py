"""The shuffling tests: right at any size, the same by all three ways, blind to labels."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.verdict import permutation
from assay.verdict.permutation import sign_flip, within_cases

QUARTERS = st.integers(0, 4).map(lambda part: Fraction(part, 4))
ARM = st.lists(QUARTERS, min_size=1, max_size=3)
SUITE = st.lists(st.tuples(ARM, ARM), min_size=1, max_size=4)
Suite = list[tuple[list[Fraction], list[Fraction]]]


def sides(suite: Suite) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
    return [old for old, _ in suite], [new for _, new in suite]


def passes(counts: list[int], runs: int) -> list[list[Fraction]]:
    return [[Fraction(1)] * count + [Fraction(0)] * (runs - count) for count in counts]


def by_brute_force(suite: Suite) -> float:
    totals = {Fraction(0): 1.0}
    for old, new in suite:
        picks = [sum(pick, Fraction(0)) for pick in combinations([*old, *new], len(new))]
        grown: dict[Fraction, float] = {}
        for total, share in totals.items():
            for pick in picks:
                grown[total + pick] = grown.get(total + pick, 0.0) + share / len(picks)
        totals = grown
    observed = sum((sum(new, Fraction(0)) for _, new in suite), Fraction(0))
    return sum(share for total, share in totals.items() if total >= observed)


@settings(max_examples=60, deadline=None)
@given(SUITE)
def test_the_exact_test_counts_every_shuffle(suite: Suite) -> None:
    assert within_cases(*sides(suite)).greater == pytest.approx(by_brute_force(suite))


@given(SUITE)
def test_swapping_the_arms_swaps_the_tails(suite: Suite) -> None:
    before, now = sides(suite)
    one, other = within_cases(before, now), within_cases(now, before)
    assert one.greater == pytest.approx(other.less)
    assert one.greater + one.less >= 1 - 1e-9


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=4), st.integers(0, 3))
def test_one_more_pass_never_weakens_the_evidence(counts: list[tuple[int, int]], which: int) -> None:
    before, now = passes([old for old, _ in counts], 3), [new for _, new in counts]
    better = [min(3, new + (index == which)) for index, new in enumerate(now)]
    one, other = (within_cases(before, passes(arm, 3)).greater for arm in (now, better))
    assert other <= one + 1e-9


def test_ties_are_ties_however_they_were_written() -> None:
    tenths = [[Fraction("0.1") + Fraction("0.2")]]
    assert within_cases(tenths, [[Fraction("0.3")]]).greater == 1.0


def test_a_case_without_one_arm_says_nothing() -> None:
    assert within_cases([[], [Fraction(0)]], [[Fraction(1)], [Fraction(1)]]).greater == 0.5
    assert within_cases([[]], [[Fraction(1)]]).greater == 1.0


@pytest.mark.parametrize(
    ("before", "before_runs", "now", "now_runs", "greater", "less"),
    [
        ([3, 1, 2, 0, 3], 3, [3, 3, 3, 2, 3], 3, 0.02, 1),
        ([3, 2, 1, 0, 3], 3, [3, 2, 1, 0, 3], 3, 0.72, 0.72),
        ([5, 5, 4, 5, 3], 5, [4, 2, 4, 5, 0], 5, 0.999228, 0.011188),
        ([1, 3], 3, [3, 3], 3, 0.2, 1),
        ([3, 3], 3, [0, 0], 3, 1, 0.0025),
        ([10, 9, 4, 0, 8], 10, [3, 3, 3, 1, 3], 3, 0.012533, 1),
    ],
)
def test_reference_values(
    before: list[int], before_runs: int, now: list[int], now_runs: int, greater: float, less: float
) -> None:
    test = within_cases(passes(before, before_runs), passes(now, now_runs))
    assert (test.greater, test.less) == (pytest.approx(greater, abs=6e-7), pytest.approx(less, abs=6e-7))


@pytest.mark.parametrize("limit", ["EXACT_CELLS", "EXACT_TRIALS"])
def test_sampling_and_the_normal_limit_agree_with_counting(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(7)
    before = passes(rng.integers(0, 4, 40).tolist(), 3)
    now = passes(np.minimum(3, rng.integers(0, 5, 40)).tolist(), 3)
    counted = within_cases(before, now)
    monkeypatch.setattr(permutation, limit, 0)
    other = within_cases(before, now)
    assert {counted.method, other.method} in ({"exact", "sampled"}, {"exact", "normal"})
    assert other.greater == pytest.approx(counted.greater, abs=0.015)
    assert other.less == pytest.approx(counted.less, abs=0.015)


def test_the_same_seed_gives_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permutation, "EXACT_CELLS", 0)
    suite = passes([1, 2], 3), passes([3, 2], 3)
    assert within_cases(*suite, seed=5) == within_cases(*suite, seed=5)
    gaps = [Fraction(1, 3), Fraction(1, 7), Fraction(-1, 5)]
    assert sign_flip(gaps, seed=5) == sign_flip(gaps, seed=5)


def test_four_cases_have_no_power_over_cases() -> None:
    assert sign_flip([Fraction(1)] * 4).greater == 1 / 16 > 0.05
    assert sign_flip([Fraction(0)] * 4).greater == 1.0


def test_shuffled_labels_give_p_at_least_uniform() -> None:
    rng = np.random.default_rng(3)
    p_values = []
    for _ in range(1_000):
        rates = rng.beta(0.5, 0.4, 8)
        before, now = (passes(rng.binomial(3, rates).tolist(), 3) for _ in range(2))
        p_values.append(within_cases(before, now).greater)
    for alpha in (0.01, 0.05, 0.1, 0.3):
        rate = sum(p <= alpha for p in p_values) / len(p_values)
        assert rate <= alpha + 3 * (alpha * (1 - alpha) / len(p_values)) ** 0.5
