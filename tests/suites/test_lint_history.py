"""Graders that always answered the same."""

from __future__ import annotations

from assay.model import Case, Grade, GraderSpec, Location, Record
from assay.suites.lint_history import lint_history

CASE = Case("c", "c", "hi", tuple(GraderSpec(name, "regex") for name in "abc"), Location("c/prompt.md"))


def record(repeat, **passed):
    grades = tuple(Grade(name, "regex", answer) for name, answer in passed.items())
    return Record("run", f"k{repeat}", "c", "with", repeat, "scored", grades=grades)


def test_only_a_constant_answer_over_enough_trials_is_named():
    records = [record(n, a=True, b=n > 1, c=None if n == 1 else False) for n in range(1, 7)]
    assert [str(found) for found in lint_history([CASE], records)] == [
        "c/prompt.md: note [L22] grader 'a' passed in all 6 stored trials; make it harder, easier, or drop it"
    ]
    assert len(list(lint_history([CASE], [*records, record(7, c=False)]))) == 2
