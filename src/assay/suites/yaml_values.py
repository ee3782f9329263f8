"""What a YAML 1.2 scalar that is neither quoted nor tagged stands for, as JavaScript holds it."""

from __future__ import annotations

import re
from decimal import Decimal
from math import inf, nan

from assay.model import JSON

_WORDS: dict[str, JSON] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{f"{sign}{word}": inf for sign in ("", "+") for word in (".inf", ".Inf", ".INF")},
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), nan),
}
_NUMBER_STARTS = frozenset("+-.0123456789")
_NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?:0o(?P<octal>[0-7]+)|0x(?P<hex>[0-9a-fA-F]+)"
    r"|(?P<decimal>(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?))",
    re.ASCII,
)


def plain_value(text: str) -> JSON:
    """What a scalar that is neither quoted nor tagged stands for."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    if match["octal"]:
        size = as_double(int(match["octal"], 8))
    elif match["hex"]:
        size = as_double(int(match["hex"], 16))
    else:
        size = as_double(float(match["decimal"]))
    return -size if match["sign"] == "-" else size


def as_double(number: float) -> float:
    """A number as JavaScript keeps it, whole where it is whole: `5.0` is 5, 2^53 + 1 is 2^53."""
    if isinstance(number, int) and abs(number) <= 2**53:
        return number
    try:
        double = float(number)
    except OverflowError:
        return inf
    if not double.is_integer() or abs(double) >= 1e21:
        return double
    return int(Decimal(repr(double)))
