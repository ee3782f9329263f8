"""Traps in the files themselves: what the platform's reader makes of them without a word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.model import JSON
from assay.suites import frontmatter
from assay.suites.case_files import FILE_CAP, Markdown
from assay.suites.fields import BODY_KEY, CASE_KEYS, CONTEXT_KEYS, EXECUTION_KEYS, GRADER_KEYS
from assay.suites.findings import Finding, Severity, finding
from assay.suites.regular_file import Unreadable, read_regular
from assay.suites.walk import CaseFolder, join
from assay.suites.yaml12 import Document, YamlError, read_yaml

_KNOWN_TOP = {*CASE_KEYS, "context", "execution", "graders"}
_ELSEWHERE = {
    **dict.fromkeys(EXECUTION_KEYS, "execution"),
    "prompt": "execution",
    **dict.fromkeys(CONTEXT_KEYS, "context"),
}
_VALUE_KEYS = "pattern|criteria|path|input_match|prompt|name|description|expected_outcome|tool"
_PLAIN_VALUE = re.compile(rf"^\s*(?:-\s+)?(?:{_VALUE_KEYS}):[ \t]+(?P<value>[^\s'\"|>#\[{{].*)$")
_CUT = re.compile(r"\s#")


@dataclass(frozen=True, slots=True)
class SuiteFile:
    """One file of a case, as it lies on disk."""

    name: str
    shown: str
    data: bytes

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "replace").removeprefix("\ufeff")


def case_files(folder: CaseFolder, shown: str) -> Iterator[SuiteFile]:
    """The files of a case that are read at all: prompt.md, case.yaml, graders/*.md."""
    base = Path(folder.path)
    paths = [base / name for name in ("prompt.md", "case.yaml") if name in folder.entries]
    graders = base / "graders"
    if graders.is_dir():
        paths += sorted(path for path in graders.iterdir() if path.name.endswith(".md"))
    for path in paths:
        name = path.relative_to(base).as_posix()
        try:
            yield SuiteFile(name, join(shown, name), read_regular(path, FILE_CAP))
        except Unreadable:  # said by the reader itself
            continue


def lint_file(file: SuiteFile) -> Iterator[Finding]:
    """The traps of one file by its bytes alone."""
    yield from _bytes(file)
    if file.name == "case.yaml":
        yield from _cut_values(file, file.text, 1)
        return
    try:
        split = frontmatter.split(file.text)
    except frontmatter.Unterminated:
        return
    if split.head is None:
        yield from _no_head(file, split.body)
    else:
        yield from _truncated(file, split)
        yield from _cut_values(file, split.head, split.head_line)


def _bytes(file: SuiteFile) -> Iterator[Finding]:
    try:
        file.data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = file.data.count(b"\n", 0, error.start) + 1
        wide = file.data[:2] in (b"\xff\xfe", b"\xfe\xff")
        what = "the file is UTF-16: it is read as text full of NULs" if wide else "shown as U+FFFD from here"
        yield finding("L19", file.shown, line, f"bytes that are not UTF-8: {what}")


def _no_head(file: SuiteFile, body: str) -> Iterator[Finding]:
    is_grader = file.name != "prompt.md"
    if re.match(r"[\s\ufeff]*---[ \t]*\r?\n", file.text):
        fate = "the grader is ignored" if is_grader else "keys and all, it is sent as the prompt"
        yield finding("L02", file.shown, 1, f"the opening `---` is not the first thing in the file: {fate}")
    elif is_grader and body and not file.name.casefold().endswith("/readme.md"):
        yield finding(
            "L03", file.shown, 1, "no frontmatter: the platform ignores the file, no grader comes of it"
        )


def _truncated(file: SuiteFile, split: frontmatter.Split) -> Iterator[Finding]:
    lines = file.text.split("\n")
    closing = lines[split.closing_line - 1].rstrip("\r") if split.closing_line <= len(lines) else ""
    if not closing.rstrip() or closing.strip() == "---":
        return
    if file.name == "prompt.md":
        fate = "what follows is sent to the agent as the prompt"
    else:
        fate = "what follows is the grader's body"
    yield finding(
        "L01", file.shown, split.closing_line, f"the `---` in {_shown(closing)} ends the frontmatter: {fate}"
    )


def _cut_values(file: SuiteFile, head: str, first_line: int) -> Iterator[Finding]:
    try:
        kept_texts = list(_texts(read_yaml(head).value))
    except YamlError:
        return
    for number, line in enumerate(head.split("\n"), first_line):
        match = _PLAIN_VALUE.match(line.rstrip("\r"))
        if match is None:
            continue
        value = match["value"].rstrip()
        if any(value in text for text in kept_texts):
            continue
        cut = _CUT.search(value)
        if cut:
            kept = value[: cut.start()].rstrip()
            yield finding("L13", file.shown, number, f"` #` begins a comment: only {_shown(kept)} is kept")
        if value[0] in "!&" and " " in value:
            what = "a tag" if value[0] == "!" else "an anchor"
            kept = value.partition(" ")[2].strip()
            yield finding(
                "L13",
                file.shown,
                number,
                f"{_shown(value.split()[0])} is {what}: only {_shown(kept)} is kept",
            )


def _texts(value: JSON) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def lint_heads(folder_shown: str, graders: list[Markdown]) -> Iterator[Finding]:
    """Grader files that were read: what their frontmatter hides."""
    for file in graders:
        head = file.head or {}
        key = BODY_KEY.get(str(head.get("type")))
        place = join(folder_shown, file.name)
        if key and key in head and file.body:
            # A pattern with prose below it is a comment more often than a lost pattern; criteria are not.
            severity: Severity = "note" if key == "pattern" else "warning"
            message = f"`{key}` stands in the frontmatter: the body is dropped"
            yield finding("L04", place, file.line(key), message, severity=severity)
        yield from _block_patterns(place, head, file.document, ())


def lint_case_yaml(shown: str, value: dict[str, object], document: Document) -> Iterator[Finding]:
    """Keys of case.yaml that do nothing, and patterns in its graders that keep a line end."""
    yield from _unknown(shown, value, document, (), _KNOWN_TOP)
    for part, known in (("execution", {*EXECUTION_KEYS, "prompt"}), ("context", set(CONTEXT_KEYS))):
        inner = value.get(part)
        if isinstance(inner, dict):
            yield from _unknown(shown, inner, document, (part,), known)
    graders = value.get("graders")
    for index, grader in enumerate(graders if isinstance(graders, list) else ()):
        if isinstance(grader, dict):
            yield from _block_patterns(shown, grader, document, ("graders", index))


def _unknown(
    shown: str, value: dict[str, object], document: Document, path: tuple[str, ...], known: set[str]
) -> Iterator[Finding]:
    for key in value:
        if key in known:
            continue
        where = _ELSEWHERE.get(key)
        mend = f"move it under `{where}:`" if where and where not in path else None
        name = ".".join((*path, key))
        yield finding(
            "L05", shown, document.line(*path, key), f"`{name}` is not read: it does nothing", mend=mend
        )


def _block_patterns(
    shown: str, grader: object, document: Document | None, path: tuple[str | int, ...]
) -> Iterator[Finding]:
    if not isinstance(grader, dict) or grader.get("type") not in GRADER_KEYS:
        return
    for key in ("pattern", "input_match", "path"):
        value = grader.get(key)
        if isinstance(value, str) and value.endswith("\n"):
            line = document.line(*path, key) if document else None
            yield finding("L23", shown, line, f"`{key}` ends in a line end, which has to be matched as well")


def _shown(text: str) -> str:
    short = text if len(text) <= 60 else text[:59] + "…"
    return f"`{short}`"
