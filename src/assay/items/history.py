"""Items in git: the commit that holds one as it lies there, and one as a commit holds it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.errors import CannotRun, UsageError

LOOKED_BACK = 50
"""Commits that are searched for the one that holds an item."""


def revision_holding(project: Path, path: Path) -> str | None:
    """The commit checked out, where it holds `path` as it lies there; None outside git or with changes."""
    try:
        where = _within(project, path)
        tracked = _git(project, "ls-files", "-z", "--", where)
        changed = _git(project, "status", "--porcelain", "-z", "--untracked-files=all", "--", where)
        return None if changed or not tracked else resolve(project, "HEAD")
    except (CannotRun, UsageError):
        return None


def last_change(project: Path, path: Path) -> str | None:
    """The newest commit that changed a file, where the file lies there as committed; else None."""
    try:
        where = _within(project, path)
        if _git(project, "status", "--porcelain", "-z", "--", where):
            return None
        return _git(project, "log", "-1", "--format=%H", "--", where).decode("ascii").strip() or None
    except (CannotRun, UsageError):
        return None


def resolve(project: Path, revision: str) -> str:
    """The full name of a commit. Raises `UsageError` where git knows no such revision."""
    asked = f"{revision}^{{commit}}"
    told = _run(project, "rev-parse", "--verify", "--quiet", "--end-of-options", asked)
    if told.returncode:
        raise UsageError(f"git knows no revision {revision!r} in {project.as_posix()}")
    return told.stdout.decode("ascii").strip()


def restore(project: Path, revision: str, path: Path, folder: Path) -> Path:
    """Write `path` as a commit holds it below `folder`; returns where it lies there.

    Raises `UsageError` where git knows no such revision, or the revision does not hold the path.
    """
    where = _within(project, path)
    listed = _git(project, "ls-tree", "-r", "-z", resolve(project, revision), "--", where)
    entries = [_entry(line) for line in listed.split(b"\0") if line]
    if not entries:
        raise UsageError(f"revision {revision!r} holds no {where}")
    for mode, name, blob in entries:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        content = _git(project, "cat-file", "blob", blob)
        if mode == "120000":
            target.symlink_to(content.decode("utf-8"))
        else:
            target.write_bytes(content)
            target.chmod(0o755 if mode == "100755" else 0o644)
    return folder / where


def revision_with(project: Path, path: Path, is_it: Callable[[str], bool]) -> str | None:
    """The newest commit that changed `path` and that `is_it` says is meant; None among the last fifty."""
    told = _run(project, "log", f"-{LOOKED_BACK}", "--format=%H", "--", _within(project, path))
    return next((revision for revision in told.stdout.decode("ascii").split() if is_it(revision)), None)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit, as a report names it."""

    revision: str
    date: str
    subject: str


def commits_between(project: Path, path: Path, good: str, bad: str) -> tuple[Commit, ...]:
    """The commits after `good` up to `bad` that changed `path`, oldest first; a merge counts as one.

    Raises `UsageError` where git knows either not, or `good` does not lie before `bad`.
    """
    first, last = resolve(project, good), resolve(project, bad)
    if _run(project, "merge-base", "--is-ancestor", first, last).returncode:
        raise UsageError(f"{good!r} does not lie before {bad!r} in the history")
    form = "--format=%H%x00%as%x00%s"
    told = _git(
        project,
        "log",
        "--first-parent",
        "--reverse",
        form,
        f"{first}..{last}",
        "--",
        _within(project, path),
    )
    rows = (line.split("\0") for line in told.decode("utf-8", "replace").splitlines() if line)
    return tuple(Commit(*row) for row in rows)


def patch(folder: Path, path: Path, place: str, lead: str) -> None:
    """Apply a patch to `place` in a folder outside of git; its paths may begin with `lead` (`project/`).

    Raises `UsageError` where it is no patch, changes anything else, or does not fit the files.
    """
    _git(folder, "init", "--quiet")
    try:
        depth = _depth(_changed(folder, path), path, place, lead)
        told = _run(folder, "apply", f"-p{depth}", "--", path.resolve().as_posix())
    finally:
        shutil.rmtree(folder / ".git", ignore_errors=True)
    if told.returncode:
        raise UsageError(f"{path.as_posix()} does not fit the item as it is: {_error(told)}")


def lead_of(project: Path) -> str:
    """Where the project lies in its repository: `` at the top, else such as `packages/project/`."""
    return _run(project, "rev-parse", "--show-prefix").stdout.decode("utf-8", "replace").strip()


def _changed(folder: Path, path: Path) -> list[str]:
    """The files that a patch changes, whatever is there. Outside of a repository git would leave some out."""
    told = _run(folder, "apply", "--numstat", "-z", "--", path.resolve().as_posix())
    if told.returncode:
        raise UsageError(f"{path.as_posix()} is no patch: {_error(told)}")
    rows = told.stdout.decode("utf-8", "replace").split("\0")
    return [row.split("\t", 2)[2] for row in rows if "\t" in row]


def _depth(names: list[str], path: Path, place: str, lead: str) -> int:
    """How many folders to strip from the patch's paths so that they are relative to the project."""
    for start in (lead, ""):
        if names and all(f"{name}/".startswith(f"{start}{place}/") for name in names):
            return 1 + start.count("/")
    others = [name for name in names if not f"{name}/".startswith((f"{lead}{place}/", f"{place}/"))]
    told = ", ".join(sorted(others)) or "it changes nothing"
    raise UsageError(f"{path.as_posix()} has to change {place} and nothing else: {told}")


def _entry(line: bytes) -> tuple[str, str, str]:
    """(mode, path, object) of a line of `git ls-tree`."""
    head, _, name = line.decode("utf-8", "surrogateescape").partition("\t")
    mode, _, blob = head.split(" ")
    return mode, name, blob


def _within(project: Path, path: Path) -> str:
    try:
        return path.resolve().relative_to(project.resolve()).as_posix()
    except ValueError as error:
        raise UsageError(f"{path.as_posix()} is not within {project.as_posix()}") from error


def _git(project: Path, *arguments: str) -> bytes:
    told = _run(project, *arguments)
    if told.returncode:
        raise CannotRun(f"git {arguments[0]} failed: {_error(told)}")
    return told.stdout


def _run(project: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", *arguments], cwd=project, capture_output=True, check=False)
    except OSError as error:
        raise CannotRun(f"git could not be started: {error.strerror or error}") from error


def _error(told: subprocess.CompletedProcess[bytes]) -> str:
    return told.stderr.decode("utf-8", "replace").strip()
