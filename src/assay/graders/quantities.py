"""Numbers and units as a reader takes them: 3.50 is 3.5, 1,200 is 1200, and 1 km is 1000 m.

A comma groups thousands; the decimal mark is a point. Values are exact rationals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

_SCALES: dict[str, dict[str, str]] = {
    "length": {"mm": "1/1000", "cm": "1/100", "m": "1", "km": "1000", "in": "254/10000", "ft": "3048/10000"},
    "mass": {"mg": "1/1000000", "g": "1/1000", "kg": "1", "t": "1000", "lb": "45359237/100000000"},
    "time": {"ms": "1/1000", "s": "1", "min": "60", "h": "3600", "d": "86400"},
    "bytes": {"B": "1", "kB": "1000", "KB": "1000", "MB": "1000000", "GB": "1000000000"}
    | {"TB": "1000000000000", "KiB": "1024", "MiB": "1048576", "GiB": "1073741824"},
    "share": {"%": "1"},
    "USD": {"$": "1", "USD": "1"},
    "EUR": {"€": "1", "EUR": "1"},
    "GBP": {"£": "1", "GBP": "1"},
}
_WORDS = {
    "millimeter": "mm", "centimeter": "cm", "meter": "m", "metre": "m", "kilometer": "km", "kilometre": "km",
    "inch": "in", "foot": "ft", "feet": "ft", "gram": "g", "kilogram": "kg", "tonne": "t", "pound": "lb",
    "millisecond": "ms", "second": "s", "sec": "s", "minute": "min", "hour": "h", "day": "d",
    "byte": "B", "percent": "%", "dollar": "$", "euro": "€",
}  # fmt: skip
_UNITS = {unit: (scale, Fraction(f)) for scale, units in _SCALES.items() for unit, f in units.items()}

_NUMBER = (
    r"(?<![\w.,])(?<![A-Za-z]-)[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)"
    r"(?:\.\d+)?(?:[eE][-+]?\d{1,3})?(?!\d|[.,]\d)"
)
_FOUND = re.compile(
    rf"(?P<before>(?:[$€£]|\b(?:USD|EUR|GBP))\s?)?(?P<number>{_NUMBER})(?:\s?(?P<unit>[%$€£]|[A-Za-zµ]+))?"
)
_SIGNED_MONEY = re.compile(r"([$€£])([-+−])")
_ASKED = re.compile(
    r"^(?:(?P<between>between\s+|from\s+)?)"
    r"(?P<low>[$€£]?\s?[-+−]?[\d,]*\.?\d+(?:[eE][-+]?\d{1,3})?)\s*(?P<low_unit>[%$€£]|[A-Za-zµ]+(?<!and)(?<!to))?"
    r"(?:\s*(?:and|to|\.\.|–)\s*(?P<high>[$€£]?\s?[-+−]?[\d,]*\.?\d+(?:[eE][-+]?\d{1,3})?)"
    r"\s*(?P<high_unit>[%$€£]|[A-Za-zµ]+)?)?"
    r"(?:\s*(?:±|\+/-|\+-)\s*(?P<spread>[\d,]*\.?\d+)\s*(?P<spread_unit>[%$€£]|[A-Za-zµ]+)?)?$"
)

_HUGE = 10**300
_LONGEST = 400
"""Digits of the longest number that is read as one."""


class NotAQuantity(ValueError):
    """Text that is not a number with an optional unit and tolerance."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit as written; `unit` is None where there is none."""

    value: Fraction
    unit: str | None

    def __str__(self) -> str:
        number = f"{float(self.value):g}" if abs(self.value) < _HUGE else "a huge number"
        return f"{number} {self.unit}" if self.unit else number

    def compare_in(self, unit: str | None) -> Fraction | None:
        """The value in another unit; None where the two are not of one kind. No unit asks for none."""
        if unit is None:
            return self.value
        if self.unit is None:
            return None
        ours, wanted = _UNITS.get(self.unit), _UNITS.get(unit)
        if ours is None or wanted is None:
            return self.value if self.unit == unit else None
        return self.value * ours[1] / wanted[1] if ours[0] == wanted[0] else None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A range of values in one unit, both ends included."""

    low: Fraction
    high: Fraction
    unit: str | None

    def holds(self, quantity: Quantity) -> bool:
        value = quantity.compare_in(self.unit)
        return value is not None and self.low <= value <= self.high


def read_wanted(text: str) -> Wanted:
    """Read `12.5 kg`, `3 ± 0.1 %`, `between 3 and 5 km`. Raises `NotAQuantity`."""
    match = _ASKED.match(text.strip()) if len(text) <= _LONGEST else None
    if match is None or (match["between"] and not match["high"]) or (match["high"] and match["spread"]):
        raise NotAQuantity(f"{text!r} is not a quantity such as `12.5 kg`, `3 ± 0.1` or `between 3 and 5 km`")
    unit = _unit(match["high_unit"] or match["low_unit"] or _sign(match["low"]))
    low = _value(match["low"])
    if match["high"]:
        high = _value(match["high"])
        low = _converted(low, match["low_unit"], unit, text)
        return Wanted(min(low, high), max(low, high), unit)
    spread = _spread(match["spread"], _unit(match["spread_unit"]), low, unit, text)
    return Wanted(low - spread, low + spread, unit)


def quantities(text: str) -> Iterator[Quantity]:
    """Every number of a text in order, with the unit or the word that follows it."""
    for match in _FOUND.finditer(_SIGNED_MONEY.sub(r"\2\1", text)):
        if len(match["number"]) > _LONGEST:
            continue
        unit = match["before"].strip() if match["before"] else match["unit"]
        yield Quantity(_value(match["number"]), _unit(unit))


def _spread(spread: str | None, unit: str | None, value: Fraction, of: str | None, text: str) -> Fraction:
    if spread is None:
        return Fraction(0)
    if unit == "%" and of != "%":
        return abs(value) * _value(spread) / 100
    return _converted(_value(spread), unit, of, text)


def _converted(value: Fraction, unit: str | None, to: str | None, text: str) -> Fraction:
    if unit is None:
        return value
    converted = Quantity(value, _unit(unit)).compare_in(to)
    if converted is None:
        raise NotAQuantity(f"{text!r}: {unit} and {to} are not of one kind")
    return converted


def _unit(text: str | None) -> str | None:
    if text is None or text in _UNITS:
        return text
    word = text.casefold()
    singular = word.removesuffix("s")
    return _WORDS.get(word) or _WORDS.get(singular) or singular


def _sign(number: str) -> str | None:
    return number[0] if number[0] in "$€£" else None


def _value(text: str) -> Fraction:
    try:
        return Fraction(text.strip("$€£ ").replace(",", "").replace("−", "-"))
    except ValueError:
        raise NotAQuantity(f"{text!r} is not a number") from None
