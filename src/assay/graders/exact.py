"""`exact`: the output is the expected value, as text or as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from assay.model import JSON, Grade

if TYPE_CHECKING:
    from assay.graders import Bench
    from assay.model import GraderSpec, Transcript

SHOWN = 60


class Exact:
    """Equal but for line ends and trailing white space; where both sides are JSON, equal as JSON."""

    def __init__(self, spec: GraderSpec, bench: Bench) -> None:
        self._spec = spec
        self._expected = str(spec.config["expected"])

    def grade(self, transcript: Transcript) -> Grade:
        passed = is_same(self._expected, transcript.output)
        explanation = "" if passed else first_difference(self._expected, transcript.output)
        return Grade(self._spec.name, self._spec.type, passed, self._spec.weight, explanation=explanation)


def is_same(expected: str, output: str) -> bool:
    """Whether two texts are the same value."""
    if normalised(expected) == normalised(output):
        return True
    wanted, found = as_json(expected), as_json(output)
    return wanted is not None and found is not None and same_json(wanted[0], found[0])


def normalised(text: str) -> str:
    """Line ends as LF, no white space at the end of a line or of the text."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).rstrip("\n")


def as_json(text: str) -> tuple[JSON] | None:
    """The JSON value of a text, in a tuple of one; None where it is none."""
    try:
        return (json.loads(text.strip().removeprefix("\ufeff"), parse_constant=_refuse),)
    except (ValueError, RecursionError):
        return None


def same_json(one: JSON, other: JSON) -> bool:
    """Equal as JSON: key order and the form of a number do not matter, `true` is not `1`."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return bool(one == other)


def first_difference(expected: str, output: str) -> str:
    """Where two texts part, in one line."""
    wanted, found = normalised(expected), normalised(output)
    if not found:
        return "the output is empty"
    at = next((n for n, (a, b) in enumerate(zip(wanted, found, strict=False)) if a != b), None)
    at = min(len(wanted), len(found)) if at is None else at
    line = wanted[:at].count("\n") + 1
    return f"line {line}: expected {_around(wanted, at)}, found {_around(found, at)}"


def _around(text: str, at: int) -> str:
    start = max(text.rfind("\n", 0, at) + 1, at - SHOWN // 2)
    end = text.find("\n", at)
    part = text[start : min(start + SHOWN, len(text) if end < 0 else end)]
    return repr(part) if part else "the end" if at >= len(text) else "an empty line"


def _refuse(name: str) -> JSON:
    raise ValueError(f"{name} is not JSON")
