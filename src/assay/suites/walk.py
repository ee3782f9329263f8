"""Where a suite's cases are: folders that hold a prompt.md or case.yaml, found as the platform finds them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import Problem

NEVER_ENTERED = frozenset({"node_modules", ".claude", "results", "mocks", ".git"})
DEEPEST = 16
MOST_FOLDERS = 100_000
DEFINITIONS = frozenset({"prompt.md", "case.yaml"})


@dataclass(frozen=True, slots=True)
class CaseFolder:
    """A folder that is a case."""

    path: str
    """As the operating system opens it."""
    dir: str
    """Relative to the suite's root, forward slashes: what the case is known by."""
    entries: frozenset[str]
    """The names in it."""


@dataclass(slots=True)
class Walk:
    """What a walk found: cases by path, and the folders that it could not enter."""

    cases: list[CaseFolder] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    """Folder (relative, forward slashes) and reason."""
    folders: int = 0
    links: int = 0
    """Links to folders that were followed."""


def find_cases(start: Path, root: Path | None = None, *, only_under: str | None = None) -> Walk:
    """Every case at or below `start`, sorted by path; `dir`s are relative to `root` (default: `start`).

    With `only_under="evals"` a folder is a case only inside a folder of that name, as when a whole plugin is
    searched.
    """
    base = root or start
    below = "" if start == base else start.relative_to(base).as_posix()
    walk = Walk()
    inside = only_under is None or only_under in below.split("/")
    _Walker(walk, os.path.realpath(base), only_under).visit(str(start), below, 0, inside)
    walk.cases.sort(key=lambda case: code_units(case.dir))
    if walk.links:
        walk.cases = _once_each(walk.cases)
    walk.problems.sort()
    return walk


class _Walker:
    def __init__(self, walk: Walk, real_base: str, only_under: str | None) -> None:
        self._walk = walk
        self._real_base = real_base
        self._only_under = only_under

    def visit(self, path: str, below: str, depth: int, inside: bool) -> None:
        walk = self._walk
        walk.folders += 1
        if walk.folders > MOST_FOLDERS:
            if walk.folders == MOST_FOLDERS + 1:
                walk.problems.append(
                    (below, f"more than {MOST_FOLDERS:,} folders: the rest was not searched")
                )
            return
        try:
            with os.scandir(path) as found:
                entries = {entry.name: entry for entry in found}
        except OSError as error:
            walk.problems.append((below, f"cannot be read: {error.strerror}"))
            return
        if inside and any(_is_definition(entries[name]) for name in DEFINITIONS & entries.keys()):
            walk.cases.append(CaseFolder(path, below, frozenset(entries)))
            return
        for name, entry in sorted(entries.items()):
            if name not in NEVER_ENTERED:
                child = f"{below}/{name}" if below else name
                self._enter(entry, child, depth + 1, inside or name == self._only_under)

    def _enter(self, entry: os.DirEntry[str], below: str, depth: int, inside: bool) -> None:
        if entry.is_symlink():
            refusal = self._refused_link(entry)
            if refusal:
                if inside:
                    self._walk.problems.append((below, refusal))
                return
        if not entry.is_dir():
            return
        self._walk.links += entry.is_symlink()
        if depth > DEEPEST:
            reason = f"more than {DEEPEST} folders below the target: not searched; move the suite higher"
            self._walk.problems.append((below, reason))
            return
        self.visit(entry.path, below, depth, inside)

    def _refused_link(self, entry: os.DirEntry[str]) -> str | None:
        """Why a link is not followed; None for one that is, or that leads to a file."""
        target = os.path.realpath(entry.path)
        if not os.path.exists(target):  # noqa: PTH110 - one stat, in the hot loop of a walk
            return "a link to what does not exist"
        if not entry.is_dir():
            return None
        if _holds(target, os.path.realpath(os.path.dirname(entry.path))):  # noqa: PTH120 - as above
            return "a link to its own folder or one above it: not followed"
        if not _holds(self._real_base, target):
            return "a link that leads out of the suite: not followed; copy what it leads to"
        return None


def _once_each(cases: list[CaseFolder]) -> list[CaseFolder]:
    """A folder that links lead to as well is one case: the first by path."""
    first: dict[str, CaseFolder] = {}
    for case in cases:
        first.setdefault(os.path.realpath(case.path), case)
    return list(first.values())


def _is_definition(entry: os.DirEntry[str]) -> bool:
    """A folder called prompt.md does not make a case; anything else of that name does."""
    return not entry.is_dir() if not entry.is_symlink() else not os.path.isdir(entry.path)  # noqa: PTH112


def _holds(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def code_units(text: str) -> bytes:
    """The key that sorts texts as JavaScript does: by UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")


def problems_of(walk: Walk, shown: str) -> Iterator[Problem]:
    """What could not be entered, as problems of the folders; `shown` is how the root was named."""
    for below, reason in walk.problems:
        yield Problem(join(shown, below), None, reason)


def join(*parts: str) -> str:
    """Parts of a path with forward slashes; empty ones and `.` fall away."""
    return "/".join(part.rstrip("/") for part in parts if part not in ("", "."))
