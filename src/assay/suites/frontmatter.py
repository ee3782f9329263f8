"""The head of prompt.md and of a grader file, cut as the platform's loader cuts it.

Its scanner is lazy: the first `---` after the opening line ends the head, also inside a value or a comment.
Readers of other files (golden tasks, SKILL.md) do not use it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

SPACE = "\t\n\x0b\x0c\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""What JavaScript takes for white space, as a class of a regular expression."""

_TRIMMED = "".join(chr(code) for code in range(0x2000, 0x200B)) + SPACE.replace("\u2000-\u200a", "")
_OPENING = re.compile(rf"---[{SPACE}]*\n")
_HEAD = re.compile(rf"(?>---[{SPACE}]*\n)(.*?)---[{SPACE}]*", re.DOTALL)
"""Atomic: blank lines after the opening are not tried again, which a file full of them never ended."""


class Unterminated(ValueError):
    """A head that is opened and never closed."""


@dataclass(frozen=True, slots=True)
class Split:
    """A file in two. `head` is None where there is none; the body is trimmed as JavaScript trims."""

    head: str | None
    body: str
    head_line: int = 1
    """The line of the file that the head's text starts on."""
    closing_line: int = 1
    """The line that the closing `---` stands on."""


def split(text: str) -> Split:
    """Cut a file's text (a BOM is taken off) into head and body. Raises Unterminated."""
    text = text.removeprefix("\ufeff")
    if not text.startswith("---"):
        return Split(None, trim(text))
    match = _HEAD.match(text)
    if match is None:
        if _OPENING.match(text):
            raise Unterminated('unterminated frontmatter: an opening "---" and no closing "---"')
        return Split(None, trim(text))
    head_line = 1 + text.count("\n", 0, match.start(1))
    closing_line = head_line + match[1].count("\n")
    return Split(match[1], trim(text[match.end() :]), head_line, closing_line)


def trim(text: str) -> str:
    """`String.prototype.trim`: other characters than Python's `strip` takes off."""
    return text.strip(_TRIMMED)
