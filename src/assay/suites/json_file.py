"""JSON files of suites and results: bounded, any UTF, with the line of each thing in them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from assay.errors import Problem, SuiteError
from assay.model import JSON
from assay.suites.regular_file import Unreadable, read_regular

if TYPE_CHECKING:
    from assay.suites.yaml12 import Document

FILE_CAP = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class JsonFile:
    """A file's value, and its text for the lines of problems."""

    value: JSON
    text: str
    shown: str

    def line(self, *path: str | int) -> int | None:
        """The line of a key or list item; JSON is read again as YAML for it, so ask only for a problem."""
        document = _places(self.text)
        return document.line(*path) if document else None

    def problem(self, message: str, *path: str | int, code: str = "") -> Problem:
        return Problem(self.shown, self.line(*path), message, code)


@lru_cache(maxsize=4)
def _places(text: str) -> Document | None:
    """The text with its lines, read once for all problems of a file."""
    from assay.suites.yaml12 import YamlError, read_yaml

    try:
        return read_yaml(text)
    except YamlError:
        return None


def read_json(path: Path, shown: str | None = None) -> JsonFile:
    """A JSON file; with one object a line (`.jsonl`) it is a list. Raises SuiteError."""
    name = path.as_posix() if shown is None else shown
    try:
        data = read_regular(path, FILE_CAP)
    except Unreadable as error:
        _refuse(name, None, error.message)
    return parse_json(data, name, lines=path.suffix == ".jsonl")


def parse_json(data: bytes, shown: str, *, lines: bool = False) -> JsonFile:
    """The value of JSON bytes in UTF-8, UTF-16 or UTF-32, with or without a BOM. Raises SuiteError."""
    try:
        text = data.decode(json.detect_encoding(data)).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        _refuse(shown, data.count(b"\n", 0, error.start) + 1, "not UTF-8")
    if not lines:
        return JsonFile(_parse(text, shown, 1), text, shown)
    rows = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    return JsonFile([_parse(line, shown, number) for number, line in rows], text, shown)


def _parse(text: str, shown: str, first_line: int) -> JSON:
    def constant(name: str) -> NoReturn:
        raise ValueError(f"{name} is not JSON")

    try:
        return json.loads(text, parse_constant=constant)
    except json.JSONDecodeError as error:
        _refuse(shown, first_line + error.lineno - 1, f"not JSON: {error.msg} (column {error.colno})")
    except ValueError as error:
        _refuse(shown, first_line, f"not JSON: {error}")
    except RecursionError:
        _refuse(shown, first_line, "nested too deeply to be read")


def _refuse(shown: str, line: int | None, message: str) -> NoReturn:
    raise SuiteError([Problem(shown, line, message)])
