"""From the document of `claude plugin eval` to records: pure, and wary of what the platform leaves open.

The grader's type stands only with the case, so grades join it by name; `runsPerCase` may disagree with the
runs made, so `arms` is counted; a run's `error` is the only sign of a usage limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from assay.errors import Unusable
from assay.graders.roles import weights
from assay.model import WITH, WITHOUT, Fault, Grade, Record, Usage, digest_of

if TYPE_CHECKING:
    from assay.model import JSON, FaultKind

SCHEMA_VERSION = 1
PAID = frozenset({"llm", "baseline"})
_SCORED_ENDS = re.compile(
    r"timed out after \d+s|exit \d+: Reached maximum number of turns|exit \d+: Prompt is too long"
)
_FAULTS: tuple[tuple[str, FaultKind], ...] = (
    (r"usage limit|limit reached|credit balance|hit your .{0,30}limit", "usage_limit"),
    (r"authenticate|API Error: 40[13]|/login|invalid api key", "auth"),
    (r"\(429\)|API Error: 429|rate limit", "rate_limit"),
    (r"API Error: 529|overloaded", "overloaded"),
    (r"API Error: 5\d\d|server-side issue", "server"),
    (r"empty or malformed response", "empty"),
    (r"timed? ?out", "api_timeout"),
    (r"connect|ECONN|network|socket", "network"),
    (r"interrupted", "interrupted"),
)


def records_of(document: JSON, run: str, prefix: str = "evals/") -> tuple[Record, ...]:
    """One record a run of the platform's; a case's id is its `dir` without `prefix`.

    A run that died of infrastructure is an error with its fault, whatever score the platform gave it; a
    time-out of the agent and a turn limit are scored. Raises `Unusable` for a document of another shape.
    """
    try:
        if document["schemaVersion"] != SCHEMA_VERSION:
            raise Unusable(f"the platform's result has schemaVersion {document['schemaVersion']!r}, not 1")
        return tuple(record for case in document["cases"] for record in _case(case, run, prefix))
    except (KeyError, TypeError, AttributeError) as error:
        raise Unusable(f"not a result of claude plugin eval: {error!r}") from error


def _case(case: JSON, run: str, prefix: str) -> Iterator[Record]:
    case_id = str(case["dir"]).removeprefix(prefix)
    declared = {grader["name"]: grader for grader in case["graders"]}
    for arm in (WITH, WITHOUT):
        for repeat, one in enumerate(case["arms"].get(arm) or (), 1):
            key = digest_of(["plugin-eval", run, case_id, arm, repeat])
            yield _record(one, declared, Record(run, key, case_id, arm, repeat, "scored"))


def _record(one: JSON, declared: Mapping[str, JSON], blank: Record) -> Record:
    grades = tuple(_grade(grader, declared) for grader in one["graders"])
    fault = fault_of_run(one, grades)
    passed, scored = (0.0, 0.0) if fault else _weights(one, grades, declared)
    judged = one.get("judgeCostUsd")
    return Record(
        run=blank.run,
        key=blank.key,
        case=blank.case,
        arm=blank.arm,
        repeat=blank.repeat,
        outcome="error" if fault else "scored",
        passed_weight=passed,
        scored_weight=scored,
        grades=grades,
        fault=fault,
        usage=Usage(cost_usd=_agents_cost(one.get("costUsd"), judged)),
        judge_cost_usd=judged,
        duration_s=one.get("durationSeconds"),
    )


def _grade(grader: JSON, declared: Mapping[str, JSON]) -> Grade:
    own = declared[grader["name"]]
    threw = str(grader.get("explanation", "")).startswith("grader threw")
    fault = Fault("judge", grader["explanation"]) if threw and own["type"] in PAID else None
    return Grade(
        name=grader["name"],
        type=own["type"],
        passed=None if fault else bool(grader["passed"]),
        weight=own["weight"],
        scored=grader["scored"] if "scored" in grader else not grader.get("withOnly", False),
        explanation=str(grader.get("explanation", "")),
        votes=tuple(bool(vote) for vote in grader.get("judgeVotes") or ()),
        evidence=grader.get("evidence"),
        fault=fault,
        trigger=own["type"] == "tool_used" and own["config"].get("tool") == "Skill",
    )


def fault_of_run(one: JSON, grades: Iterable[Grade]) -> Fault | None:
    """Why a run of the platform's has no score, where it has none."""
    error = one.get("error")
    if one.get("skippedPaidGraders"):
        return Fault("ceiling", "the platform skipped paid graders at the cost ceiling")
    if error and not _SCORED_ENDS.match(error):
        return Fault(_kind(error), error)
    if error and not one.get("turns") and error.startswith("timed out"):
        return Fault("api_timeout", f"no answer from the model: {error}")
    return next((grade.fault for grade in grades if grade.scored and grade.fault), None)


def _kind(error: str) -> FaultKind:
    for pattern, kind in _FAULTS:
        if re.search(pattern, error, re.IGNORECASE):
            return kind
    return "harness"


def _weights(one: JSON, grades: tuple[Grade, ...], declared: Mapping[str, JSON]) -> tuple[float, float]:
    """A run that mocks aborted, or that the platform left ungraded, failed with all its weight."""
    if grades:
        return weights(grades)
    return 0.0, weights(Grade(name, "", False, own["weight"]) for name, own in declared.items())[1]


def _agents_cost(whole: float | None, judged: float | None) -> float | None:
    return None if whole is None else max(0.0, whole - (judged or 0.0))
