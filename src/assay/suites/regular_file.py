"""The bytes of a regular file, within bounds: a pipe, a folder or an endless file is refused."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Not blocking: opening a pipe would wait for its writer for ever."""


class Unreadable(Exception):
    """Why a file cannot be taken in; `line` where the reason stands on one."""

    def __init__(self, message: str, line: int | None = None) -> None:
        self.message = message
        self.line = line
        super().__init__(message)


def read_regular(path: str | Path, cap: int) -> bytes:
    """A file's content of at most `cap` bytes; links are followed. Raises Unreadable."""
    try:
        handle = os.open(path, _FLAGS)
    except FileNotFoundError:
        what = "a link to what does not exist" if os.path.islink(path) else "not there"  # noqa: PTH114
        raise Unreadable(what) from None
    except (OSError, ValueError) as error:
        raise Unreadable(f"cannot be read: {_reason(error)}") from None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable("not a regular file")
        data = os.read(handle, min(status.st_size, cap) + 1)
        if len(data) != status.st_size:
            data += _rest(handle, cap + 1 - len(data))
    except OSError as error:
        raise Unreadable(f"cannot be read: {_reason(error)}") from None
    finally:
        os.close(handle)
    if len(data) > cap:
        raise Unreadable(f"larger than {cap:,} bytes")
    return data


def _rest(handle: int, size: int) -> bytes:
    parts: list[bytes] = []
    while size and (part := os.read(handle, size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _reason(error: OSError | ValueError) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
