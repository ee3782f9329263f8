"""JSON values over a pipe, each behind its length in four bytes: how the embedded model's processes talk."""

from __future__ import annotations

import json
import struct
from typing import IO

from assay.model import JSON

_LENGTH = struct.Struct(">I")


def write_frame(stream: IO[bytes], value: JSON) -> None:
    """Send one value. Raises `OSError` where nobody reads any more."""
    content = json.dumps(value, ensure_ascii=True).encode("ascii")
    stream.write(_LENGTH.pack(len(content)) + content)
    stream.flush()


def read_frame(stream: IO[bytes]) -> JSON | None:
    """The next value, or None where the other side is gone, also in the middle of one."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    content = stream.read(length)
    return json.loads(content) if len(content) == length else None
