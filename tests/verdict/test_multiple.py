"""Exact tests of one case, and corrections for many."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.verdict.multiple import benjamini_hochberg, fisher_drop, fisher_two_sided, holm, mcnemar

SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@pytest.mark.parametrize(("before", "now"), list(product(range(5), range(4))))
def test_fisher_agrees_with_the_numeric_library(before: int, now: int) -> None:
    table = [[now, 3 - now], [before, 4 - before]]
    assert fisher_drop(before, 4, now, 3) == pytest.approx(stats.fisher_exact(table, "less").pvalue)
    assert fisher_two_sided(before, 4, now, 3) == pytest.approx(stats.fisher_exact(table).pvalue)


def test_three_against_three_can_never_fire_under_a_correction() -> None:
    assert fisher_drop(3, 3, 0, 3) == 0.05
    assert holm([fisher_drop(3, 3, 0, 3), 1.0])[0] > 0.05


@given(SHARES)
def test_corrections_keep_the_order_and_only_raise(p_values: list[float]) -> None:
    for adjusted in (holm(p_values), benjamini_hochberg(p_values)):
        assert all(p <= after <= 1 for p, after in zip(p_values, adjusted, strict=True))
        order = sorted(range(len(p_values)), key=lambda index: p_values[index])
        assert [adjusted[index] for index in order] == sorted(adjusted)


@given(SHARES)
def test_holm_is_the_stricter(p_values: list[float]) -> None:
    pairs = zip(holm(p_values), benjamini_hochberg(p_values), strict=True)
    assert all(strict >= loose - 1e-12 for strict, loose in pairs)


def test_nothing_discordant_is_no_evidence() -> None:
    assert mcnemar(0, 0) == (1.0, 1.0)
