"""The head of a SKILL.md, command or agent file, by the Agent Skills standard.

Source of the rules: agentskills.io, specification of SKILL.md. Keys that it does not name never fail.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.errors import Problem

NAME_AT_MOST = 64
DESCRIPTION_AT_MOST = 1024
_NAME = re.compile(r"[^\W_A-Z]+(-[^\W_A-Z]+)*")


@dataclass(frozen=True, slots=True)
class Head:
    """What a client reads of an item before it decides to use it."""

    name: str | None = None
    description: str | None = None
    unloadable: Problem | None = None
    """Why a client would not load the file; None where it loads."""
    advice: tuple[Problem, ...] = ()
    """What the standard asks for beside that; clients load the file all the same."""


def read_head(text: str, path: str, *, required: tuple[str, ...] = ("name", "description")) -> Head:
    """Read the frontmatter of `text`; `path` is named in problems. BOM and CRLF are accepted.

    A file that need not have a frontmatter (a command) passes `required=()`.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != "---":
        if not required:
            return Head()
        return _unloadable(path, 1, "no frontmatter: the first line has to be `---`")
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        return _unloadable(path, 1, "the frontmatter is not closed: no second line `---`")
    return _read_yaml("\n".join(lines[1:end]), path, required)


def _read_yaml(block: str, path: str, required: tuple[str, ...]) -> Head:
    import yaml

    try:
        # The base loader takes every scalar as text, so that `name: no` is a name.
        values = yaml.load(block, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        hint = "; put a text that holds `: ` in quotes" if "mapping values" in str(error.problem) else ""
        return _unloadable(path, line, f"the frontmatter is not YAML: {error.problem}{hint}")
    except (yaml.YAMLError, RecursionError) as error:
        return _unloadable(path, 1, f"the frontmatter is not YAML: {error}")
    if values is None and not required:
        return Head()
    if not isinstance(values, dict):
        return _unloadable(path, 2, "the frontmatter is not a mapping of keys to values")
    return _judge(values, block, path, required)


def _judge(values: dict[str, object], block: str, path: str, required: tuple[str, ...]) -> Head:
    name, description = _text(values.get("name")), _text(values.get("description"))
    for key in required:
        if not _text(values.get(key)):
            what = f"`{key}` is empty or not a text" if key in values else f"`{key}` is missing"
            return Head(name, description, Problem(path, _line_of(key, block) or 1, what))
    return Head(name, description, advice=tuple(_advice(name, description, block, path)))


def _advice(name: str | None, description: str | None, block: str, path: str) -> list[Problem]:
    found = []
    if name and (len(name) > NAME_AT_MOST or name.lower() != name or not _NAME.fullmatch(name)):
        rule = f"1 to {NAME_AT_MOST} lower-case letters, digits and single hyphens"
        found.append(Problem(path, _line_of("name", block), f"the name {name!r} is not {rule}"))
    if description and len(description) > DESCRIPTION_AT_MOST:
        told = f"the description has {len(description)} characters; the standard allows {DESCRIPTION_AT_MOST}"
        found.append(Problem(path, _line_of("description", block), told))
    return found


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _line_of(key: str, block: str) -> int | None:
    lines = block.splitlines()
    return next((number for number, line in enumerate(lines, 2) if line.startswith(f"{key}:")), None)


def _unloadable(path: str, line: int, message: str) -> Head:
    return Head(unloadable=Problem(path, line, message))
