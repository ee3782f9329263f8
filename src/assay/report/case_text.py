"""One case of a stored run for people: what each trial was given, did, left, and how it was graded."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.report.numbers import plural, score
from assay.report.printable import lines, one_line

if TYPE_CHECKING:
    from assay.report.caps import Shown
    from assay.report.detail import Call, CaseDetail, GradeShown, SightShown, TrialShown

COLUMNS = 80
_MARKS = {"passed": "yes", "failed": "NO", "error": "ERR"}


def case_text(detail: CaseDetail) -> str:
    """The case, its prompt, and each trial with its checks, tool calls, files and output."""
    return "\n".join(_lines(detail))


def _lines(detail: CaseDetail) -> Iterator[str]:
    case = detail.case
    arms = ", ".join(f"{arm.arm} {score(arm.score)}" for arm in case.arms)
    yield f"{one_line(case.id)}: {case.status}; {arms or 'nothing was scored'}"
    if detail.prompt:
        yield f"prompt ({one_line(detail.place or 'unknown')})"
        yield from _quoted(detail.prompt)
    else:
        yield "prompt: the case is no longer what was run"
    for sight in detail.sights:
        yield from _sight(sight)
    for round_ in detail.rounds:
        for trial in round_.trials.values():
            yield ""
            yield from _trial(trial)


def _sight(sight: SightShown) -> Iterator[str]:
    seen = (f"{kind}: {', '.join(name for name, _ in names)}" for kind, names in sight.kinds.items())
    told = "; ".join(seen) or "nothing"
    more = f"; and {sight.left_out} more" if sight.left_out else ""
    yield from _wrapped(f"{told}{more}", f"{sight.arm} saw ", "  ")


def _trial(trial: TrialShown) -> Iterator[str]:
    record = trial.record
    facts = " · ".join(f"{name} {value}" for name, value in trial.facts)
    yield from _wrapped(
        f"score {score(record.score)} · {facts}" if facts else f"score {score(record.score)}",
        f"{record.arm} #{record.repeat}  ",
        "  ",
    )
    if record.fault:
        yield from _wrapped(f"{record.fault.kind}: {record.fault.message}", "  error  ", "         ")
    for grade in trial.grades:
        yield from _grade(grade)
    for note in trial.notes:
        yield from _wrapped(note, "  note  ", "        ")
    if trial.calls:
        yield "  tool calls"
        for call in trial.calls:
            yield from _call(call)
        if trial.calls_left_out:
            yield f"    and {plural(trial.calls_left_out, 'call')} more"
    for file in trial.files:
        about = f", {file.note}" if file.note else ""
        yield f"  file {one_line(file.path)}, {file.size:,} bytes{about}"
    if trial.is_empty:
        yield "  output: none"
    else:
        yield "  output"
        text = lines("".join(piece.text for piece in trial.output))
        yield from (f"  | {line}".rstrip() for line in text.splitlines())


def _grade(shown: GradeShown) -> Iterator[str]:
    grade = shown.grade
    told = f"{grade.name} ({grade.type})"
    if shown.explanation.head:
        told += f": {shown.explanation.head}"
    if not grade.scored:
        told += " (not counted)"
    if len(grade.votes) > 1:
        told += f" ({sum(grade.votes)} of {len(grade.votes)} votes)"
    yield from _wrapped(told, f"  {_MARKS[shown.mark]:<4} ", "       ")
    if shown.evidence:
        yield from _wrapped(f"“{shown.evidence.head}”", "       ", "       ")


def _call(call: Call) -> Iterator[str]:
    lead = "    " + "  " * call.depth
    yield f"{lead}{one_line(f'{call.name} {call.input.head}', COLUMNS - len(lead))}"
    if call.result is not None:
        sign = "error: " if call.is_error else ""
        yield f"{lead}  → {sign}{one_line(call.result.head, COLUMNS - len(lead) - len(sign) - 4)}"


def _quoted(shown: Shown) -> Iterator[str]:
    yield from (f"| {line}".rstrip() for line in lines(shown.head).splitlines())
    if shown.left_out:
        yield f"| … {shown.left_out:,} characters are not shown …"
        yield from (f"| {line}".rstrip() for line in lines(shown.tail).splitlines())


def _wrapped(text: str, lead: str, indent: str) -> list[str]:
    return textwrap.wrap(one_line(text, 2_000), COLUMNS, initial_indent=lead, subsequent_indent=indent)
