"""From the records of an ablation run to its `skill-eval/1` result. Pure: no files, no clock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction

from assay.model import JSON, WITH, WITHOUT, Record, Suite
from assay.schemas.skill_eval import (
    CaseScores,
    PairOfWeights,
    PartialReason,
    SkillEval,
    mean_of_cases,
    score_of_trials,
)
from assay.verdict.activation import activation_figures

__all__ = ["CaseScores", "RunInfo", "SkillEval", "cost_of", "run_id", "skill_eval"]


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What a run knows beside its records."""

    item: str
    item_digest: str
    model: str
    """As it was asked for: the key that bests are kept under."""
    harness: str
    """`name@version`."""
    started: datetime
    max_cost_usd: float
    planned: Mapping[str, int]
    """By case id: how many trials were planned on each arm."""
    judge_model: str | None = None
    curtailed: bool = False
    """True where it stopped because no remaining trial could change a rejection."""
    run: str | None = None
    """The id that the store gave the run; None: made of the item and the start."""
    partial_reason: PartialReason | None = None
    """Why planned trials are missing, where the engine says so; else it is read off the records."""


def run_id(item: str, started: datetime, kind: str = "eval") -> str:
    """`eval-<item>-<YYYYMMDDTHHMMSSZ>`; white space and markup in the name become hyphens."""
    safe = "".join("-" if letter.isspace() or letter in "<>|" else letter for letter in item)
    return f"{kind}-{safe}-{started.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def skill_eval(
    suite: Suite, records: Iterable[Record], info: RunInfo, evidence: Mapping[str, JSON] | None = None
) -> SkillEval:
    """The result of a run: means over the cases that have both arms, each case of equal weight.

    A trial that died of infrastructure has no score and is counted in its case's `errors`; the result is then
    partial, as it is where a planned trial is missing. A curtailed run is not partial for what it left out.
    """
    found = tuple(records)
    by_case: dict[str, list[Record]] = {case.id: [] for case in suite.cases}
    for record in found:
        by_case[record.case].append(record)
    cases = tuple(_case_scores(case, rows) for case, rows in by_case.items())
    trials = [case.trials or {} for case in cases]
    reason = _partial_reason(by_case, info)
    passed, counted = _triggers(found)
    figures = activation_figures(suite.cases, found)
    reported = sorted({record.model_reported for record in found if record.model_reported})
    return SkillEval(
        item=info.item,
        run=info.run or run_id(info.item, info.started),
        date=f"{info.started.astimezone(UTC):%Y-%m-%d}",
        model=info.model,
        with_score=_number(mean_of_cases(trials, WITH)),
        without_score=_number(mean_of_cases(trials, WITHOUT)),
        trigger_rate=passed / counted if counted else None,
        cases=cases,
        cost_usd=cost_of(found),
        max_cost_usd=info.max_cost_usd,
        partial=reason is not None,
        partial_reason=reason,
        curtailed=info.curtailed,
        model_reported=", ".join(reported) or None,
        judge_model=info.judge_model,
        harness=info.harness,
        item_digest=info.item_digest,
        suite_digest=suite.digest,
        evidence=evidence,
        activation=figures.to_document() if figures else None,
    )


def _case_scores(case: str, records: Sequence[Record]) -> CaseScores:
    trials = {arm: _weights(records, arm) for arm in (WITH, WITHOUT)}
    passed, counted = _triggers(records)
    return CaseScores(
        name=case,
        with_score=_number(score_of_trials(trials[WITH])),
        without_score=_number(score_of_trials(trials[WITHOUT])),
        trigger_rate=passed / counted if counted else None,
        runs_with=_ran(records, WITH),
        runs_without=_ran(records, WITHOUT),
        errors=sum(record.outcome == "error" for record in records),
        trials=trials,
        triggers=(passed, counted),
    )


def _weights(records: Iterable[Record], arm: str) -> tuple[PairOfWeights, ...]:
    rows = sorted((row for row in records if row.arm == arm and row.outcome == "scored"), key=_repeat)
    return tuple((row.passed_weight, row.scored_weight) for row in rows)


def _ran(records: Iterable[Record], arm: str) -> int:
    return sum(record.arm == arm and record.outcome == "scored" for record in records)


def _triggers(records: Iterable[Record]) -> tuple[int, int]:
    """(passed, all) of the trigger results on the arm with the item."""
    scored = (record for record in records if record.arm == WITH and record.outcome == "scored")
    results = [grade.passed for record in scored for grade in record.grades if grade.trigger]
    known = [result for result in results if result is not None]
    return sum(known), len(known)


def _partial_reason(by_case: Mapping[str, Sequence[Record]], info: RunInfo) -> PartialReason | None:
    if info.partial_reason:
        return info.partial_reason
    kinds = {row.fault.kind for rows in by_case.values() for row in rows if row.fault}
    if "interrupted" in kinds:
        return "interrupted"
    if "ceiling" in kinds:
        return "cost_ceiling"
    if any(row.outcome == "error" for rows in by_case.values() for row in rows):
        return "errors"
    is_short = any(
        _ran(by_case.get(case, ()), arm) < count
        for case, count in info.planned.items()
        for arm in (WITH, WITHOUT)
    )
    return "interrupted" if is_short and not info.curtailed else None


def cost_of(records: Iterable[Record]) -> float | None:
    """What this run paid for, agents and judges together; None where a trial's cost is not known."""
    total = 0.0
    for record in records:
        if record.cached or record.outcome == "skipped":
            continue
        if record.usage.cost_usd is None and record.outcome == "scored":
            return None
        total += (record.usage.cost_usd or 0.0) + (record.judge_cost_usd or 0.0)
    return total


def _repeat(record: Record) -> int:
    return record.repeat


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
