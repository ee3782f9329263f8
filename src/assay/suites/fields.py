"""What the keys of a case and of its graders may hold, as the platform's loader checks them.

A check takes a value and yields what is wrong: the path below the key, and the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isnan
from typing import TypeAlias

from assay.graders.sources import NAMES, is_source
from assay.model import JSON

Fault: TypeAlias = tuple[tuple[str | int, ...], str]
Check: TypeAlias = Callable[[JSON], Iterator[Fault]]


def kind_of(value: JSON) -> str:
    """The name that JSON has for a value's type."""
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    names = {str: "a text", list: "a list", dict: "a mapping", type(None): "empty (null)"}
    return names.get(type(value), type(value).__name__)


def text(value: JSON) -> Iterator[Fault]:
    """A text."""
    if not isinstance(value, str):
        yield (), f"has to be a text, and is {kind_of(value)}{_quote_hint(value)}"


def filled_text(value: JSON) -> Iterator[Fault]:
    """A text that is not empty."""
    yield from text(value)
    if value == "":
        yield (), "must not be empty"


def texts(value: JSON) -> Iterator[Fault]:
    """A list of texts."""
    if not isinstance(value, list):
        yield (), f"has to be a list of texts, and is {kind_of(value)}"
        return
    for index, part in enumerate(value):
        for path, reason in text(part):
            yield (index, *path), reason


def boolean(value: JSON) -> Iterator[Fault]:
    """True or false."""
    if not isinstance(value, bool):
        yield (), f"has to be true or false, and is {kind_of(value)}"


def mapping(value: JSON) -> Iterator[Fault]:
    """A mapping of whatever it likes."""
    if not isinstance(value, dict):
        yield (), f"has to be a mapping, and is {kind_of(value)}"


def texts_by_name(value: JSON) -> Iterator[Fault]:
    """A mapping of texts."""
    if not isinstance(value, dict):
        yield (), f"has to be a mapping, and is {kind_of(value)}"
        return
    for key, part in value.items():
        for path, reason in text(part):
            yield (key, *path), reason


def whole(least: int, most: float) -> Check:
    """A whole number from `least` to `most`; `5.0` is whole."""

    def check(value: JSON) -> Iterator[Fault]:
        span = f"from {least} to {most:g}" if most < float("inf") else f"of at least {least}"
        if isinstance(value, bool) or not isinstance(value, int | float):
            yield (), f"has to be a whole number {span}, and is {kind_of(value)}"
        elif not isinstance(value, int) and not value.is_integer():
            yield (), f"has to be a whole number {span}, and is {value:g}"
        elif not least <= value <= most:
            yield (), f"has to be {span}, and is {value:g}"

    return check


def weight(value: JSON) -> Iterator[Fault]:
    """A number above 0; `.inf` passes, as it does on the platform."""
    if isinstance(value, bool) or not isinstance(value, int | float) or isnan(value):
        yield (), f"has to be a number above 0, and is {kind_of(value)}"
    elif value <= 0:
        yield (), f"has to be above 0, and is {value:g}"


def one_of(*choices: str) -> Check:
    """One of a few words."""

    def check(value: JSON) -> Iterator[Fault]:
        if not isinstance(value, str) or value not in choices:
            yield (), f"has to be one of {', '.join(choices)}, and is {_shown(value)}"

    return check


def matching(pattern: str, what: str) -> Check:
    """A text that a pattern matches as a whole; `what` says so in words."""
    compiled = re.compile(pattern, re.ASCII)

    def check(value: JSON) -> Iterator[Fault]:
        if not isinstance(value, str) or not compiled.fullmatch(value):
            yield (), f"has to be {what}, and is {_shown(value)}"

    return check


def source(value: JSON) -> Iterator[Fault]:
    """What a text grader or judge may look at."""
    if not is_source(value):
        yield (
            (),
            f"has to be one of {', '.join(NAMES)}, or {{source: file, path: PATH}}, and is {_shown(value)}",
        )


def call(value: JSON) -> Iterator[Fault]:
    """A call as `tool_order` names it: a tool, or a tool and a pattern for its input."""
    if isinstance(value, str):
        return
    right = isinstance(value, dict) and isinstance(value.get("tool"), str)
    if not right or not set(value) <= {"tool", "input_match"}:
        yield (), f"has to be a tool's name or {{tool, input_match}}, and is {_shown(value)}"
    elif not isinstance(value.get("input_match", ""), str):
        yield ("input_match",), f"has to be a text, and is {kind_of(value['input_match'])}"


def _shown(value: JSON) -> str:
    return repr(value) if isinstance(value, str) else kind_of(value)


