"""Checks of a text: `regex` as the platform grades it, and `contains` for suites that say a plain phrase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import UsageError
from assay.graders import js_regex
from assay.graders.sources import LAST_MESSAGE, Missing, evidence
from assay.model import Fault, Grade

if TYPE_CHECKING:
    from assay.graders import Bench
    from assay.model import GraderSpec, Transcript


class Regex:
    """`pattern` with `flags` in the `target`; `match` is `contains`, `not_contains` or `count:N`."""

    def __init__(self, spec: GraderSpec, bench: Bench) -> None:
        config = spec.config
        self._spec = spec
        self._target = config.get("target", LAST_MESSAGE)
        self._mode = str(config.get("match", "contains"))
        self._regex = compiled(spec, config["pattern"], config.get("flags", ""))

    def grade(self, transcript: Transcript) -> Grade:
        text = evidence(transcript, self._target)
        if not isinstance(text, str):
            return ungraded(self._spec, text)
        try:
            passed, explanation = self._decide(text)
        except js_regex.MatchTimeout as slow:
            return ungraded(self._spec, Fault("grader", str(slow)))
        return Grade(self._spec.name, self._spec.type, passed, self._spec.weight, explanation=explanation)

    def _decide(self, text: str) -> tuple[bool, str]:
        if self._mode.startswith("count:"):
            wanted = int(self._mode.removeprefix("count:"))
            found = self._regex.count(text)
            return found == wanted, f"{found} matches, {wanted} wanted"
        found_any = self._regex.test(text)
        return found_any != (self._mode == "not_contains"), "matches" if found_any else "no match"


class Contains:
    """`value` stands in the `target`; with `negate` it must not; `case_sensitive` unless that is false."""

    def __init__(self, spec: GraderSpec, bench: Bench) -> None:
        config = spec.config
        self._spec = spec
        self._target = config.get("target", LAST_MESSAGE)
        self._negate = bool(config.get("negate", False))
        self._case_sensitive = bool(config.get("case_sensitive", True))
        self._value = self._folded(str(config["value"]))

    def grade(self, transcript: Transcript) -> Grade:
        text = evidence(transcript, self._target)
        if not isinstance(text, str):
            return ungraded(self._spec, text)
        found = self._value in self._folded(text)
        explanation = "found" if found else "not found"
        return Grade(
            self._spec.name,
            self._spec.type,
            found != self._negate,
            self._spec.weight,
            explanation=explanation,
        )

    def _folded(self, text: str) -> str:
        return text if self._case_sensitive else text.casefold()


def compiled(spec: GraderSpec, pattern: str, flags: str = "") -> js_regex.JsRegex:
    """A grader's pattern, compiled. Raises UsageError: before anything is spent, not at grading time."""
    try:
        return js_regex.compile(pattern, flags)
    except js_regex.InvalidPattern as error:
        raise UsageError(
            f"{_place(spec)}grader {spec.name!r}: invalid regular expression: {error}"
        ) from error


def ungraded(spec: GraderSpec, why: Missing | Fault) -> Grade:
    """The grade where there is nothing to look at: a fail, or a fault of ours."""
    if isinstance(why, Fault):
        return Grade(spec.name, spec.type, None, spec.weight, explanation=why.message, fault=why)
    return Grade(spec.name, spec.type, passed=False, weight=spec.weight, explanation=why.reason)


def _place(spec: GraderSpec) -> str:
    return f"{spec.source}: " if spec.source else ""
