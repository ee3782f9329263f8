"""A gate's decision as text of at most 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from assay.model import JSON
from assay.report.evidence_text import evidence_lines
from assay.store.record import Recorded
from assay.verdict.gate import Decision

COLUMNS = 80
_MARKS = {True: "yes ", False: "NO  ", None: "skip"}


def gate_text(decision: Decision, recorded: Recorded | None = None, note: str = "") -> str:
    """The answer first, then each condition, what differs, and what was written or done."""
    return "\n".join(_lines(decision, recorded, note))


def _lines(decision: Decision, recorded: Recorded | None, note: str) -> Iterator[str]:
    answer = "accept" if decision.accepted else "reject"
    yield from _wrapped(f"{answer}: {decision.item} on {decision.model} ({decision.run})", "", "        ")
    for condition in decision.conditions:
        yield from _wrapped(condition.text, f"  {_MARKS[condition.holds]}  ", " " * 8)
    for mismatch in decision.mismatches:
        yield from _wrapped(f"meant, as --accept-mismatch says: {mismatch}", "  note  ", " " * 8)
    if decision.attempts and decision.attempts["number"] > 1:
        yield from _wrapped(_tries(decision.attempts), "  tries ", " " * 8)
    if decision.evidence:
        yield from evidence_lines(decision.evidence, "  ")
    if recorded:
        told = f"ledger row {recorded.row}; baseline {recorded.baseline}"
        yield from _wrapped(told, "  wrote ", " " * 8)
    if note:
        yield from _wrapped(note, "  files ", " " * 8)


def _tries(attempts: Mapping[str, JSON]) -> str:
    number, unknown = attempts["number"], attempts["unknown"]
    told = f"{number} results were judged against this record so far"
    if number == unknown:
        return told
    of = f" ({unknown} not counted: their chance is not known)" if unknown else ""
    return f"{told}; luck alone accepts {attempts['expected_by_luck']:.2f} of them{of}"


def _wrapped(text: str, lead: str, indent: str) -> list[str]:
    plain = "".join(letter if letter.isprintable() else "�" for letter in text)
    return textwrap.wrap(plain, COLUMNS, initial_indent=lead, subsequent_indent=indent)
