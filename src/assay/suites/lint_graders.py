"""Traps in the graders of a case that loads: those that cannot pass, cannot fail, or are not scored."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.graders import js_regex
from assay.graders.files import glob_regex
from assay.graders.roles import is_trigger, is_with_only
from assay.model import JSON, Case, GraderSpec
from assay.suites.case_files import read_text
from assay.suites.fields import BUILT_IN_TOOLS
from assay.suites.findings import Finding, finding
from assay.suites.regular_file import Unreadable

GRANTED = frozenset(
    {
        "Agent",
        "AskUserQuestion",
        "Glob",
        "Grep",
        "NotebookRead",
        "Read",
        "Skill",
        "Task",
        "TaskCreate",
        "TaskGet",
        "TaskList",
        "TaskStop",
        "TaskUpdate",
        "TodoWrite",
    }
)
"""Tools that the platform grants without being asked."""
MAKERS = ("Write", "Edit", "Bash")
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "I cannot do that.",
    "I was not able to complete this task because I do not have access to the file.",
    "No.",
)
_PLAIN_WORDS = re.compile(r"[A-Za-z][A-Za-z' -]*(?:\|[A-Za-z][A-Za-z' -]*)*")
_BARE_DIGITS = re.compile(r"(?:\\d[+*]?|\d{1,3})")
_NEWER = re.compile(r"\(\?(?=[ims-])[ims]*(?:-[ims]+)?:")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known around a case: names that a trace shows without any call."""

    skills: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    has_mocks: bool = False


def lint_graders(case: Case, around: Surroundings) -> Iterator[Finding]:
    """Every grader of a case on its own, then together."""
    for spec in case.graders:
        yield from _one(spec, case, around)
    yield from _roles(case)
    yield from _stray_files(case)


def _one(spec: GraderSpec, case: Case, around: Surroundings) -> Iterator[Finding]:
    if spec.weight == float("inf"):
        yield _at(spec, "S07", "the weight is infinite: every score of the case is not a number")
    yield from _patterns(spec)
    yield from _sources(spec, around)
    if spec.type == "regex" and _compiles(spec):
        yield from _trace(spec, around)
        yield from _words(spec)
    if spec.type == "tool_used":
        yield from _counts(spec)
    if spec.type == "file_exists":
        yield from _path(spec)
    yield from _tools(spec, case)


def _patterns(spec: GraderSpec) -> Iterator[Finding]:
    for key, pattern, flags in patterns_of(spec):
        try:
            js_regex.check(pattern, flags)
        except js_regex.InvalidPattern as error:
            yield _at(
                spec, "L11", f"`{key}` is no regular expression of JavaScript: {error}", mend=_inline(pattern)
            )
        else:
            names = re.findall(r"\(\?<(\w+)>", pattern)
            if _NEWER.search(pattern) or len(names) != len(set(names)):
                yield _at(spec, "S04", f"`{key}` uses syntax that older JavaScript engines refuse")


def patterns_of(spec: GraderSpec) -> Iterator[tuple[str, str, str]]:
    """(key, pattern, flags) of everything in a grader that is a regular expression."""
    config = spec.config
    if spec.type == "regex":
        yield "pattern", config["pattern"], config.get("flags", "")
    if spec.type == "tool_used" and config.get("input_match"):
        yield "input_match", config["input_match"], ""
    if spec.type == "tool_order":
        for key in ("before", "after"):
            call = config[key]
            if isinstance(call, dict) and call.get("input_match"):
                yield f"{key}.input_match", call["input_match"], ""


def _inline(pattern: str) -> str | None:
    inline = re.match(r"\(\?([a-z]+)\)", pattern)
    return f"JavaScript has no inline flags: write `flags: {inline[1]}`" if inline else None


def _compiles(spec: GraderSpec) -> bool:
    try:
        js_regex.check(spec.config["pattern"], spec.config.get("flags", ""))
    except js_regex.InvalidPattern:
        return False
    return True


def _sources(spec: GraderSpec, around: Surroundings) -> Iterator[Finding]:
    source = spec.config.get("target", spec.config.get("focus"))
    if source == "mock_calls" and not around.has_mocks:
        yield _at(spec, "S05", "no mocks are there: a grader of mock_calls always fails")
    if not isinstance(source, dict):
        return
    path = str(source.get("path", ""))
    if spec.type == "regex" and path.casefold().endswith(IMAGES):
        yield _at(spec, "S05", f"{path} is an image: a regex on it always fails")
    if spec.type == "regex" and spec.config.get("match") == "not_contains":
        yield _at(spec, "L14", f"where {path} is not there, not_contains fails as well")
    if _leaves(path):
        yield _at(spec, "S05", f"the path {path!r} is not below the workspace: the grader always fails")


def _trace(spec: GraderSpec, around: Surroundings) -> Iterator[Finding]:
    if spec.config.get("target") != "trace":
        return
    init = {
        "type": "system",
        "subtype": "init",
        "cwd": "/workspace",
        "session_id": "0",
        "tools": sorted(BUILT_IN_TOOLS),
        "mcp_servers": [],
        "model": "claude",
        "permissionMode": "dontAsk",
        "slash_commands": list(around.skills),
        "skills": list(around.skills),
        "plugins": [{"name": name} for name in around.plugins],
    }
    if not _matches(spec, json.dumps(init, separators=(",", ":"))):
        return
    if spec.config.get("match") == "not_contains":
        yield _at(spec, "L09", "the first event of every run matches the pattern: not_contains never passes")
    elif spec.config.get("match") == "contains":
        yield _at(
            spec, "L09", "the first event of every run, which lists tools and skills, matches the pattern"
        )


