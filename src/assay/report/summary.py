"""The one view model of a finished run: every format renders it, none computes anything of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

from assay.model import WITH, WITHOUT
from assay.report.bearing import Bearing, bearing
from assay.report.claim import claim
from assay.schemas.golden_eval import GoldenEval
from assay.schemas.golden_eval import from_document as golden_from_document
from assay.schemas.golden_suite import TaskResult
from assay.schemas.skill_eval import SkillEval
from assay.schemas.skill_eval import from_document as skill_from_document
from assay.schemas.triggers import SkillTriggers

if TYPE_CHECKING:
    from assay.model import Record
    from assay.store.rows import Run

Status: TypeAlias = Literal["error", "failed", "passed"]
Flag: TypeAlias = Literal["failed", "changed", "flaky", "error"]

_ORDER: Mapping[Status, int] = {"error": 0, "failed": 1, "passed": 2}


@dataclass(frozen=True, slots=True)
class ArmSummary:
    """One arm of a case, or of the whole run. `score` is 0 to 1, None where nothing was scored."""

    arm: str
    score: float | None
    runs: int
    errors: int


@dataclass(frozen=True, slots=True)
class CaseSummary:
    """One case or golden task."""

    id: str
    status: Status
    arms: tuple[ArmSummary, ...]
    reference: float | None
    """What the score is compared with: the arm without the item, or the accepted baseline."""
    delta: float | None
    flags: frozenset[Flag]
    reasons: tuple[str, ...]
    """Why it failed or has no score, worst first: one line each."""
    duration_s: float | None
    cost_usd: float | None
    trials: tuple[Record, ...] = ()

    @property
    def score(self) -> float | None:
        """On the arm with the item."""
        return next((arm.score for arm in self.arms if arm.arm == WITH), None)


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a run was made with, and how much of it there is."""

    harness: str
    model: str
    started: str
    ended: str | None
    planned: int
    cached: int


@dataclass(frozen=True, slots=True)
class Summary:
    """A finished run, told once."""

    run: str
    kind: Literal["ablation", "golden", "triggers"]
    name: str
    sentence: str
    """What happened, in one sentence."""
    verdict: str
    passed: bool | None
    """Whether the run lets a gate pass; None where it does not decide (an ablation run, no baseline)."""
    arms: tuple[ArmSummary, ...]
    cases: tuple[CaseSummary, ...]
    """Worst first."""
    reference_name: str
    stamp: Stamp
    cost_usd: float | None
    partial_reason: str | None
    trigger_rate: float | None = None
    bearing: Bearing | None = None
    """What the numbers can bear; None while there is no result."""
    triggers: tuple[SkillTriggers, ...] = ()

    def flagged(self, flag: Flag) -> tuple[CaseSummary, ...]:
        return tuple(case for case in self.cases if flag in case.flags)


def summarise(run: Run, records: Iterable[Record]) -> Summary:
    """The view model of a stored run. Raises Unusable where its document is not what it should be."""
    found = tuple(records)
    by_case: dict[str, list[Record]] = {}
    for record in found:
        by_case.setdefault(record.case, []).append(record)
    if run.document is None:
        return _unfinished(run, found, by_case)
    if run.kind == "golden":
        return _golden(run, golden_from_document(run.document, run.id), found, by_case)
    return _ablation(run, skill_from_document(run.document, run.id), found, by_case)


# --- ablation runs ---


def _ablation(
    run: Run, result: SkillEval, records: Sequence[Record], by_case: Mapping[str, list[Record]]
) -> Summary:
    cases = []
    for scores in result.cases:
        trials = by_case.get(scores.name, [])
        arms = tuple(
            ArmSummary(arm, score, runs or 0, _errors(trials, arm))
            for arm, score, runs in (
                (WITH, scores.with_score, scores.runs_with),
                (WITHOUT, scores.without_score, scores.runs_without),
            )
        )
        status: Status = "error" if scores.delta is None else "failed" if scores.delta < 0 else "passed"
        cases.append(_case(scores.name, status, arms, (scores.without_score, scores.delta), trials))
    return Summary(
        run=run.id,
        kind="ablation",
        name=run.name,
        sentence=_ablation_sentence(result),
        verdict=claim(result.verdict, result.evidence),
        passed=None,
        arms=(
            _total(WITH, result.with_score, records),
            _total(WITHOUT, result.without_score, records),
        ),
        cases=_worst_first(cases),
        reference_name="without",
        partial_reason=result.partial_reason if result.partial else None,
        cost_usd=result.cost_usd,
        trigger_rate=result.trigger_rate,
        stamp=_stamp(run, records),
        bearing=_bearing(run, cases),
    )


def _ablation_sentence(result: SkillEval) -> str:
    if result.delta is None:
        return f"{result.item}: no verdict, an arm has no scored trial."
    words = {"improved": "scored higher with it", "no-signal": "scored the same with and without it"}
    claim = words.get(result.verdict or "", "scored lower with it")
    return f"{result.item}: the model {claim}: {result.delta:+.2f}."


# --- golden runs ---


def _golden(
    run: Run, result: GoldenEval, records: Sequence[Record], by_case: Mapping[str, list[Record]]
) -> Summary:
    cases = []
    for suite in result.suites:
        for task in suite.tasks:
            key = f"{suite.name}/{task.id}"
            is_drop = task.status == "regressed" and not suite.thresholds.allow_regressions
            failed = not task.passes(suite.thresholds) or is_drop
            status: Status = "error" if not task.is_complete else "failed" if failed else "passed"
            trials = by_case.get(key, [])
            arms = (ArmSummary(WITH, _float(task.score), len(task.trials), len(task.faults)),)
            cases.append(_case(key, status, arms, (task.baseline, _float(task.delta)), trials))
    scores = [suite.score for suite in result.suites if suite.score is not None]
    mean = float(sum(scores, Fraction(0)) / len(scores)) if scores else None
    return Summary(
        run=run.id,
        kind="golden",
        name=run.name,
        sentence=_golden_sentence(result),
        verdict=result.verdict,
        passed={"passed": True, "failed": False, "incomplete": False}.get(result.verdict),
        arms=(_total(WITH, mean, records),),
        cases=_worst_first(cases),
        reference_name="baseline",
        partial_reason=result.partial_reason,
        cost_usd=result.cost_usd,
        stamp=_stamp(run, records),
        bearing=_bearing(run, cases),
        triggers=result.triggers,
    )


