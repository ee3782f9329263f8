"""Where two texts differ, word by word, in bounded time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

WORDS_AT_MOST = 3000
"""Words of one side that are compared; longer texts are compared line by line."""
LINES_AT_MOST = 5000

_WORDS = re.compile(r"\S+\s*|\s+")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text; `is_own` where the other side does not have it."""

    text: str
    is_own: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """Two texts in pieces. `unit` says what was compared; None where they are too long for either."""

    one: tuple[Piece, ...]
    other: tuple[Piece, ...]
    unit: str | None

    @property
    def is_same(self) -> bool:
        return not any(piece.is_own for piece in (*self.one, *self.other))


def difference(one: str, other: str) -> Difference:
    """Compare two texts. The pieces of each side joined are that side."""
    if one == other:
        return Difference(whole(one), whole(other), "words")
    for unit, pattern, most in (("words", _WORDS, WORDS_AT_MOST), ("lines", _LINES, LINES_AT_MOST)):
        ours, theirs = pattern.findall(one), pattern.findall(other)
        if max(len(ours), len(theirs)) <= most:
            return Difference(*_pieces(ours, theirs), unit)
    return Difference(whole(one), whole(other), None)


def whole(text: str) -> tuple[Piece, ...]:
    """A text that is compared with nothing."""
    return (Piece(text, False),) if text else ()


def _pieces(ours: list[str], theirs: list[str]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    # White space at the end of a word does not count: a line break elsewhere is no difference.
    bare = [part.rstrip() for part in ours], [part.rstrip() for part in theirs]
    one: list[Piece] = []
    other: list[Piece] = []
    for kind, a, b, c, d in SequenceMatcher(None, *bare).get_opcodes():
        _add(one, "".join(ours[a:b]), kind != "equal")
        _add(other, "".join(theirs[c:d]), kind != "equal")
    return tuple(one), tuple(other)


def _add(pieces: list[Piece], text: str, is_own: bool) -> None:
    """The white space after what only one side has is nobody's own: a mark ends with its word."""
    end = len(text.rstrip()) if is_own else len(text)
    pieces += [Piece(part, own) for part, own in ((text[:end], is_own), (text[end:], False)) if part]
