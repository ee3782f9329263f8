"""What agents and authors wrote, made safe to print: it is data, never a terminal's orders."""

from __future__ import annotations

import unicodedata

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def one_line(text: str, width: int = 300) -> str:
    """On one line, control and bidirectional characters escaped, cut to `width`."""
    shown = "".join(map(_visible, " ".join(text.split())))
    return shown if len(shown) <= width else f"{shown[: width - 3]}..."


def lines(text: str) -> str:
    """The same for text of several lines, uncut."""
    return "\n".join("".join(map(_visible, line)) for line in text.splitlines())


def _visible(letter: str) -> str:
    if letter != "\t" and unicodedata.category(letter) in _INVISIBLE:
        code = ord(letter)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    return letter