def _golden_sentence(result: GoldenEval) -> str:
    tasks: list[TaskResult] = [task for suite in result.suites for task in suite.tasks]
    drops = sum(len(suite.regressed) for suite in result.suites)
    below = sum(len(suite.below) for suite in result.suites)
    counted = f"{len(tasks)} golden task{'s' if len(tasks) != 1 else ''}"
    if result.verdict == "passed":
        return f"{counted}: passed, none below the accepted baseline."
    if result.verdict == "informational":
        return f"{counted}: no baseline yet; accept a run to set one."
    if result.verdict == "incomplete":
        return f"{counted}: incomplete, {sum(not task.is_complete for task in tasks)} without a full score."
    return f"{counted}: failed, {drops} below the accepted baseline and {below} below what a task needs."


# --- what both share ---


def _unfinished(run: Run, records: Sequence[Record], by_case: Mapping[str, list[Record]]) -> Summary:
    """A run that is going on, or that was killed: what there is of it."""
    cases = []
    for name, trials in by_case.items():
        names = sorted({trial.arm for trial in trials})
        arms = tuple(
            ArmSummary(arm, _mean(trials, arm), _runs(trials, arm), _errors(trials, arm)) for arm in names
        )
        status: Status = "error" if any(trial.outcome == "error" for trial in trials) else "passed"
        cases.append(_case(name, status, arms, (None, None), trials))
    return Summary(
        run=run.id,
        kind=run.kind,
        name=run.name,
        sentence=f"{run.name}: {len(records)} of {run.planned} trials are done; there is no verdict yet.",
        verdict=run.state,
        passed=None,
        arms=tuple(_total(arm, _mean(records, arm), records) for arm in sorted({row.arm for row in records})),
        cases=_worst_first(cases),
        reference_name="without" if run.kind == "ablation" else "baseline",
        partial_reason=None,
        cost_usd=None,
        stamp=_stamp(run, records),
    )


def _bearing(run: Run, cases: Sequence[CaseSummary]) -> Bearing:
    scores: dict[str, list[float]] = {}
    for case in cases:
        for arm in case.arms:
            if arm.score is not None:
                scores.setdefault(arm.arm, []).append(arm.score)
    return bearing(run.document, scores)


def _stamp(run: Run, records: Sequence[Record]) -> Stamp:
    return Stamp(
        harness=run.harness,
        model=run.model or "default",
        started=run.started,
        ended=run.ended,
        planned=run.planned,
        cached=sum(record.cached for record in records),
    )


def _case(
    name: str,
    status: Status,
    arms: tuple[ArmSummary, ...],
    compared: tuple[float | None, float | None],
    trials: Sequence[Record],
) -> CaseSummary:
    reference, delta = compared
    flags: set[Flag] = set()
    if status == "failed":
        flags.add("failed")
    if any(trial.outcome == "error" for trial in trials) or status == "error":
        flags.add("error")
    if delta:
        flags.add("changed")
    if any(len({trial.score for trial in trials if trial.arm == arm.arm} - {None}) > 1 for arm in arms):
        flags.add("flaky")
    durations = [trial.duration_s for trial in trials if trial.duration_s is not None]
    costs = [(trial.usage.cost_usd, trial.judge_cost_usd) for trial in trials if not trial.cached]
    known = all(agent is not None for agent, _ in costs)
    return CaseSummary(
        id=name,
        status=status,
        arms=arms,
        reference=reference,
        delta=delta,
        flags=frozenset(flags),
        reasons=tuple(_reasons(trials)),
        duration_s=sum(durations) if durations else None,
        cost_usd=sum((agent or 0.0) + (judge or 0.0) for agent, judge in costs) if known else None,
        trials=tuple(trials),
    )


def _reasons(trials: Sequence[Record]) -> list[str]:
    """Each fault, then each check that counted and failed with the item loaded, once."""
    faults = [f"{row.fault.kind}: {row.fault.message}" for row in trials if row.fault]
    failed = [
        f"{grade.name}: {grade.explanation or 'not met'}"
        for row in trials
        if row.arm == WITH
        for grade in row.grades
        if grade.scored and grade.passed is False
    ]
    return list(dict.fromkeys(faults + failed))


def _worst_first(cases: Iterable[CaseSummary]) -> tuple[CaseSummary, ...]:
    return tuple(
        sorted(
            cases, key=lambda case: (_ORDER[case.status], 0.0 if case.delta is None else case.delta, case.id)
        )
    )


def _total(arm: str, score: float | None, records: Sequence[Record]) -> ArmSummary:
    return ArmSummary(arm, score, _runs(records, arm), _errors(records, arm))


def _runs(records: Sequence[Record], arm: str) -> int:
    return sum(record.arm == arm and record.outcome == "scored" for record in records)


def _errors(records: Sequence[Record], arm: str) -> int:
    return sum(record.arm == arm and record.outcome == "error" for record in records)


def _mean(records: Sequence[Record], arm: str) -> float | None:
    scores = [record.score for record in records if record.arm == arm and record.score is not None]
    return float(sum(scores, Fraction(0)) / len(scores)) if scores else None


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
