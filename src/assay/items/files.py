"""Which files make up an item, and the digest of their content."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from assay.errors import CannotRun, UsageError

JUNK_FOLDERS = frozenset(
    {".assay", ".git", ".hg", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".svn", ".venv"}
    | {"__pycache__", "node_modules"}
)
JUNK_FILES = frozenset({".DS_Store", ".git", "Thumbs.db", "desktop.ini"})
JUNK_ENDS = (".pyc", ".pyo", ".swp", "~")


def item_files(root: Path) -> list[tuple[str, Path]]:
    """The files of an item as (path relative to `root` with forward slashes, where it lies), sorted.

    Left out: junk, and what is about the item but not of it: the `evals/` of a skill or plugin (also of the
    skills within a plugin) and a `wiki/` beside a plugin's manifest. A file that is an item by itself has its
    own name as the path. Raises `CannotRun` for a link that leads out of the item or nowhere.
    """
    if root.is_file():
        return [(root.name, root)]
    real_root = root.resolve()
    found = sorted((_relative(path, root), path) for path in _walk(root, real_root))
    return [(name, path) for name, path in found if not _is_about_the_item(name)]


def digest_files(files: list[tuple[str, Path]]) -> str:
    """`sha256:…` of names and content: CRLF counts as LF in text, the file mode does not count at all."""
    whole = sha256()
    for name, path in files:
        whole.update(f"{name}\0".encode("utf-8", "surrogatepass"))
        whole.update(sha256(_content(path)).digest())
    return f"sha256:{whole.hexdigest()}"


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path.as_posix()} cannot be read: {error.strerror or error}") from error
    return content if b"\0" in content else content.replace(b"\r\n", b"\n")


def _relative(path: Path, root: Path) -> str:
    return unicodedata.normalize("NFC", path.relative_to(root).as_posix())


def _walk(folder: Path, real_root: Path) -> Iterator[Path]:
    """Every regular file below, links followed only where they stay inside and do not go round."""
    with os.scandir(folder) as entries:
        listed = list(entries)
    for entry in listed:
        path = Path(entry.path)
        if entry.is_symlink():
            _refuse_way_out(path, folder, real_root)
        if entry.is_dir():
            if entry.name not in JUNK_FOLDERS:
                yield from _walk(path, real_root)
        elif entry.is_file() and entry.name not in JUNK_FILES and not entry.name.endswith(JUNK_ENDS):
            yield path


def _refuse_way_out(path: Path, folder: Path, real_root: Path) -> None:
    target = path.resolve()
    if not target.exists():
        raise CannotRun(f"{path.as_posix()} is a link to nothing: mend or remove it")
    if not target.is_relative_to(real_root):
        raise CannotRun(f"{path.as_posix()} is a link that leads out of the item: put a copy there instead")
    if folder.resolve().is_relative_to(target):
        raise CannotRun(f"{path.as_posix()} is a link to a folder that holds it: remove it")


def _is_about_the_item(name: str) -> bool:
    parts = name.split("/")
    return parts[0] in ("evals", "wiki") or (parts[0] == "skills" and parts[2:3] == ["evals"])
