"""Trigger results as text: precision, recall and specificity with 95 % intervals, and what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from assay.report.printable import one_line
from assay.schemas.triggers import Choice, SkillTriggers, Triggers
from assay.verdict.intervals import wilson

NO_SKILL = "none"
_WORDS = {"passed": "TRIGGERS PASSED", "failed": "TRIGGERS FAILED", "incomplete": "TRIGGERS INCOMPLETE"}


def triggers_text(result: Triggers) -> str:
    """The whole report of `assay triggers`."""
    blocks = [trigger_lines(result.skills, f"query and description only · {one_line(result.model)}")]
    if result.client:
        blocks.append(trigger_lines(result.client, f"the real client · {one_line(result.harness or '')}"))
        blocks.append(list(_differences(result.skills, result.client)))
    if result.catalog:
        blocks.append(_matrix(result.catalog))
    blocks.append([_WORDS[result.verdict]])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def trigger_lines(triggers: Iterable[SkillTriggers], how: str = "query and description only") -> list[str]:
    """One block: a line a skill, and a line an answer that is wrong or missing."""
    lines = [f"TRIGGERS — {how}"]
    for skill in triggers:
        word = "ERROR" if skill.errors else "pass" if skill.passed else "FAIL"
        shares = (
            ("precision", skill.precision),
            ("recall", skill.recall),
            ("specificity", skill.specificity),
        )
        told = " · ".join(f"{name} {_share(counts)}" for name, counts in shares)
        lines.append(f"  {one_line(skill.skill)}  {word}  {told}")
        lines += [f"    {said}" for said in _wrong(skill)]
    return lines


def _wrong(skill: SkillTriggers) -> Iterator[str]:
    for answer in skill.answers:
        if answer.fired is None:
            yield f"error: {one_line(answer.query)!r} ({one_line(answer.fault or 'no answer')})"
        elif not answer.passed:
            what = "fired, should not" if answer.fired else "did not fire, should"
            note = f" ({one_line(answer.note)})" if answer.note else ""
            yield f"{what}: {one_line(answer.query)!r}{note}"


def _share(counts: tuple[int, int]) -> str:
    """`9/10 (0.60 to 0.98)`, the interval Wilson's 95 %."""
    hits, all_ = counts
    if not all_:
        return "—"
    low, high = wilson(hits, all_)
    return f"{hits}/{all_} ({low:.2f} to {high:.2f})"


def _differences(asked: Sequence[SkillTriggers], client: Sequence[SkillTriggers]) -> Iterator[str]:
    """Where the description alone and the real client part: what neither of them tells by itself."""
    real = {(skill.skill, answer.query): answer.fired for skill in client for answer in skill.answers}
    both = [
        (skill.skill, answer.query, answer.fired, real.get((skill.skill, answer.query)))
        for skill in asked
        for answer in skill.answers
    ]
    known = [row for row in both if row[2] is not None and row[3] is not None]
    same = sum(one == other for _, _, one, other in known)
    yield f"The description alone and the client agree on {same} of {len(known)} queries"
    for skill, query, one, other in known:
        if one != other:
            said = "would load it, the client did not" if one else "would not, the client did"
            yield f"  {one_line(skill)}: {one_line(query)!r}: the description {said}"


def _matrix(choices: Sequence[Choice]) -> list[str]:
    """The confusion matrix: rows are what a query is for, columns what was chosen of all skills."""
    rows = Counter((_row(choice), choice.chosen or "error") for choice in choices)
    names = sorted(
        {choice.skill for choice in choices} | {chosen for _, chosen in rows} - {NO_SKILL, "error"}
    )
    columns = [*names, NO_SKILL, *(["error"] if any(chosen == "error" for _, chosen in rows) else [])]
    labels = sorted({row for row, _ in rows}, key=lambda row: (row.startswith("not "), row))
    width = max(map(len, [*labels, "should be"]))
    lines = ["CATALOG — which one skill, if any, out of all", _line("should be", columns, width, columns)]
    lines += [
        _line(label, [str(rows[label, name] or "·") for name in columns], width, columns) for label in labels
    ]
    lines += [f"  {said}" for said in _confusions(choices)]
    return lines


def _row(choice: Choice) -> str:
    return choice.skill if choice.should_trigger else f"not {choice.skill}"


def _line(label: str, cells: Sequence[str], width: int, columns: Sequence[str]) -> str:
    texts = (f"{one_line(cell):>{max(len(column), 5)}}" for cell, column in zip(cells, columns, strict=True))
    return f"  {one_line(label):<{width}}  {'  '.join(texts)}"


def _confusions(choices: Sequence[Choice]) -> Iterator[str]:
    for choice in choices:
        if choice.chosen is None:
            yield f"error: {one_line(choice.query)!r} ({one_line(choice.fault or 'no answer')})"
        elif not choice.passed:
            yield f"{one_line(choice.query)!r} goes to {one_line(choice.chosen)}, should be {_row(choice)}"
