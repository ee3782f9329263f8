"""The files of a case, read within the platform's bounds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from assay.model import JSON
from assay.suites import frontmatter
from assay.suites.regular_file import Unreadable, read_regular
from assay.suites.walk import code_units
from assay.suites.yaml12 import Document, YamlError, read_yaml

FILE_CAP = 1_048_576
"""Bytes that a prompt.md, case.yaml or grader file may have."""
MOST_GRADERS = 256


@dataclass(frozen=True, slots=True)
class Markdown:
    """A prompt.md or grader file. `head` is None where it has no frontmatter."""

    name: str
    head: Mapping[str, JSON] | None
    body: str
    document: Document | None = None

    def line(self, *path: str | int) -> int | None:
        return self.document.line(*path) if self.document else None


@dataclass(frozen=True, slots=True)
class Yaml:
    """A case.yaml: a mapping."""

    value: Mapping[str, JSON]
    document: Document

    def line(self, *path: str | int) -> int:
        return self.document.line(*path)


def read_text(path: str) -> str:
    """A regular file's text, as UTF-8 with replacement. Raises Unreadable."""
    return read_regular(path, FILE_CAP).decode("utf-8", "replace")


def read_markdown(path: str, name: str) -> Markdown:
    """A prompt.md or grader file. Raises Unreadable."""
    try:
        split = frontmatter.split(read_text(path))
    except frontmatter.Unterminated as error:
        raise Unreadable(str(error), 1) from None
    if split.head is None:
        return Markdown(name, None, split.body)
    try:
        document = read_yaml(split.head, split.head_line)
    except YamlError as error:
        raise Unreadable(f"the frontmatter is not YAML: {error.message}", error.line) from None
    value = {} if document.value is None else document.value
    if not isinstance(value, dict):
        raise Unreadable("the frontmatter has to be a mapping of keys to values", split.head_line)
    return Markdown(name, value, split.body, document)


def read_yaml_file(path: str) -> Yaml | None:
    """A case.yaml; None where it holds nothing, which counts as no file. Raises Unreadable."""
    text = read_text(path).removeprefix("\ufeff")
    if not frontmatter.trim(text):
        return None
    try:
        document = read_yaml(text)
    except YamlError as error:
        raise Unreadable(f"not YAML: {error.message}", error.line) from None
    if document.value is None:
        return None
    if not isinstance(document.value, dict):
        raise Unreadable("has to be a mapping of keys to values", 1)
    return Yaml(document.value, document)


def grader_files(folder: str) -> list[str]:
    """The names of the *.md files in `graders/`, sorted as the platform sorts them. Raises Unreadable."""
    try:
        with os.scandir(folder) as entries:
            found = [entry.name for entry in entries if entry.name.endswith(".md") and not entry.is_dir()]
    except NotADirectoryError:
        raise Unreadable("not a folder") from None
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from None
    if len(found) > MOST_GRADERS:
        raise Unreadable(f"has {len(found)} .md files; the platform reads at most {MOST_GRADERS}")
    return sorted(found, key=code_units)
