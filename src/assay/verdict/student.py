"""Student's quantile by closed forms, so that an interval beside a score needs no numeric library."""

from __future__ import annotations

from math import expm1, pi, sqrt, tan
from statistics import NormalDist


def normal_quantile(share: float) -> float:
    """The point that a standard normal stays below with this probability, 0 < share < 1."""
    return NormalDist().inv_cdf(share)


def t_quantile(share: float, freedom: int) -> float:
    """Student's quantile: exact for one and two degrees, else to 1e-5 of itself (Hill 1970, algorithm 396).

    `share` in (0, 1), `freedom` at least 1.
    """
    if share < 0.5:
        return -t_quantile(1 - share, freedom)
    both = 2 * (1 - share)
    if both >= 1:
        return 0.0
    if freedom == 1:
        return 1 / tan(both * pi / 2)
    if freedom == 2:
        return sqrt(2 / (both * (2 - both)) - 2)
    return _hill(both, float(freedom))


def _hill(both: float, n: float) -> float:
    """The algorithm's own names: `both` is the two-tailed probability, `n` the degrees of freedom."""
    a = 1 / (n - 0.5)
    b = 48 / (a * a)
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * pi / 2) * n
    y = (d * both) ** (2 / n)
    if y <= 0.05 + a:
        near = (1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1
        return sqrt(n * (near * (n + 1) / (n + 2) + 1 / y))
    x = normal_quantile(both / 2)
    if n < 5:
        c += 0.3 * (n - 4.5) * (x + 0.6)
    c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c
    y = x * x
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
    return sqrt(n * expm1(a * y * y))