def _words(spec: GraderSpec) -> Iterator[Finding]:
    config = spec.config
    if config.get("target") != "last_message":
        return
    pattern = config["pattern"]
    if config.get("match") == "contains":
        if _BARE_DIGITS.fullmatch(pattern):
            yield _at(
                spec, "L10", f"`{pattern}` matches inside every longer number, date and list", severity="note"
            )
        refusal = next((text for text in _REFUSALS if pattern and _matches(spec, text)), None)
        if refusal and not _matches(spec, ""):
            yield _at(spec, "L10", f'it passes on a refusal ("{refusal}")')
    elif config.get("match") == "not_contains" and _PLAIN_WORDS.fullmatch(pattern):
        example = pattern.partition("|")[0]
        yield _at(spec, "L10", f'an answer that says "no {example}" fails as well', severity="note")


def _matches(spec: GraderSpec, text: str) -> bool:
    try:
        return js_regex.compile(spec.config["pattern"], spec.config.get("flags", "")).test(text)
    except (js_regex.MatchTimeout, js_regex.InvalidPattern):
        return False


def _counts(spec: GraderSpec) -> Iterator[Finding]:
    config = spec.config
    least, most = config.get("min", 1), config.get("max")
    if most is not None and most < least:
        why = "min is 1 where it is not written" if "min" not in config else f"min is {least}"
        yield _at(spec, "L06", f"max is {most} and {why}: the grader cannot pass")
    elif least == 0 and most is None:
        yield _at(spec, "S05", "min is 0 and there is no max: the grader cannot fail")
    if is_quiet(spec) and spec.arm != "both":
        yield _at(spec, "L07", "the check that the skill stays quiet does not count in a run of two arms")


def is_quiet(spec: GraderSpec) -> bool:
    """Whether a grader asks that no skill fires."""
    return is_trigger(spec) and spec.config.get("max") == 0


def _path(spec: GraderSpec) -> Iterator[Finding]:
    path = str(spec.config["path"])
    if spec.config.get("exists", True) and (not path or _leaves(path) or path.startswith("./")):
        yield _at(spec, "S05", f"no path in the workspace is written {path!r}: the grader cannot pass")


def _leaves(path: str) -> bool:
    return path.startswith("/") or ".." in path.split("/")


def _tools(spec: GraderSpec, case: Case) -> Iterator[Finding]:
    allowed = {tool.partition("(")[0] for tool in case.settings.allowed_tools}
    taken = set(case.settings.disallowed_tools)
    for needed in _needed(spec):
        usable = [tool for tool in needed if (tool in GRANTED or tool in allowed) and tool not in taken]
        if usable or any(tool.startswith("mcp__") for tool in needed):
            continue
        names = " or ".join(needed)
        verb = "makes files with" if needed == MAKERS else "waits for a call of"
        yield _at(spec, "L16", f"it {verb} {names}, which the case does not grant", mend=_grant(needed[0]))


def _grant(tool: str) -> str:
    return f"add {tool} to the case's allowed_tools, and run with --allow-tools {tool}"


def _needed(spec: GraderSpec) -> Iterator[tuple[str, ...]]:
    """Tools of which one has to be granted for the grader to pass."""
    config = spec.config
    if spec.type == "tool_used" and config.get("min", 1) > 0:
        yield (str(config["tool"]),)
    elif spec.type == "tool_order":
        for key in ("before", "after"):
            call = config[key]
            yield (str(call["tool"] if isinstance(call, dict) else call),)
    elif (spec.type == "file_exists" and config.get("exists", True)) or _looks_at_files(spec):
        yield MAKERS


def _looks_at_files(spec: GraderSpec) -> bool:
    source: JSON = spec.config.get("target", spec.config.get("focus"))
    return source == "files" or isinstance(source, dict)


def _roles(case: Case) -> Iterator[Finding]:
    scored = [spec for spec in case.graders if not is_with_only(spec)]
    place = case.source
    if not scored:
        message = (
            "every grader is with-only, so all count on both arms: the delta says that the item was there"
        )
        yield finding("L08", place.path, None, message)
    elif all(is_quiet(spec) for spec in scored):
        yield finding(
            "S03", place.path, None, "its only scored grader passes on both arms unless the skill misfires"
        )


def _stray_files(case: Case) -> Iterator[Finding]:
    script = case.settings.scaffold_script
    if not script or case.folder is None:
        return
    try:
        text = read_text(str(case.folder / script))
    except Unreadable:
        return
    words = set(re.findall(r"[\w./-]+", text))
    for spec in case.graders:
        if spec.type != "file_exists" or not spec.config.get("exists", True):
            continue
        glob = glob_regex(str(spec.config["path"]))
        made = next((word for word in sorted(words) if "." in word and glob.test(word)), None)
        if made:
            yield _at(spec, "L15", f"the scaffold names {made}: a file that was there before does not count")


def _at(spec: GraderSpec, code: str, message: str, **more: str | None) -> Finding:
    path = spec.source.path if spec.source else ""
    line = spec.source.line if spec.source else None
    text = f"grader {spec.name!r}: {message}"
    return finding(code, path, line, text, **more)  # type: ignore[arg-type]  # severity and mend
