"""pass@k and pass^k are unbiased and bounded by each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.verdict.passk import pass_at_k, pass_hat_k

COUNTS = st.integers(1, 15).flatmap(
    lambda runs: st.tuples(st.just(runs), st.integers(0, runs), st.integers(1, runs))
)


@given(COUNTS)
def test_all_pass_is_no_likelier_than_one_of_them(counts: tuple[int, int, int]) -> None:
    runs, passed, k = counts
    assert 0 <= pass_hat_k(*counts) <= passed / runs + 1e-12
    assert passed / runs - 1e-12 <= pass_at_k(*counts) <= 1
    assert pass_at_k(*counts) == pytest.approx(1 - pass_hat_k(runs, runs - passed, k))


@pytest.mark.parametrize("counts", [(3, 2, 4), (3, 4, 1), (3, 2, 0)])
def test_more_than_the_runs_is_refused(counts: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="k must be 1 to 3"):
        pass_at_k(*counts)
