"""One check of an evals.json, in whatever shape, as a grader: typed ones as they say, prose as a rubric."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assay.graders import js_regex
from assay.model import JSON

TEXT_KEYS = (
    "text",
    "description",
    "value",
    "assertion",
    "expectation",
    "criteria",
    "rubric",
    "pass_if",
    "check",
    "name",
)
NAME_KEYS = ("name", "id", "dimension", "text", "description", "value")
_ANSWER_WORDS = ("output", "response", "answer", "last_message", "final", "result", "text", "stdout")


@dataclass(frozen=True, slots=True)
class Read:
    """A check that became a grader."""

    type: str
    config: Mapping[str, JSON]
    label: str | None = None
    """What its author calls it."""
    adapted: str | None = None
    """What a reader should know of how it was taken."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A check that cannot be kept, and why."""

    reason: str


def read_check(value: JSON) -> Read | Lost:
    """What one entry of `assertions`, `expectations` or their like means."""
    if isinstance(value, str):
        return Read("rubric", {"criteria": value}, value) if value.strip() else Lost("the check is empty")
    if not isinstance(value, dict):
        return Lost("a check has to be a text or a mapping")
    label = _first(value, NAME_KEYS)
    if value.get("advisory") is True:
        return Lost("an advisory check: assay has no check that never counts")
    if value.get("retired"):
        return Lost("its author has retired the check")
    if "cmd" in value or value.get("type") == "command":
        return _command(value, label)
    kind = value.get("type")
    if isinstance(kind, str) and kind:
        reader = TYPES.get(kind.casefold().replace("-", "_"))
        if reader is None:
            return Lost(f"checks of type {kind!r} are not known (docs/formats.md lists those that are)")
        return reader(value, label)
    text = _first(value, TEXT_KEYS)
    return Read("rubric", {"criteria": text}, label) if text else Lost("the check has no text")


def _contains(value: Mapping[str, JSON], label: str | None, *, negate: bool = False) -> Read | Lost:
    wanted = _wanted(value)
    if not wanted:
        return Lost("the check does not say what to look for")
    config: dict[str, JSON] = {"value": wanted, "negate": negate, **_target(value)}
    if value.get("case_sensitive") is False or value.get("ignore_case") is True:
        config["case_sensitive"] = False
    return Read("contains", config, label, _where(value))


def _lacks(value: Mapping[str, JSON], label: str | None) -> Read | Lost:
    return _contains(value, label, negate=True)


def _regex(value: Mapping[str, JSON], label: str | None, *, negate: bool = False) -> Read | Lost:
    pattern = _first(value, ("pattern", "value", "check", "regex"))
    flags = value.get("flags", "")
    if pattern is None or not isinstance(flags, str):
        return Lost("the check has no pattern")
    try:
        js_regex.check(pattern, flags)
    except js_regex.InvalidPattern as error:
        return Lost(f"invalid regular expression: {error}")
    match = "not_contains" if negate else "contains"
    config = {"pattern": pattern, "flags": flags, "match": match, **_target(value)}
    return Read("regex", config, label, _where(value))


def _not_regex(value: Mapping[str, JSON], label: str | None) -> Read | Lost:
    return _regex(value, label, negate=True)


def _count(value: Mapping[str, JSON], label: str | None) -> Read | Lost:
    wanted, least = _wanted(value), value.get("min_count", value.get("count"))
    if not wanted or not isinstance(least, int) or isinstance(least, bool) or least < 1:
        return Lost("the check does not say what to count, or how often at least")
    # A text to look for is literal; the lazy gap makes the matches follow each other.
    literal = re.sub(r"[.*+?^${}()|[\]\\/]", r"\\\g<0>", wanted)
    config = {
        "pattern": f"(?:{literal}[\\s\\S]*?){{{least}}}",
        "flags": "",
        "match": "contains",
        **_target(value),
    }
    return Read("regex", config, label, f"read as: at least {least} times in the answer")


