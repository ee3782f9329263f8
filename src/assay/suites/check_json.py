"""`assay check` on `evals.json` files and trigger sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from assay.errors import Problem, SuiteError
from assay.suites.findings import Finding, finding, in_order
from assay.suites.json_file import read_json
from assay.suites.recognise import recognise
from assay.suites.selftest import try_graders
from assay.suites.skill_creator import EvalSet, read_evals
from assay.suites.trigger_set import read_trigger_set


def check_json(path: Path, shown: str | None = None) -> list[Finding]:
    """Every finding of a file of evals or triggers; a file that is neither is one finding."""
    name = path.as_posix() if shown is None else shown
    try:
        kind = recognise(read_json(path, name).value).kind
        found = _triggers(path, name) if kind == "triggers" else evals_findings(read_evals(path, name))
        return in_order(list(found))
    except SuiteError as error:
        return [finding("LOAD", one.path, one.line, one.message) for one in error.problems]


def is_checked(path: Path) -> bool:
    """Whether a JSON file found beside a suite is evals or a trigger set; others are none of our business."""
    try:
        return recognise(read_json(path).value).kind in ("evals", "triggers")
    except SuiteError:
        return path.stem in ("evals", "triggers")


def evals_findings(found: EvalSet) -> Iterator[Finding]:
    """What there is to say of a file of evals that was read."""
    yield from _once_each("J01", found.lost)
    yield from _once_each("J02", found.adapted)
    for case in found.cases:
        yield from try_graders(case)


def _once_each(code: str, problems: tuple[Problem, ...]) -> Iterator[Finding]:
    """The same words about many items are one finding, at the first of them."""
    counts = Counter(one.message for one in problems)
    for message, count in counts.items():
        first = next(one for one in problems if one.message == message)
        times = f" (so {count} times in this file)" if count > 1 else ""
        yield finding(code, first.path, first.line, message + times)


def _triggers(path: Path, shown: str) -> Iterator[Finding]:
    found = read_trigger_set(path, shown)
    yield from _once_each("J01", found.lost)
    labels = {case.should_trigger for case in found.cases}
    if len(labels) == 1:
        which = "should fire" if labels == {True} else "should stay quiet"
        yield finding(
            "J03", shown, None, f"all {len(found.cases)} queries {which}: a constant answer has a full score"
        )
    seen: set[tuple[str, str | None]] = set()
    for case in found.cases:
        key = (case.query, case.skill)
        if key in seen:
            short = case.query if len(case.query) <= 60 else case.query[:59] + "…"
            yield finding("J04", shown, None, f"the query {short!r} stands twice")
        seen.add(key)