def _quote_hint(value: JSON) -> str:
    return "; put it in quotes" if isinstance(value, bool | int | float) else ""


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a grader: its check, whether it must be there, and what stands for it where it is not."""

    check: Check
    required: bool = False
    default: JSON = None


_COMMON: Mapping[str, Key] = {
    "type": Key(text, required=True),
    "name": Key(text, required=True),
    "weight": Key(weight),
    "arm": Key(one_of("with-only", "both")),
}

GRADER_KEYS: Mapping[str, Mapping[str, Key]] = {
    "regex": {
        "target": Key(source, default="last_message"),
        "pattern": Key(text, required=True),
        "flags": Key(matching(r"[dgimsuvy]*", "flags of a JavaScript RegExp (d g i m s u v y)"), default=""),
        "match": Key(
            matching(r"contains|not_contains|count:[0-9]+", "contains, not_contains or count:N"),
            default="contains",
        ),
    },
    "tool_order": {"before": Key(call, required=True), "after": Key(call, required=True)},
    "tool_used": {
        "tool": Key(text, required=True),
        "input_match": Key(text),
        "min": Key(whole(0, float("inf"))),
        "max": Key(whole(0, float("inf"))),
    },
    "file_exists": {"path": Key(text, required=True), "exists": Key(boolean, default=True)},
    "llm": {"criteria": Key(text, required=True), "focus": Key(source, default="last_message")},
    "baseline": {"baseline_file": Key(text, required=True), "criteria": Key(text, required=True)},
}
"""The six kinds and their own keys; every kind has the common ones too."""

BODY_KEY = {"regex": "pattern", "llm": "criteria", "baseline": "criteria"}
"""The key that the body of a grader file fills where the frontmatter has it not."""

CASE_KEYS: Mapping[str, Check] = {
    "schema_version": text,
    "name": filled_text,
    "description": text,
    "tags": texts,
    "plugins": texts,
    "runs": whole(1, 50),
    "expected_outcome": text,
}
EXECUTION_KEYS: Mapping[str, Check] = {
    "model": text,
    "max_turns": whole(1, 200),
    "timeout_seconds": whole(1, 3600),
    "allowed_tools": texts,
    "disallowed_tools": texts,
    "artifact_publish": boolean,
    "growthbook_overrides": mapping,
    "append_system_prompt": text,
    "env": texts_by_name,
}
CONTEXT_KEYS: Mapping[str, Check] = {"scaffold_script": text, "history_file": text, "add_dirs": texts}

BUILT_IN_TOOLS = frozenset(
    {
        "Agent",
        "Artifact",
        "AskUserQuestion",
        "Bash",
        "Brief",
        "CronCreate",
        "CronDelete",
        "CronList",
        "DesignSync",
        "Edit",
        "EnterPlanMode",
        "EnterWorktree",
        "ExitPlanMode",
        "ExitWorktree",
        "Glob",
        "Grep",
        "KillBash",
        "KillShell",
        "LSP",
        "ListMcpResources",
        "ListMcpResourcesTool",
        "ListPeers",
        "Monitor",
        "NotebookEdit",
        "NotebookRead",
        "PowerShell",
        "Projects",
        "PushNotification",
        "Read",
        "ReadMcpResource",
        "ReadMcpResourceTool",
        "RemoteTrigger",
        "ReportFindings",
        "ScheduleWakeup",
        "SendMessage",
        "SendUserFile",
        "SendUserMessage",
        "ShareOnboardingGuide",
        "Skill",
        "Task",
        "TaskCreate",
        "TaskGet",
        "TaskList",
        "TaskStop",
        "TaskUpdate",
        "TodoWrite",
        "ToolSearch",
        "WaitForMcpServers",
        "WebFetch",
        "WebSearch",
        "Workflow",
        "Write",
    }
)
"""Names that `disallowed_tools` may hold, asked of Claude Code 2.1.328 one by one."""


def grader_faults(grader: Mapping[str, JSON]) -> Iterator[Fault]:
    """What is wrong with one grader, given as its author wrote it (the body of a file already filled in)."""
    kind = grader.get("type")
    if not isinstance(kind, str) or kind not in GRADER_KEYS:
        yield ("type",), f"has to be one of {', '.join(GRADER_KEYS)}, and is {_shown(kind)}"
        return
    keys = {**_COMMON, **GRADER_KEYS[kind]}
    for name, key in keys.items():
        if name in grader:
            for path, reason in key.check(grader[name]):
                yield (name, *path), reason
        elif key.required:
            yield (), f"{name} is missing; a {kind} grader needs it"
    for name in grader:
        if name not in keys:
            yield (name,), f"is not a key of a {kind} grader; it has {', '.join(keys)}"


def grader_config(grader: Mapping[str, JSON]) -> dict[str, JSON]:
    """Every key beside name, type and weight, defaults filled in; `arm` only where it was written."""
    config: dict[str, JSON] = {}
    for name, key in GRADER_KEYS[grader["type"]].items():
        if name in grader:
            value = grader[name]
            config[name] = {"tool": value} if key.check is call and isinstance(value, str) else value
        elif key.default is not None:
            config[name] = key.default
    if "arm" in grader:
        config["arm"] = grader["arm"]
    return config
