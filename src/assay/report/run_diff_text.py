"""Two runs beside each other for people, in 80 columns; and the outputs of one case side by side."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

from assay.report.evidence_text import evidence_lines
from assay.report.numbers import UNKNOWN, plural, score
from assay.report.printable import lines, one_line
from assay.verdict.evidence_document import document_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.report.run_diff import CaseDiff, CheckDiff, RunDiff

COLUMNS = 80
NAME_WIDTH = 44
HALF = (COLUMNS - 3) // 2


def run_diff_text(diff: RunDiff) -> str:
    """One sentence, what was different about the runs, then the cases that changed, worst first."""
    return "\n".join(_lines(diff))


def _lines(diff: RunDiff) -> Iterator[str]:
    if diff.evidence:
        yield from evidence_lines(document_of(diff.evidence))
    else:
        yield "No verdict: the two runs have no scored case in common."
    yield ""
    yield from _wrapped(diff.before.id, "before  ")
    yield from _wrapped(diff.now.id, "now     ")
    for name, old, new in diff.differs:
        yield from _wrapped(f"{name}: {old} → {new}", "differs ")
    if not diff.differs:
        yield "        the recorded item, suite, harness and model are the same"
    changed = [case for case in diff.cases if case.is_changed]
    if changed:
        yield ""
        yield _row("case", "before", "now", "change")
    for case in changed:
        yield from _case(case)
    yield ""
    same = len(diff.cases) - len(changed)
    yield f"{plural(len(changed), 'case')} changed, {same} scored the same"
    for word, names in (("before", diff.only_before), ("now", diff.only_now)):
        if names:
            yield from _wrapped(f"only {word}: {', '.join(names)}", "")


def _case(case: CaseDiff) -> Iterator[str]:
    delta = UNKNOWN if case.delta is None else f"{case.delta:+.2f}"
    yield _row(_cut(case.id), score(case.before), score(case.now), delta)
    for check in case.checks:
        yield from _wrapped(_check(check), "    ", "      ")
    if case.errors[0] != case.errors[1]:
        yield f"    errors: {case.errors[0]} → {case.errors[1]}"


def _check(check: CheckDiff) -> str:
    shown = (f"{met} of {of}" if of else "not graded" for met, of in (check.before, check.now))
    return f"{check.name}: met {' → '.join(shown)}"


def _row(name: str, before: str, now: str, change: str) -> str:
    return f"{name:<{NAME_WIDTH}}  {before:>7}  {now:>7}  {change:>7}"


def _cut(name: str) -> str:
    shown = one_line(name)
    return shown if len(shown) <= NAME_WIDTH else f"{shown[: NAME_WIDTH - 1]}…"


def side_by_side(outputs: Sequence[tuple[int, Mapping[str, str | None]]]) -> str:
    """The outputs of a case, repeat by repeat: `before` on the left, `now` on the right."""
    told: list[str] = []
    for repeat, texts in outputs:
        told.append(f"{f'before #{repeat}':<{HALF}} │ now #{repeat}")
        told.append(f"{'─' * HALF}─┼─{'─' * HALF}")
        left, right = (_folded(texts.get(name)) for name in ("before", "now"))
        told += [f"{one:<{HALF}} │ {other}".rstrip() for one, other in zip_longest(left, right, fillvalue="")]
        told.append("")
    return "\n".join(told).rstrip()


def _folded(text: str | None) -> list[str]:
    if text is None:
        return ["(no transcript)"]
    folded: list[str] = []
    for line in lines(text).splitlines():
        folded += textwrap.wrap(line, HALF, drop_whitespace=False, replace_whitespace=False) or [""]
    return folded or ["(empty)"]


def _wrapped(text: str, lead: str, indent: str = "        ") -> list[str]:
    return textwrap.wrap(one_line(text, 2_000), COLUMNS, initial_indent=lead, subsequent_indent=indent)
