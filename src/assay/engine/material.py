"""The content of what a case lays before the agent beside its prompt: part of what produced a trial."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.model import Case

NOT_SHOWN = frozenset({"graders", "samples", "results"})
"""Folders of a case that no run sees."""


def material_digest(case: Case) -> str | None:
    """Of the scaffold, history, added folders and plugins that the case names; None where it names none.

    A scaffold script may take any file beside it, so with one the whole case counts, but for its graders.
    """
    settings, folder = case.settings, case.folder
    if folder is None:
        return None
    named = [*settings.add_dirs, *case.plugins, *([settings.history_file] if settings.history_file else [])]
    paths = [folder / name for name in named] + ([folder] if settings.scaffold_script else [])
    if not paths:
        return None
    whole = sha256()
    for path in paths:
        for name, file in sorted(_files(path)):
            whole.update(f"{name}\0".encode("utf-8", "surrogatepass"))
            whole.update(sha256(file.read_bytes()).digest())
        whole.update(b"\1")
    return whole.hexdigest()


def _files(path: Path) -> Iterator[tuple[str, Path]]:
    if path.is_file():
        yield path.name, path
    elif path.is_dir():
        for entry in path.iterdir():
            if entry.name not in NOT_SHOWN and entry.name != ".git" and not entry.is_symlink():
                yield from ((f"{path.name}/{name}", file) for name, file in _files(entry))
