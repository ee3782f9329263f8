"""Graders tried without a model: on an empty answer in an untouched workspace, and on stored samples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.errors import SuiteError, UsageError
from assay.graders import Bench, build
from assay.graders.roles import is_with_only
from assay.model import JSON, Case, GraderSpec, Transcript
from assay.suites.findings import Finding, finding
from assay.suites.json_file import read_json
from assay.suites.lint_graders import is_quiet

DETERMINISTIC = frozenset({"regex", "contains", "exact", "assert", "file_exists", "tool_used", "tool_order"})
"""Kinds of graders that need neither a model nor a process."""
NOTHING = Transcript("")
_ANSWER_KEYS = ("answer", "text", "output", "reply", "response")


def try_graders(case: Case) -> Iterator[Finding]:
    """Name the checks that pass with nothing done, and the case that does.

    A check that the skill stays quiet passes there by design and is not named; nor is one that asks for an
    absence, unless nothing else in the case fails.
    """
    passing: list[GraderSpec] = []
    for spec in case.graders:
        if spec.type not in DETERMINISTIC or not _passes(spec, NOTHING):
            continue
        passing.append(spec)
        if not is_quiet(spec) and not asks_for_absence(spec):
            yield _at(spec, "T01", "it passes on an empty answer in an untouched workspace")
    scored = [spec for spec in case.graders if not is_with_only(spec)] or list(case.graders)
    if scored and all(spec in passing for spec in scored) and not all(is_quiet(spec) for spec in scored):
        message = (
            f"{case.id}: every scored grader passes on an empty answer: doing nothing has the full score"
        )
        yield finding("T02", case.source.path, case.source.line, message)


def asks_for_absence(spec: GraderSpec) -> bool:
    """Whether a grader asks that something is not there: it passes on nothing by its nature."""
    config = spec.config
    if spec.type == "regex":
        return config.get("match") in ("not_contains", "count:0")
    if spec.type == "tool_used":
        return config.get("max") == 0
    if spec.type == "file_exists":
        return config.get("exists") is False
    if spec.type == "contains":
        return bool(config.get("negate"))
    return spec.type == "assert" and bool(config.get("negated"))


def try_samples(case: Case, shown: str) -> Iterator[Finding]:
    """Hold graders against a case's `samples/<grader>.json`: `{pass: [{answer}], fail: [{answer}]}`."""
    folder = case.folder / "samples" if case.folder else None
    if folder is None or not folder.is_dir():
        return
    by_name = {spec.name: spec for spec in case.graders}
    for path in sorted(folder.glob("*.json")):
        place = f"{shown}/samples/{path.name}"
        spec = by_name.get(path.stem)
        if spec is None:
            yield finding("S06", place, None, f"the case has no grader {path.stem!r}", severity="warning")
        elif spec.type in DETERMINISTIC:
            yield from _try_file(spec, path, place)


def _try_file(spec: GraderSpec, path: Path, place: str) -> Iterator[Finding]:
    try:
        file = read_json(path, place)
    except SuiteError as error:
        for problem in error.problems:
            yield finding("S06", problem.path, problem.line, problem.message)
        return
    if not isinstance(file.value, dict):
        yield finding("S06", place, None, "samples are {pass: [{answer}], fail: [{answer}]}")
        return
    for key, wanted in (("pass", True), ("fail", False)):
        samples = file.value.get(key, [])
        for index, sample in enumerate(samples if isinstance(samples, list) else ()):
            reason = _disagrees(spec, sample, wanted=wanted)
            if reason:
                yield finding("S06", file.shown, file.line(key, index), reason)


def _disagrees(spec: GraderSpec, sample: JSON, *, wanted: bool) -> str | None:
    answer = sample if isinstance(sample, str) else _answer(sample)
    if answer is None:
        return "the sample has no `answer`"
    if _passes(spec, Transcript(answer)) == wanted:
        return None
    said, should = ("fails", "pass") if wanted else ("passes", "fail")
    return f"grader {spec.name!r} {said} on a sample that should {should} ({_short(answer)})"


def _answer(sample: JSON) -> str | None:
    if not isinstance(sample, dict):
        return None
    return next((sample[key] for key in _ANSWER_KEYS if isinstance(sample.get(key), str)), None)


def _passes(spec: GraderSpec, transcript: Transcript) -> bool:
    try:
        return build(spec, Bench()).grade(transcript).passed is True
    except UsageError:
        return False


def _at(spec: GraderSpec, code: str, message: str) -> Finding:
    path, line = (spec.source.path, spec.source.line) if spec.source else ("", None)
    return finding(code, path, line, f"grader {spec.name!r}: {message}")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else line[:59] + "…")
