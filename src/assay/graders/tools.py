"""Checks of what the agent called: `tool_used` and `tool_order`, over the calls in the transcript's order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.graders.javascript import stringify
from assay.graders.js_regex import JsRegex, MatchTimeout
from assay.graders.roles import is_trigger
from assay.graders.text import compiled
from assay.model import Fault, Grade

if TYPE_CHECKING:
    from assay.graders import Bench
    from assay.model import JSON, GraderSpec, ToolCall, Transcript

SAME_TOOL: tuple[frozenset[str], ...] = (frozenset({"Task", "Agent"}),)
"""Tools that a client renamed: a suite written for one name means the other as well."""


class ToolUsed:
    """`min` (default 1) to `max` (default any number) calls of `tool` whose input `input_match` matches."""

    def __init__(self, spec: GraderSpec, bench: Bench) -> None:
        config = spec.config
        self._spec = spec
        self._call = _Wanted(spec, config)
        least, most = config.get("min"), config.get("max")
        self._least = 1 if least is None else least
        self._most = float("inf") if most is None else most
        self._trigger = is_trigger(spec)

    def grade(self, transcript: Transcript) -> Grade:
        spec = self._spec
        try:
            count = sum(1 for call in transcript.tool_calls if self._call.matches(call))
        except MatchTimeout as slow:
            return _too_slow(spec, slow, trigger=self._trigger)
        passed = self._least <= count <= self._most
        return Grade(
            spec.name, spec.type, passed, spec.weight, explanation=f"called {count}×", trigger=self._trigger
        )


class ToolOrder:
    """Both `before` and `after` were called, the first `before` ahead of the first `after`."""

    def __init__(self, spec: GraderSpec, bench: Bench) -> None:
        self._spec = spec
        self._before = _Wanted(spec, _as_call(spec.config["before"]))
        self._after = _Wanted(spec, _as_call(spec.config["after"]))

    def grade(self, transcript: Transcript) -> Grade:
        spec = self._spec
        try:
            before = self._before.first(transcript.tool_calls)
            after = self._after.first(transcript.tool_calls)
        except MatchTimeout as slow:
            return _too_slow(spec, slow)
        if before is None or after is None:
            missing = self._before.tool if before is None else self._after.tool
            return Grade(spec.name, spec.type, False, spec.weight, explanation=f"{missing} was not called")
        explanation = f"{self._before.tool} was call {before + 1}, {self._after.tool} call {after + 1}"
        return Grade(spec.name, spec.type, before < after, spec.weight, explanation=explanation)


class _Wanted:
    """A call that a grader looks for."""

    def __init__(self, spec: GraderSpec, config: Mapping[str, JSON]) -> None:
        self.tool = str(config["tool"])
        self._names = next((names for names in SAME_TOOL if self.tool in names), frozenset({self.tool}))
        pattern = config.get("input_match")
        self._input: JsRegex | None = compiled(spec, pattern) if pattern else None

    def matches(self, call: ToolCall) -> bool:
        if call.name not in self._names:
            return False
        return self._input is None or self._input.test(stringify(call.input))

    def first(self, calls: tuple[ToolCall, ...]) -> int | None:
        return next((index for index, call in enumerate(calls) if self.matches(call)), None)


def _as_call(value: JSON) -> Mapping[str, JSON]:
    return value if isinstance(value, Mapping) else {"tool": value}


def _too_slow(spec: GraderSpec, slow: MatchTimeout, *, trigger: bool = False) -> Grade:
    fault = Fault("grader", str(slow))
    return Grade(spec.name, spec.type, None, spec.weight, explanation=str(slow), fault=fault, trigger=trigger)
