"""Files that are whole or not there: written beside the target, flushed to the disk, then renamed.

`Disk` is the seam for tests: hand in one that dies at a chosen step, and see what the reader finds.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from assay.errors import StoreError
from assay.model import JSON


class Disk(Protocol):
    """The two steps of a whole write."""

    def write(self, path: Path, content: bytes) -> None:
        """Create `path` with the content, flushed to the disk."""

    def rename(self, source: Path, target: Path) -> None:
        """Put `source` in the place of `target`, flushed to the disk."""


class RealDisk:
    """The operating system's file system."""

    def write(self, path: Path, content: bytes) -> None:
        with path.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

    def rename(self, source: Path, target: Path) -> None:
        source.replace(target)
        with suppress(OSError):
            _sync_folder(target.parent)


REAL_DISK: Disk = RealDisk()


def write_whole(path: Path, content: str | bytes, disk: Disk = REAL_DISK) -> None:
    """Write a file in one step, or leave what was there; text goes out as UTF-8 with LF.

    Missing folders are made, a link is written through, and the mode of an existing file is kept. Raises
    `StoreError` where the disk refuses: full, read-only, no permission.
    """
    target = path.resolve()
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(target)
        disk.write(temporary, content if isinstance(content, bytes) else content.encode("utf-8"))
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o7777)
        disk.rename(temporary, target)
    except OSError as error:
        raise StoreError(f"{path.as_posix()} could not be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_json(path: Path, document: JSON, disk: Disk = REAL_DISK) -> None:
    """Write a JSON document whole: two spaces of indentation, a list of numbers on one line."""
    text = indented(document)
    # A raw line end never stands within a JSON string, so this touches lists only.
    text = re.sub(r"\[\n\s+([-+.\deE]+(?:,\n\s+[-+.\deE]+)*)\n\s+\]", _on_one_line, text)
    write_whole(path, f"{text}\n", disk)


def indented(document: JSON) -> str:
    """JSON text with two spaces of indentation. NaN and infinity, which are no JSON, become null."""
    import msgspec

    try:
        text = msgspec.json.encode(document)
    except (TypeError, UnicodeEncodeError):  # a mapping that is no dictionary, half of a surrogate pair
        return json.dumps(document, indent=2, ensure_ascii=False)
    return msgspec.json.format(text, indent=2).decode()


def _on_one_line(numbers: re.Match[str]) -> str:
    return f"[{', '.join(numbers[1].replace(',', ' ').split())}]"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes that ask for the same lock out of a folder; leaves no file behind.

    Where the platform has no `flock` (Windows) it does nothing.
    """
    try:
        from fcntl import LOCK_EX, flock
    except ImportError:
        yield
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise StoreError(f"{folder.as_posix()} could not be locked: {error.strerror or error}") from error
    try:
        flock(handle, LOCK_EX)
        yield
    finally:
        os.close(handle)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove_leftovers(target: Path) -> None:
    """What killed writers of the same file left beside it; a living writer's file stays."""
    leftovers = [path for path in target.parent.iterdir() if _is_leftover(path.name, target.name)]
    if not leftovers:
        return
    from psutil import pid_exists

    for path in leftovers:
        if not pid_exists(int(path.name.rsplit(".", 2)[1].split("-")[0])):
            path.unlink(missing_ok=True)


def _is_leftover(name: str, target: str) -> bool:
    if not (name.startswith(f".{target}.") and name.endswith(".tmp")):
        return False
    pid, dash, token = name[len(target) + 2 : -len(".tmp")].partition("-")
    return pid.isdigit() and dash == "-" and len(token) == 8
