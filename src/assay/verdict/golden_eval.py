"""From the records of a golden run to its `golden-eval/1` result. Pure: no files, no clock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction

from assay.model import Case, Record, Suite, exact
from assay.schemas.golden_baseline import (
    UNKNOWN_USAGE,
    AcceptedSuite,
    GoldenBaseline,
    TaskUsage,
    Thresholds,
    joined,
    stamps,
)
from assay.schemas.golden_eval import NO_MODEL, BaselineStamp, GoldenEval, JudgeStamp
from assay.schemas.golden_suite import Check, SuiteResult, TaskResult, status_of
from assay.schemas.skill_eval import PartialReason, score_of_trials
from assay.schemas.triggers import SkillTriggers

__all__ = ["GoldenRun", "accepted", "case_key", "compared", "golden_eval", "merge_conflict", "run_id"]


@dataclass(frozen=True, slots=True)
class GoldenRun:
    """What a golden run knows beside its records."""

    id: str
    started: datetime
    model: str
    """As asked for; `none` where all targets are features."""
    harness: str
    planned: Mapping[str, int]
    """By `suite/G-NNN`: how many runs were planned."""
    whole: frozenset[str] = frozenset()
    """Suites whose every task was asked for."""
    is_whole: bool = False
    """True where every suite was."""
    judge: JudgeStamp | None = None
    partial_reason: PartialReason | None = None
    other_cost_usd: float | None = 0.0
    """What was paid beside the trials: trigger questions."""


def run_id(started: datetime) -> str:
    """`golden-<YYYYMMDDTHHMMSSZ>`."""
    return f"golden-{started.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def case_key(suite: str, task: str) -> str:
    """What a record of a golden run calls its case: ids are unique within their suite only."""
    return f"{suite}/{task}"


def golden_eval(
    suites: Sequence[Suite],
    records: Iterable[Record],
    run: GoldenRun,
    thresholds: Thresholds,
    baseline: GoldenBaseline | None = None,
    *,
    triggers: tuple[SkillTriggers, ...] = (),
) -> GoldenEval:
    """The result of a golden run: a task's score is the mean over its runs, exact.

    A run that died of infrastructure has no score: its task is incomplete, and so is the whole result.
    """
    found = sorted(records, key=lambda record: record.repeat)
    by_case: dict[str, list[Record]] = {}
    for record in found:
        by_case.setdefault(record.case, []).append(record)
    reported = sorted({record.model_reported for record in found if record.model_reported})
    measured = GoldenEval(
        run=run.id,
        date=f"{run.started.astimezone(UTC):%Y-%m-%d}",
        model=run.model,
        harness=run.harness,
        suites=tuple(_suite(suite, by_case, run) for suite in suites),
        is_whole=run.is_whole,
        triggers=triggers,
        partial_reason=run.partial_reason,
        model_reported=", ".join(reported) or None,
        judge=run.judge,
        cost_usd=_cost(found, run.other_cost_usd),
    )
    return compared(measured, thresholds, baseline)


def compared(result: GoldenEval, thresholds: Thresholds, baseline: GoldenBaseline | None) -> GoldenEval:
    """A result against thresholds and a baseline; what it was compared with before is dropped."""
    names = {suite.name for suite in result.suites}
    gone = [name for name in (baseline.suites if baseline else ()) if result.is_whole and name not in names]
    suites = [_compared_suite(suite, thresholds.of(suite.name), baseline) for suite in result.suites]
    return replace(
        result, suites=tuple(suites), baseline=_stamp(baseline), removed_suites=tuple(sorted(gone))
    )


def _suite(suite: Suite, by_case: Mapping[str, list[Record]], run: GoldenRun) -> SuiteResult:
    keys = {case.id: case_key(suite.name, case.id) for case in suite.cases}
    return SuiteResult(
        name=suite.name,
        targets=tuple(sorted({str(case.target) for case in suite.cases})),
        thresholds=Thresholds(),
        tasks=tuple(
            _task(case, by_case.get(keys[case.id], []), run.planned.get(keys[case.id], 0))
            for case in suite.cases
        ),
        is_whole=suite.name in run.whole,
        skipped=suite.skipped,
    )


def _task(case: Case, records: Sequence[Record], planned: int) -> TaskResult:
    scored = [record for record in records if record.score is not None]
    return TaskResult(
        id=case.id,
        weight=case.weight,
        planned=planned,
        trials=tuple((record.passed_weight, record.scored_weight) for record in scored),
        faults=tuple(record.fault.kind for record in records if record.fault),
        checks=tuple(_checks(scored)),
        usage=_usage(scored),
    )


def _compared_suite(
    suite: SuiteResult, thresholds: Thresholds, baseline: GoldenBaseline | None
) -> SuiteResult:
    before = baseline.suites.get(suite.name) if baseline else None
    ids = {task.id for task in suite.tasks}
    gone = sorted(task for task in (before.tasks if before and suite.is_whole else ()) if task not in ids)
    return replace(
        suite,
        thresholds=Thresholds(thresholds.pass_rate, thresholds.task_pass, thresholds.allow_regressions),
        tasks=tuple(_compared_task(task, before, baseline is not None) for task in suite.tasks),
        removed=tuple((task, before.tasks[task]) for task in gone) if before else (),
    )


def _compared_task(task: TaskResult, before: AcceptedSuite | None, has_baseline: bool) -> TaskResult:
    score = before.tasks.get(task.id) if before else None
    usage = before.usage.get(task.id, UNKNOWN_USAGE) if before else UNKNOWN_USAGE
    status = status_of(task.score, score, has_baseline)
    return replace(task, baseline=score, status=status, baseline_usage=usage)


def _checks(records: Sequence[Record]) -> Iterable[Check]:
    """The graders of a task in their order, counted over its runs."""
    names = dict.fromkeys(grade.name for record in records for grade in record.grades)
    for name in names:
        grades = [grade for record in records for grade in record.grades if grade.name == name]
        known = [grade for grade in grades if grade.passed is not None]
        failed = next((grade for grade in known if not grade.passed), None)
        yield Check(
            name=name,
            type=grades[0].type,
            passed=sum(grade.passed is True for grade in known),
            graded=len(known),
            explanation=failed.explanation if failed else "",
        )


def _usage(records: Sequence[Record]) -> TaskUsage:
    """Means over the runs; a value that one of the runs did not report is unknown."""
    return TaskUsage(
        _mean([record.usage.input_tokens for record in records]),
        _mean([record.usage.output_tokens for record in records]),
        _mean([record.usage.cost_usd for record in records]),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    return float(sum(map(exact, known), Fraction(0)) / len(known))


def _cost(records: Iterable[Record], other_usd: float | None) -> float | None:
    """What this run paid for, targets and judges together; None where a part of it is not known."""
    if other_usd is None:
        return None
    total = exact(other_usd)
    for record in records:
        if record.cached or record.outcome == "skipped":
            continue
        if record.usage.cost_usd is None and record.outcome == "scored":
            return None
        total += exact(record.usage.cost_usd or 0) + exact(record.judge_cost_usd or 0)
    return float(total)


def _stamp(baseline: GoldenBaseline | None) -> BaselineStamp | None:
    if baseline is None:
        return None
    return BaselineStamp(
        baseline.accepted, baseline.model, baseline.harness, baseline.run, baseline.integrity
    )


def accepted(result: GoldenEval, baseline: GoldenBaseline | None, today: str) -> GoldenBaseline:
    """The baseline that accepting a run makes: its tasks merged into those that it did not run.

    What a whole run no longer has is left out. `today` is `YYYY-MM-DD`.
    """
    kept = dict(baseline.suites) if baseline and not result.is_whole else {}
    suites = {
        **kept,
        **{suite.name: _accepted_suite(suite, baseline) for suite in result.suites if suite.tasks},
    }
    is_merge = baseline is not None and not result.is_whole
    return GoldenBaseline(
        accepted=today,
        model=baseline.model if is_merge and baseline and result.model == NO_MODEL else result.model,
        harness=joined(
            stamps(result.harness) | (stamps(baseline.harness) if is_merge and baseline else set())
        ),
        suites=suites,
        run=result.run,
    )


def _accepted_suite(suite: SuiteResult, baseline: GoldenBaseline | None) -> AcceptedSuite:
    before = baseline.suites.get(suite.name) if baseline and not suite.is_whole else None
    tasks = dict(before.tasks) if before else {}
    trials = dict(before.trials) if before else {}
    usage = dict(before.usage) if before else {}
    for task in suite.tasks:
        # The fresh runs of a drop are kept: those that flagged it were picked for being low.
        runs = task.confirmation.now if task.confirmation else task.trials
        tasks[task.id] = float(score_of_trials(runs) or 0)
        trials[task.id] = runs
        usage.pop(task.id, None)
        if task.usage.is_known:
            usage[task.id] = task.usage
    passed = sum(exact(score) >= exact(suite.thresholds.task_pass) for score in tasks.values())
    return AcceptedSuite(passed / len(tasks), tasks, trials, usage)


def merge_conflict(result: GoldenEval, baseline: GoldenBaseline | None) -> str | None:
    """Why a scoped run cannot be merged: the tasks that it leaves would carry a stamp that is not theirs."""
    if baseline is None or result.is_whole:
        return None
    changes = result.stamp_changes
    left = [
        f"{name}/{task}"
        for name, suite in baseline.suites.items()
        for task in suite.tasks
        if not _ran(result, name, task)
    ]
    if not changes or not left:
        return None
    return (
        f"{' and '.join(changes)}: {len(left)} accepted tasks were not run under it; run all tasks to accept"
    )


def _ran(result: GoldenEval, suite: str, task: str) -> bool:
    rows = (row for row in result.suites if row.name == suite)
    return any(row.is_whole or any(ran.id == task for ran in row.tasks) for row in rows)
