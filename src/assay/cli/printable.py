"""Text that authors and agents wrote, made safe for a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """One line without control characters: those are shown as escapes, such as `\\x1b`."""
    return "".join(letter if letter.isprintable() else _escape(letter) for letter in text)


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape", "surrogatepass").decode("ascii")
