"""pass@k and pass^k: does at least one of k trials pass, do all k pass. Unbiased for k up to the runs."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb


def pass_at_k(runs: int, passed: int, k: int) -> float:
    """Probability that at least one of k trials passes (Chen et al. 2021). `ValueError` for k over `runs`."""
    _check(runs, passed, k)
    return 1 - comb(runs - passed, k) / comb(runs, k)


def pass_hat_k(runs: int, passed: int, k: int) -> float:
    """Probability that all of k trials pass (Yao et al. 2024). `ValueError` for k over the runs."""
    _check(runs, passed, k)
    return comb(passed, k) / comb(runs, k)


def mean_pass_hat_k(cases: Sequence[tuple[int, int]], k: int) -> float:
    """Mean of pass^k over cases given as (runs, passed): not the power of a mean."""
    return sum(pass_hat_k(runs, passed, k) for runs, passed in cases) / len(cases)


def mean_pass_at_k(cases: Sequence[tuple[int, int]], k: int) -> float:
    """Mean of pass@k over cases given as (runs, passed)."""
    return sum(pass_at_k(runs, passed, k) for runs, passed in cases) / len(cases)


def _check(runs: int, passed: int, k: int) -> None:
    if not 1 <= k <= runs or not 0 <= passed <= runs:
        raise ValueError(f"pass@{k} of {passed} passes in {runs} runs: k must be 1 to {runs}")