def _words(value: Mapping[str, JSON], label: str | None) -> Read | Lost:
    most = value.get("value", value.get("max"))
    if not isinstance(most, int) or isinstance(most, bool) or most < 0:
        return Lost("the check does not say how many words")
    return Read("assert", _assertion(f"at most {most} words"), label or f"at most {most} words")


def _json(value: Mapping[str, JSON], label: str | None) -> Read | Lost:
    return Read("assert", _assertion("valid JSON"), label or "valid JSON")


def _file(value: Mapping[str, JSON], label: str | None, *, exists: bool = True) -> Read | Lost:
    path = _first(value, ("path", "file", "value", "glob"))
    if not path:
        return Lost("the check has no path")
    return Read("file_exists", {"path": path.removeprefix("./"), "exists": exists}, label or path)


def _no_file(value: Mapping[str, JSON], label: str | None) -> Read | Lost:
    return _file(value, label, exists=False)


def _rubric(value: Mapping[str, JSON], label: str | None) -> Read | Lost:
    text = _first(value, ("rubric", "criteria", "value", "text", "description"))
    return Read("rubric", {"criteria": text}, label) if text else Lost("the check has no text")


def _tool(value: Mapping[str, JSON], label: str | None) -> Read | Lost:
    tool = _first(value, ("tool", "value", "name"))
    return Read("tool_used", {"tool": tool}, label) if tool else Lost("the check names no tool")


def _command(value: Mapping[str, JSON], label: str | None) -> Read | Lost:
    command = value.get("cmd", value.get("command", value.get("value")))
    if isinstance(command, str) and command.strip():
        return Lost("a command has to be a list of arguments: a line for a shell is not run")
    if not isinstance(command, list) or not command or not all(isinstance(part, str) for part in command):
        return Lost("the check has no command")
    config: dict[str, JSON] = {"command": command, "expect_exit": 0}
    for key in ("expect_exit", "expect_substring", "timeout_seconds"):
        if key in value:
            config[key] = value[key]
    return Read("command", config, _first(value, ("check", *NAME_KEYS)))


TYPES: Mapping[str, Callable[[Mapping[str, JSON], str | None], Read | Lost]] = {
    "contains": _contains,
    "includes": _contains,
    "output_contains": _contains,
    "code_contains": _contains,
    "not_contains": _lacks,
    "does_not_contain": _lacks,
    "output_not_contains": _lacks,
    "regex": _regex,
    "matches": _regex,
    "regex_match": _regex,
    "not_regex": _not_regex,
    "does_not_match": _not_regex,
    "code_count": _count,
    "count": _count,
    "max_words": _words,
    "json": _json,
    "valid_json": _json,
    "is_json": _json,
    "file_exists": _file,
    "artifact_exists": _file,
    "artifact": _file,
    "file_not_exists": _no_file,
    "semantic": _rubric,
    "llm": _rubric,
    "llm_judge": _rubric,
    "rubric": _rubric,
    "judge": _rubric,
    "manual": _rubric,
    "tool_used": _tool,
    "tool_called": _tool,
}
"""The types of checks seen in public suites, and what reads each."""


def _assertion(text: str) -> Mapping[str, JSON]:
    from assay.graders.assertion_grammar import parse

    return parse(text)


def _wanted(value: Mapping[str, JSON]) -> str | None:
    return _first(value, ("value", "check", "substring", "text", "pattern"))


def _target(value: Mapping[str, JSON]) -> dict[str, JSON]:
    path = value.get("path", value.get("file"))
    return {"target": {"source": "file", "path": path}} if isinstance(path, str) and path else {}


def _where(value: Mapping[str, JSON]) -> str | None:
    """A word on where the check looks, where its author's tool may have looked elsewhere."""
    target = value.get("target")
    if value.get("type") == "code_contains":
        return "code_contains is looked for in the answer, not in files"
    if isinstance(target, str) and target.casefold() not in _ANSWER_WORDS:
        return f"its target {target!r} is not known: looked for in the answer"
    return None


def _first(value: Mapping[str, JSON], keys: tuple[str, ...]) -> str | None:
    return next((value[key] for key in keys if isinstance(value.get(key), str) and value[key].strip()), None)
