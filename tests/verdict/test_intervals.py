"""Intervals cover what they promise, and the closed forms agree with the numeric library."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.verdict.intervals import clopper_pearson, se_fixed_cases, t_interval, tango, wilson
from assay.verdict.student import t_quantile


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 7, 9, 19, 99, 999])
@pytest.mark.parametrize("share", [0.025, 0.5, 0.6, 0.9, 0.95, 0.975, 0.995])
def test_the_closed_form_of_students_quantile_agrees(share: float, freedom: int) -> None:
    assert t_quantile(share, freedom) == pytest.approx(stats.t.ppf(share, freedom), rel=2e-5, abs=1e-9)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5, 0.8, 0.95])
def test_wilson_covers_on_average_over_sizes(share: float) -> None:
    coverage = []
    for runs in range(10, 60, 7):
        hit = [low <= share <= high for low, high in (wilson(passed, runs) for passed in range(runs + 1))]
        coverage.append(sum(stats.binom.pmf(range(runs + 1), runs, share)[hit]))
    assert sum(coverage) / len(coverage) >= 0.93


@pytest.mark.parametrize(("runs", "share"), list(product([3, 10, 25], [0.02, 0.3, 0.9])))
def test_clopper_pearson_never_covers_less_than_it_says(runs: int, share: float) -> None:
    hit = [
        low <= share <= high for low, high in (clopper_pearson(passed, runs) for passed in range(runs + 1))
    ]
    assert sum(stats.binom.pmf(range(runs + 1), runs, share)[hit]) >= 0.95


@given(st.integers(0, 40), st.integers(0, 40))
def test_wilson_is_a_mirror_and_holds_the_share(passed: int, failed: int) -> None:
    runs = passed + failed
    low, high = wilson(passed, runs)
    assert 0 <= low <= high <= 1
    assert wilson(failed, runs) == (pytest.approx(1 - high), pytest.approx(1 - low))
    if runs:
        assert low <= passed / runs <= high


def test_no_runs_say_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert t_interval([0.5]) is None


def test_cases_that_always_score_alike_leave_no_noise_of_trials() -> None:
    assert se_fixed_cases([[1.0, 1.0], [0.0, 0.0]]) == 0


@given(st.integers(0, 10), st.integers(0, 10), st.integers(0, 20))
def test_the_paired_score_interval_swaps_with_its_sides(gained: int, lost: int, same: int) -> None:
    pairs = gained + lost + same + 1
    low, high = tango(gained, lost, pairs)
    other_low, other_high = tango(lost, gained, pairs)
    assert (low, high) == (pytest.approx(-other_high), pytest.approx(-other_low))
    assert -1 <= low <= (gained - lost) / pairs <= high <= 1
