"""The Markdown of a golden task: frontmatter, the sections Input, Expected and Notes, and list items.

Stricter than Markdown on purpose. A heading that is none of the three would put an oracle into the input that
the target reads, and text outside a list would be an oracle that no grader reads: both are problems.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

SECTIONS = ("Input", "Expected", "Notes")

_HEADING = re.compile(r"^ {0,3}##(?!#)(?P<title>.*)$")
_SUBHEADING = re.compile(r"^ {0,3}#{3,6}(?:[ \t]|$)")
_FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})(?P<info>.*)$")
_ITEM = re.compile(r"^(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+(?P<text>.*))?$")


class BadMarkdown(ValueError):
    """Something in the file that cannot be read; `line` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        self.line = line
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its text without blank lines at the ends, and the line where that begins."""

    heading_line: int
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class ListItem:
    """One item of a list, continuation lines included; a fenced block in it is its operand."""

    text: str
    line: int


def split_frontmatter(text: str) -> tuple[str, int]:
    """The frontmatter between `---` lines and the line that the body begins at. Raises `BadMarkdown`."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        raise BadMarkdown(1, "a golden task begins with `---` and its frontmatter (id, target, grader)")
    for number, line in enumerate(lines[1:], 2):
        if line.rstrip() == "---":
            return "\n".join(lines[1 : number - 1]), number + 1
    raise BadMarkdown(1, "the frontmatter is not closed: a line `---` is missing")


def read_sections(text: str, body_line: int) -> tuple[Mapping[str, Section], list[BadMarkdown]]:
    """The sections of a task by name, and all that is wrong with its headings."""
    problems: list[BadMarkdown] = []
    headings: list[tuple[str, int]] = []
    lines = text.split("\n")
    outside: Iterable[tuple[int, str]] = enumerate(lines[body_line - 1 :], body_line)
    if _may_hold_fences(text):
        outside = _outside_fences(outside, problems)
    for number, line in outside:
        match = _HEADING.match(line) if "##" in line else None
        if match is not None:
            _note_heading(match["title"].strip().rstrip("#").rstrip(), number, headings, problems)
    ends = [number for _, number in headings[1:]] + [len(lines) + 1]
    sections = {
        name: _section(lines, number, end) for (name, number), end in zip(headings, ends, strict=False)
    }
    return sections, problems


def _note_heading(
    title: str, number: int, headings: list[tuple[str, int]], problems: list[BadMarkdown]
) -> None:
    name = title.capitalize()
    seen = [known for known, _ in headings]
    if name not in SECTIONS:
        message = f"unknown section {title!r}: the sections are `## Input`, `## Expected` and `## Notes`"
        problems.append(BadMarkdown(number, f"{message}; a heading that belongs to a text goes into a fence"))
        return
    if name in seen:
        problems.append(BadMarkdown(number, f"a second section `## {name}`"))
        return
    if seen and SECTIONS.index(name) < SECTIONS.index(seen[-1]):
        problems.append(BadMarkdown(number, f"`## {name}` comes before `## {seen[-1]}`"))
    headings.append((name, number))


def _section(lines: list[str], heading: int, end: int) -> Section:
    first = heading
    while first < end - 1 and not lines[first].strip():
        first += 1
    return Section(heading, first + 1, "\n".join(lines[first : end - 1]).rstrip())


def _may_hold_fences(text: str) -> bool:
    return "```" in text or "~~~" in text


def _outside_fences(
    lines: Iterable[tuple[int, str]], problems: list[BadMarkdown]
) -> Iterator[tuple[int, str]]:
    fence, opened = "", 0
    for number, line in lines:
        match = _FENCE.match(line) if _may_hold_fences(line) else None
        if fence:
            if match and match["fence"].startswith(fence) and not match["info"].strip():
                fence = ""
        elif match and not ("`" in match["info"] and match["fence"][0] == "`"):
            fence, opened = match["fence"], number
        else:
            yield number, line
    if fence:
        problems.append(BadMarkdown(opened, f"a fence {fence} that is never closed"))


def fenced_value(text: str) -> str:
    """The content of a text that is one fenced block; any other text as it is."""
    lines = text.strip("\n").split("\n")
    opening = _FENCE.match(lines[0])
    if opening is None or len(lines) < 2:
        return text
    fence = opening["fence"]
    closing = next(
        (
            n
            for n, line in enumerate(lines[1:], 1)
            if line.strip().strip(fence[0]) == "" and line.strip().startswith(fence)
        ),
        None,
    )
    return "\n".join(lines[1:-1]) if closing == len(lines) - 1 else text


def read_items(section: Section) -> tuple[list[ListItem], list[BadMarkdown]]:
    """The list items of a section; text outside the list is a problem, an introduction (`…:`) is not."""
    items: list[tuple[int, int, list[str]]] = []
    fence = ""
    problems: list[BadMarkdown] = []
    for number, line in enumerate(section.text.split("\n"), section.line):
        match = _ITEM.match(line)
        indent = len(line) - len(line.lstrip())
        if fence or (items and line.strip() and indent > items[-1][1]):
            items[-1][2].append(line)
            fence = _fence_after(fence, line)
        elif match is not None:
            items.append((number, indent, [match["text"] or ""]))
        elif items and not line.strip():
            items[-1][2].append("")
        elif line.strip() and not _is_introduction(line):
            problems.append(BadMarkdown(number, _OUTSIDE))
    return [ListItem(_joined(lines), number) for number, _, lines in items], problems


_OUTSIDE = "text outside the list is not graded: make it an item (`- …`) or move it to `## Notes`"


def _is_introduction(line: str) -> bool:
    return line.rstrip().endswith(":") or _SUBHEADING.match(line) is not None


def _fence_after(fence: str, line: str) -> str:
    """The fence that is open after a line, where `fence` was before it; "" for none."""
    match = _FENCE.match(line) if _may_hold_fences(line) else None
    if match is None or (fence and not match["fence"].startswith(fence)):
        return fence
    return "" if fence else match["fence"]


def _joined(lines: list[str]) -> str:
    """An item as one text. A fenced block after its first lines becomes a quoted operand."""
    filled = max((n for n, line in enumerate(lines, 1) if line.strip()), default=0)
    lines = lines[:filled]
    if len(lines) == 1:
        return lines[0].strip()
    start = next((n for n, line in enumerate(lines[1:], 1) if _FENCE.match(line)), None)
    if start is None:
        return "\n".join(line.strip() for line in lines)
    indent = len(lines[start]) - len(lines[start].lstrip())
    block = "\n".join(line[indent:] if not line[:indent].strip() else line for line in lines[start:])
    head = " ".join(line.strip() for line in lines[:start])
    value = fenced_value(block).replace("\\", "\\\\").replace('"', '\\"')
    return f'{head} "{value}"' if value != block else f"{head}\n{block}"
