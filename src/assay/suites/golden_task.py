"""One golden task, `evals/<suite>/G-NNN-<slug>.md`: a case with its graders, or all that is wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from assay.errors import Problem
from assay.graders.assertion_grammar import NotAnAssertion, parse, without_box
from assay.model import JSON, Case, GraderSpec, Location, Target
from assay.suites.golden_sections import (
    BadMarkdown,
    ListItem,
    Section,
    fenced_value,
    read_items,
    read_sections,
    split_frontmatter,
)
from assay.suites.regular_file import Unreadable, read_regular
from assay.suites.yaml12 import Document, YamlError, read_yaml

FILE_CAP = 1024 * 1024
"""Bytes of the largest task file."""
TODO_ORACLE = "TODO(oracle)"
"""What a drafted task has in place of an oracle. Oracles come from people, so it refuses to run."""
NO_ORACLE = "no `## Expected`: a task without an oracle cannot be run"

_ID = re.compile(r"^G-\d{3,}$")
_KINDS = ("skill", "prompt", "agent", "feature")
_GRADERS = ("exact", "assert", "rubric")
_KEYS = ("id", "suite", "target", "grader", "pattern", "weight", "tags")


@dataclass(frozen=True, slots=True)
class TaskFile:
    """What one file gave. `case` is None where it was skipped or is broken."""

    id: str | None
    line: int
    case: Case | None
    problems: tuple[Problem, ...] = ()
    skipped: str | None = None


def read_task(path: Path, shown: str) -> TaskFile:
    """Read one task; `shown` is its path as messages name it."""
    return _TaskReader(path, shown).read()


class _TaskReader:
    """Collects every problem of one file, so that its author mends it once."""

    def __init__(self, path: Path, shown: str) -> None:
        self.path = path
        self.shown = shown
        self.problems: list[Problem] = []

    def read(self) -> TaskFile:
        try:
            text = read_text(self.path)
            front, body_line = split_frontmatter(text)
            document = read_yaml(front, first_line=2)
        except BadMarkdown as error:
            return self._broken(error.line, str(error))
        except YamlError as error:
            return self._broken(error.line, f"the frontmatter is not YAML: {error.message}")
        if not isinstance(document.value, dict):
            return self._broken(2, "the frontmatter has to hold keys: id, target, grader")
        return self._task(document, text, body_line)

    def _broken(self, line: int, message: str) -> TaskFile:
        return TaskFile(None, line, None, (Problem(self.shown, line, message),))

    def _note(self, line: int, message: str) -> None:
        self.problems.append(Problem(self.shown, line, message))

    def _task(self, document: Document, text: str, body_line: int) -> TaskFile:
        keys = self._keys(document)
        sections, bad = read_sections(text, body_line)
        for problem in bad:
            self._note(problem.line, str(problem))
        prompt = self._input(sections.get("Input"), body_line)
        line = document.line("id")
        expected = sections.get("Expected")
        if expected is None or not expected.text.strip():
            skipped = None if self.problems else NO_ORACLE
            return TaskFile(keys.get("id"), line, None, tuple(self.problems), skipped)
        graders = self._graders(keys.get("grader"), expected)
        if self.problems:
            return TaskFile(keys.get("id"), line, None, tuple(self.problems))
        return TaskFile(keys["id"], line, self._case(keys, document, prompt, graders))

    def _keys(self, document: Document) -> dict[str, JSON]:
        written: Mapping[str, JSON] = document.value
        for path, line in document.duplicates:
            self._note(line, f"the key {path[-1]!r} is written twice")
        for key in written:
            if key not in _KEYS:
                near = get_close_matches(key, _KEYS, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else "."
                self._note(document.line(key), f"unknown key {key!r}{hint} The keys are {', '.join(_KEYS)}")
        for key in ("id", "target", "grader"):
            if key not in written:
                self._note(1, f"the key {key!r} is missing")
        read: dict[str, JSON] = {}
        for key, value in written.items():
            complaint = self._complaint(key, value)
            if complaint:
                self._note(document.line(key), f"{key!r} {complaint}, not {value!r}")
            else:
                read[key] = value
        return read

    def _complaint(self, key: str, value: JSON) -> str | None:
        if key == "suite":
            folder = self.path.parent.name
            return None if value == folder else f"is the folder's name, {folder!r}"
        is_right, complaint = _CHECKS.get(key, _UNCHECKED)
        return None if is_right(value) else complaint

    def _input(self, section: Section | None, body_line: int) -> str:
        if section is None:
            self._note(body_line, "the section `## Input` is missing")
        elif not section.text.strip():
            self._note(section.heading_line, "`## Input` is empty")
        else:
            return section.text
        return ""

    def _graders(self, grader: str | None, expected: Section) -> tuple[GraderSpec, ...]:
        if TODO_ORACLE in expected.text:
            line = expected.line + expected.text[: expected.text.index(TODO_ORACLE)].count("\n")
            self._note(line, f"{TODO_ORACLE}: write what is expected; an oracle comes from a person")
            return ()
        if grader == "exact":
            source = Location(self.shown, expected.line)
            return (
                GraderSpec("exact", "exact", config={"expected": fenced_value(expected.text)}, source=source),
            )
        if grader is None:
            return ()
        items, bad = read_items(expected)
        for problem in bad:
            self._note(problem.line, str(problem))
        if not items:
            self._note(expected.line, f"`## Expected` of a task graded by {grader} is a list: `- …`")
        names = _names([item.text for item in items])
        specs = [self._item(grader, name, item) for name, item in zip(names, items, strict=True)]
        return tuple(spec for spec in specs if spec is not None)

    def _item(self, grader: str, name: str, item: ListItem) -> GraderSpec | None:
        source = Location(self.shown, item.line)
        if not item.text.strip():
            self._note(item.line, "an empty list item")
            return None
        if grader == "rubric":
            return GraderSpec(name, "rubric", config={"criteria": without_box(item.text)}, source=source)
        try:
            config = with_schema(parse(item.text), self.path)
        except NotAnAssertion as error:
            self._note(item.line, str(error))
            return None
        return GraderSpec(name, "assert", config=config, source=source)

    def _case(
        self, keys: Mapping[str, JSON], document: Document, prompt: str, graders: tuple[GraderSpec, ...]
    ) -> Case:
        kind, _, name = str(keys["target"]).partition(":")
        stem = self.path.stem
        return Case(
            id=keys["id"],
            name=stem,
            prompt=prompt,
            graders=graders,
            source=Location(self.shown, document.line("target")),
            weight=float(keys.get("weight", 1)),
            tags=tuple(keys.get("tags", ())),
            target=Target(kind, name.strip()),  # type: ignore[arg-type]  # checked by _is_target
            notes={
                "pattern": keys.get("pattern"),
                "slug": stem.removeprefix(keys["id"]).lstrip("-"),
                "grader": keys["grader"],
            },
        )


def read_text(path: Path) -> str:
    """A task's text: UTF-8 with or without a mark, line ends as LF. Raises `BadMarkdown`."""
    try:
        raw = read_regular(path, FILE_CAP)
    except Unreadable as error:
        raise BadMarkdown(1, error.message) from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise BadMarkdown(line, f"not UTF-8: byte 0x{raw[error.start]:02x}; save the file as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def with_schema(config: dict[str, JSON], task: Path) -> dict[str, JSON]:
    """The config of `conforms to` with its schema read in, so that the schema is part of what is graded.

    The schema's path is relative to the folder of the task's file. Raises `NotAnAssertion`.
    """
    if config["form"] != "schema":
        return config
    import json

    from jsonschema import SchemaError
    from jsonschema.validators import validator_for

    path = task.parent / config["path"]
    try:
        schema = json.loads(read_text(path))
        validator_for(schema).check_schema(schema)
    except (BadMarkdown, ValueError, SchemaError) as error:
        reason = error.message if isinstance(error, SchemaError) else str(error)
        raise NotAnAssertion(f"the schema {config['path']!r} is not usable: {reason}") from None
    return {**config, "schema": schema}


def _is_target(value: JSON) -> bool:
    kind, colon, name = value.partition(":") if isinstance(value, str) else ("", "", "")
    return bool(kind in _KINDS and colon and name.strip())


def _is_weight(value: JSON) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and value > 0


def _is_strings(value: JSON) -> bool:
    return isinstance(value, list) and all(isinstance(tag, str) and tag for tag in value)


_CHECKS: Mapping[str, tuple[Callable[[JSON], bool], str]] = {
    "id": (lambda value: isinstance(value, str) and bool(_ID.match(value)), "has the form G-001"),
    "target": (_is_target, "is skill:<name>, prompt:<path>, agent:<name> or feature:<id>"),
    "grader": (lambda value: value in _GRADERS, f"is one of {', '.join(_GRADERS)}"),
    "pattern": (lambda value: value in ("A", "B", "C"), "is A, B or C"),
    "weight": (_is_weight, "is a number above 0"),
    "tags": (_is_strings, "is a list of words, such as [smoke, short]"),
}
_UNCHECKED: tuple[Callable[[JSON], bool], str] = (lambda _: True, "")


def _names(texts: list[str]) -> list[str]:
    """One line each, unique within the task: what a report calls the check."""
    names: list[str] = []
    for text in texts:
        line = " ".join(without_box(text).split())
        name = line if len(line) <= 80 else line[:77] + "..."
        if name in names:
            again = sum(known == name or known.startswith(f"{name} (") for known in names)
            name = f"{name} ({again + 1})"
        names.append(name)
    return names
