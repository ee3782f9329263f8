"""`JSON.stringify` as the platform applies it to a tool's input before `input_match` reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from json.encoder import encode_basestring
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.model import JSON

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_EXACT = 2**53
_LAST_INDEX = 2**32 - 2


def stringify(value: JSON) -> str:
    """The text that JavaScript makes of a JSON value: compact, no ASCII escaping, `1.0` as `1`."""
    try:
        return _written(value)
    except RecursionError:
        # Nested deeper than our stack: the C encoder differs in the form of some numbers only.
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _written(value: JSON) -> str:
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_text(key)}:{_written(part)}" for key, part in _in_order(value)) + "}"
    return "[" + ",".join(map(_written, value)) + "]"


def number(value: float) -> str:
    """A number as JavaScript writes it: every number is a double, `1e+21` but `100000000000000000000`."""
    if isinstance(value, int) and -_EXACT <= value <= _EXACT:
        return str(value)
    try:
        value = float(value)
    except OverflowError:
        return "null"
    if not isfinite(value):
        return "null"
    if value == 0:
        return "0"
    return _shortest(value)


def _shortest(value: float) -> str:
    """The shortest digits that round-trip (Python's repr has the same), laid out as ECMA-262 does."""
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, part = mantissa.partition(".")
    part = "" if part == "0" else part
    digits = (whole + part).lstrip("0")
    point = int(exponent or 0) + len(whole) - (len(whole + part) - len(digits))
    digits = digits.rstrip("0")
    if 0 < point <= 21:
        return sign + (
            digits.ljust(point, "0") if len(digits) <= point else f"{digits[:point]}.{digits[point:]}"
        )
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{point - 1:+d}"


def _text(value: str) -> str:
    text = encode_basestring(value)
    return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _in_order(value: Mapping[str, JSON]) -> Iterable[tuple[str, JSON]]:
    """A JavaScript object lists keys that are array indices first, by size, then the others as received."""
    indices = [key for key in value if _is_index(key)]
    if not indices:
        return value.items()
    rest = [key for key in value if not _is_index(key)]
    return [(key, value[key]) for key in [*sorted(indices, key=int), *rest]]


def _is_index(key: str) -> bool:
    return key.isascii() and key.isdecimal() and (key == "0" or key[0] != "0") and int(key) <= _LAST_INDEX
