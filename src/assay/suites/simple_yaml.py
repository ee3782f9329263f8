"""The YAML that most frontmatter is, read ten times as fast: one `key: value` a line, nothing nested.

Only what cannot mean anything else is taken; for everything else the answer is None and YAML proper decides.
"""

from __future__ import annotations

import re

from assay.model import JSON
from assay.suites.yaml_values import plain_value

_WORD = r"[A-Za-z][A-Za-z0-9_.-]*"
_LINE = re.compile(
    r"(?P<key>[a-z_]+): (?:"
    r"(?P<plain>[A-Za-z][A-Za-z0-9_./()]*(?:(?::|[ ,-]+)[A-Za-z0-9_./()]+)*)"
    r"|(?P<whole>[0-9]{1,15})"
    r'|"(?P<double>[ -!#-\[\]-~]*)"'
    r"|'(?P<single>[ -&(-~]*)'"
    rf"|\[(?P<list>{_WORD}(?:, {_WORD})*)\]"
    r")(?:\r?\n|\Z)|\r?\n"
)


def read_simple(text: str) -> dict[str, JSON] | None:
    """The mapping that a text of simple lines is; None where it may be more, or writes a key twice."""
    found: dict[str, JSON] = {}
    at = 0
    while at < len(text):
        line = _LINE.match(text, at)
        if line is None:
            return None
        at = line.end()
        key = line["key"]
        if key is None:
            continue
        if key in found:
            return None
        found[key] = _value(line)
    return found or None


def _value(line: re.Match[str]) -> JSON:
    kind, text = line.lastgroup, line[line.lastindex or 0]
    if kind == "plain":
        return plain_value(text)
    if kind == "whole":
        return int(text)
    if kind == "list":
        return [plain_value(word) for word in text.split(", ")]
    return text


def line_of(text: str, key: str | int | None) -> int:
    """How many lines stand above a key of a simple text, or above its first key where it has not this one."""
    at = 0 if text.startswith(f"{key}:") else text.find(f"\n{key}:") + 1
    return text.count("\n", 0, at or len(text) - len(text.lstrip("\r\n")))
