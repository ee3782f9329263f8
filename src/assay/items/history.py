"""Items in git: the commit that holds one as it lies there, and one as a commit holds it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from assay.errors import CannotRun, UsageError


def revision_holding(project: Path, path: Path) -> str | None:
    """The commit checked out, where it holds `path` as it lies there; None outside git or with changes."""
    try:
        where = _within(project, path)
        tracked = _git(project, "ls-files", "-z", "--", where)
        changed = _git(project, "status", "--porcelain", "-z", "--untracked-files=all", "--", where)
        return None if changed or not tracked else resolve(project, "HEAD")
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
        raise CannotRun(f"git {arguments[0]} failed: {told.stderr.decode('utf-8', 'replace').strip()}")
    return told.stdout


def _run(project: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", *arguments], cwd=project, capture_output=True, check=False)
    except OSError as error:
        raise CannotRun(f"git could not be started: {error.strerror or error}") from error
