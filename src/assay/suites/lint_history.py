"""Graders that told nothing apart in the runs that are stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.model import Case, Record
from assay.suites.findings import Finding, finding

ENOUGH = 6
"""Results that a grader must have before it is said to answer always the same."""


def lint_history(cases: Iterable[Case], records: Iterable[Record]) -> Iterator[Finding]:
    """Graders that passed, or failed, in every one of at least `ENOUGH` stored trials on all arms."""
    answers: dict[tuple[str, str], list[bool]] = {}
    for record in records:
        for grade in record.grades:
            if grade.passed is not None:
                answers.setdefault((record.case, grade.name), []).append(grade.passed)
    for case in cases:
        for spec in case.graders:
            given = answers.get((case.id, spec.name), [])
            if len(given) < ENOUGH or len(set(given)) > 1:
                continue
            said = "passed" if given[0] else "failed"
            place = spec.source or case.source
            message = f"grader {spec.name!r} {said} in all {len(given)} stored trials"
            yield finding("L22", place.path, place.line, message)
