"""How much of each text a page shows, so that a large run stays a page that opens at once."""

from __future__ import annotations

from dataclasses import dataclass

OUTPUTS_OF_A_PAGE = 9_000_000
"""Characters of outputs in one page, shared by its trials."""
OUTPUT_AT_MOST, OUTPUT_AT_LEAST = 40_000, 600


@dataclass(frozen=True, slots=True)
class Shown:
    """A text as a page shows it: `tail` follows after `left_out` characters that are not shown."""

    head: str
    left_out: int = 0
    tail: str = ""


@dataclass(frozen=True, slots=True)
class Caps:
    """Characters shown of one text of each kind, and how many tool calls of one trial."""

    output: int = OUTPUT_AT_MOST
    tool: int = 2_000
    reason: int = 2_000
    tools: int = 200
    names: int = 200

    @classmethod
    def of(cls, trials: int) -> Caps:
        """What a page of that many trials can show of each."""
        share = OUTPUTS_OF_A_PAGE // max(trials, 1)
        output = max(OUTPUT_AT_LEAST, min(OUTPUT_AT_MOST, share))
        if trials <= 200:
            return cls(output)
        return cls(output, tool=max(200, min(1_000, share // 4)), reason=600, tools=40, names=80)

    def halved(self) -> Caps:
        """Half as much of everything."""
        return Caps(self.output // 2, self.tool // 2, self.reason // 2, max(self.tools // 2, 1), self.names)


def shorten(text: str, most: int) -> Shown:
    """The text, or its beginning and its end where it is longer than `most` characters."""
    if len(text) <= most:
        return Shown(text)
    tail = most // 4
    head = most - tail
    return Shown(text[:head], len(text) - most, text[len(text) - tail :] if tail else "")
