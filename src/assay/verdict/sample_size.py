"""How many cases a planned evaluation needs, by the textbook formulas."""

from __future__ import annotations

from assay.verdict.student import normal_quantile


def cases_to_see(
    size: float, *, between: float, within: float, runs: int, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Independent cases to see a difference of means of this size, two-sided (Miller 2024, section 5).

    `between` is the variance of the cases' true differences, `within` the sum of both arms' variances of one
    trial, `runs` the trials a case and arm.
    """
    z = normal_quantile(1 - alpha / 2) + normal_quantile(power)
    return z**2 * (between + within / runs) / size**2


def paired_t_power(effect: float, cases: float, alpha: float = 0.05) -> float:
    """Power of a one-sided paired t test; `effect` is the mean difference over its standard deviation."""
    from scipy.special import nctdtr, stdtrit

    freedom = cases - 1
    return float(1 - nctdtr(freedom, effect * cases**0.5, stdtrit(freedom, 1 - alpha)))


def paired_t_cases(effect: float, power: float = 0.8, alpha: float = 0.05) -> float:
    """Cases that give a one-sided paired t test this power, unrounded; `effect` above 0."""
    low, high = 2.0, 4.0
    while paired_t_power(effect, high, alpha) < power:
        low, high = high, high * 2
    for _ in range(60):
        middle = (low + high) / 2
        enough = paired_t_power(effect, middle, alpha) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high
