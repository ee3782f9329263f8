"""Numbers for people: an unknown one is a dash, never nothing and never 0."""

from __future__ import annotations

from fractions import Fraction

UNKNOWN = "–"


def score(value: float | Fraction | None) -> str:
    """`0.67`."""
    return UNKNOWN if value is None else f"{float(value):.2f}"


def signed(value: float | None) -> str:
    """`+0.25`, `-0.50`; `0.00` where it is nothing, more decimals where two would hide that it is not."""
    if value is None:
        return UNKNOWN
    if value == 0:
        return "0.00"
    for digits in (2, 3, 4, 6, 9):
        text = f"{value:+.{digits}f}"
        if float(text) != 0:
            break
    return text.replace("-", "−")


def money(value: float | None) -> str:
    """`$0.31`, four decimals below a cent, `$0` where it is known to be free."""
    if value is None:
        return UNKNOWN
    if value == 0:
        return "$0"
    return f"${value:.4f}" if abs(value) < 0.01 else f"${value:,.2f}"


def seconds(value: float | None) -> str:
    """`0.4 s`, `12 s`, `3 min 5 s`, `2 h 5 min`."""
    if value is None:
        return UNKNOWN
    if value < 10:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def count(value: float | None) -> str:
    """`12,345`."""
    return UNKNOWN if value is None else f"{value:,.0f}"


def plural(number: int, noun: str) -> str:
    """`1 trial`, `3 trials`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(value: float | None) -> str:
    """`67 %`."""
    return UNKNOWN if value is None else f"{value * 100:.0f} %"
