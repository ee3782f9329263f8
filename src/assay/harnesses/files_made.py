"""The files that a trial left in its workspace: what it created, and what a grader reads of the rest."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from hashlib import sha256
from pathlib import Path

from assay.model import FileMade

TEXT_CAP = 10 * 1024 * 1024
"""Bytes of text kept of one file: what the platform's graders read at most."""
TOTAL_CAP = 32 * 1024 * 1024
"""Bytes of text kept of all files of one trial."""
FILES_CAP = 20_000
"""Files told of one trial."""
_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a")


def files_below(folder: Path) -> frozenset[str]:
    """Paths of the files and links below a folder, with forward slashes."""
    return frozenset(path for path, _ in _walk(folder))


def files_made(folder: Path, before: frozenset[str], read: Collection[str] = ()) -> tuple[FileMade, ...]:
    """What lies below `folder` and did not `before`, sorted; of the rest what `read` names."""
    room = TOTAL_CAP
    found = []
    for path, entry in sorted(_walk(folder)):
        if path in before and path not in read:
            continue
        made = _file(path, entry, path not in before, room)
        room -= len(made.text or "")
        found.append(made)
        if len(found) == FILES_CAP:
            break
    return tuple(found)


def _walk(folder: Path, prefix: str = "") -> Iterator[tuple[str, Path]]:
    try:
        entries = list(os.scandir(folder))
    except OSError:  # a folder that the agent closed or removed has nothing to tell
        return
    for entry in entries:
        path = f"{prefix}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), f"{path}/")
        elif entry.is_symlink() or entry.is_file():
            yield path, Path(entry.path)


def _file(path: str, entry: Path, created: bool, room: int) -> FileMade:
    status = entry.lstat()
    if entry.is_symlink() or status.st_nlink > 1:
        return FileMade(path, status.st_size, "", note="link", created=created)
    try:
        content = entry.read_bytes() if status.st_size <= TEXT_CAP else None
    except OSError as error:
        return FileMade(path, status.st_size, "", note=f"unreadable: {error.strerror}", created=created)
    if content is None:
        return FileMade(path, status.st_size, "", note="over the cap", created=created)
    digest = f"sha256:{sha256(content).hexdigest()}"
    note = _no_text(content, room)
    text = None if note else content.decode("utf-8-sig", "replace")
    return FileMade(path, len(content), digest, text, note, created)


def _no_text(content: bytes, room: int) -> str | None:
    if content.startswith(_IMAGES) or (content[:4] == b"RIFF" and content[8:12] == b"WEBP"):
        return "image"
    if b"\0" in content:
        return "binary"
    return "over the cap" if len(content) > room else None
