"""`golden-eval/1` in its typed form: what a golden run measured and what it decides. Pure values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from assay.model import JSON
from assay.schemas import validate
from assay.schemas.golden_baseline import Integrity, TaskUsage, Thresholds
from assay.schemas.golden_suite import Check, Confirmation, SuiteResult, TaskResult
from assay.schemas.skill_eval import PartialReason, pairs_of
from assay.schemas.triggers import SkillTriggers

Verdict: TypeAlias = Literal["passed", "failed", "informational", "incomplete"]

EXIT_CODES: Mapping[Verdict, int] = {"passed": 0, "informational": 0, "failed": 1, "incomplete": 3}


@dataclass(frozen=True, slots=True)
class JudgeStamp:
    """Who judged the rubrics."""

    model: str
    prompt: str
    """Version of the judge's prompt."""
    votes: int
    calibration: Literal["certified", "uncalibrated", "unfit"] = "uncalibrated"


@dataclass(frozen=True, slots=True)
class BaselineStamp:
    """The accepted run that a run is compared with."""

    accepted: str
    model: str
    harness: str
    run: str | None
    integrity: Integrity


@dataclass(frozen=True, slots=True)
class GoldenEval:
    """What a golden run measured, and its verdict."""

    run: str
    date: str
    model: str
    harness: str
    suites: tuple[SuiteResult, ...]
    is_whole: bool
    """True where every suite was run whole."""
    baseline: BaselineStamp | None = None
    triggers: tuple[SkillTriggers, ...] = ()
    partial_reason: PartialReason | None = None
    model_reported: str | None = None
    judge: JudgeStamp | None = None
    cost_usd: float | None = None
    removed_suites: tuple[str, ...] = ()
    """Suites that the baseline has and a whole run does not."""

    @property
    def partial(self) -> bool:
        return self.partial_reason is not None

    @property
    def is_complete(self) -> bool:
        """Whether every planned trial, and every trigger question, has an answer."""
        tasks = [task for suite in self.suites for task in suite.tasks]
        if self.partial or not (tasks or self.triggers):
            return False
        return all(task.is_complete for task in tasks) and all(skill.is_complete for skill in self.triggers)

    @property
    def verdict(self) -> Verdict:
        if not self.is_complete:
            return "incomplete"
        if not all(skill.passed for skill in self.triggers):
            return "failed"
        if self.baseline is None and any(suite.tasks for suite in self.suites):
            return "informational"
        return "passed" if self._suites_pass else "failed"

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict]

    @property
    def _suites_pass(self) -> bool:
        return all(suite.passed for suite in self.suites if suite.tasks)

    @property
    def acceptable(self) -> bool:
        """Whether it may become the baseline: complete, thresholds, no regression, triggers."""
        triggers = all(skill.passed for skill in self.triggers)
        has_tasks = any(suite.tasks for suite in self.suites)
        return has_tasks and self.is_complete and triggers and self._suites_pass

    @property
    def stamp_changes(self) -> tuple[str, ...]:
        """What changed since the baseline besides the item: `model a → b`, `harness a → b`."""
        if self.baseline is None:
            return ()
        changes = []
        if self.model not in (self.baseline.model, NO_MODEL):
            changes.append(f"model {self.baseline.model} → {self.model}")
        ours, theirs = set(self.harness.split(", ")), set(self.baseline.harness.split(", "))
        if not ours <= theirs:
            changes.append(f"harness {self.baseline.harness} → {self.harness}")
        return tuple(changes)

    def to_document(self) -> JSON:
        """The document, checked against its schema (`Unusable` says what breaks it)."""
        document = {
            "schema": "golden-eval/1",
            "run": self.run,
            "date": self.date,
            "model": self.model,
            "model_reported": self.model_reported,
            "harness": self.harness,
            "verdict": self.verdict,
            "exit_code": self.exit_code,
            "acceptable": self.acceptable,
            "whole": self.is_whole,
            "partial": self.partial,
            "partial_reason": self.partial_reason,
            "stamp_changes": list(self.stamp_changes),
            "baseline": _stamp_document(self.baseline),
            "judge": _stamp_document(self.judge),
            "cost_usd": self.cost_usd,
            "suites": [_suite_document(suite) for suite in self.suites],
            "removed_suites": list(self.removed_suites),
            "triggers": [skill.to_document() for skill in self.triggers],
        }
        validate(document, "golden-eval-1", f"the result of {self.run}")
        return document


NO_MODEL = "none"
"""What stands for the model of a run whose targets are all features of the project."""


def from_document(document: JSON, where: str = "the result") -> GoldenEval:
    """Read a `golden-eval/1` document; what it derives is derived again, not trusted. Raises `Unusable`."""
    validate(document, "golden-eval-1", where)
    baseline, judge = document.get("baseline"), document.get("judge")
    return GoldenEval(
        run=document["run"],
        date=document["date"],
        model=document["model"],
        harness=document["harness"],
        suites=tuple(_suite(suite) for suite in document["suites"]),
        is_whole=document["whole"],
        baseline=BaselineStamp(**baseline) if baseline else None,
        triggers=tuple(SkillTriggers.from_document(skill) for skill in document.get("triggers", [])),
        partial_reason=document.get("partial_reason"),
        model_reported=document.get("model_reported"),
        judge=JudgeStamp(**judge) if judge else None,
        cost_usd=document.get("cost_usd"),
        removed_suites=tuple(document.get("removed_suites", ())),
    )


def _stamp_document(stamp: BaselineStamp | JudgeStamp | None) -> JSON:
    return {name: getattr(stamp, name) for name in stamp.__slots__} if stamp else None


def _suite_document(suite: SuiteResult) -> JSON:
    thresholds = suite.thresholds
    return {
        "suite": suite.name,
        "targets": list(suite.targets),
        "thresholds": {
            "pass_rate": thresholds.pass_rate,
            "task_pass": thresholds.task_pass,
            "allow_regressions": thresholds.allow_regressions,
        },
        "whole": suite.is_whole,
        "pass_rate": number(suite.pass_rate),
        "score": number(suite.score),
        "passed": suite.passed,
        "drop_p": suite.drop_p,
        "tasks": [_task_document(task, thresholds) for task in suite.tasks],
        "removed": [{"id": id_, "baseline": score} for id_, score in suite.removed],
        "skipped": [{"id": id_, "reason": reason} for id_, reason in suite.skipped],
    }


def _task_document(task: TaskResult, thresholds: Thresholds) -> JSON:
    checks = [{name: getattr(check, name) for name in check.__slots__} for check in task.checks]
    return {
        "id": task.id,
        "score": number(task.score),
        "passed": task.passes(thresholds) if task.score is not None else None,
        "weight": task.weight,
        "baseline": task.baseline,
        "delta": number(task.delta),
        "status": task.status,
        "planned": task.planned,
        "trials": [list(pair) for pair in task.trials],
        "faults": list(task.faults),
        "checks": checks,
        "usage": task.usage.to_document(),
        "baseline_usage": task.baseline_usage.to_document(),
        "confirmation": _confirmation_document(task.confirmation),
    }


def _confirmation_document(confirmation: Confirmation | None) -> JSON:
    if confirmation is None:
        return None
    document = {name: getattr(confirmation, name) for name in confirmation.__slots__}
    return {**document, **{arm: [list(pair) for pair in document[arm]] for arm in ("before", "now")}}


def _suite(document: JSON) -> SuiteResult:
    return SuiteResult(
        name=document["suite"],
        targets=tuple(document["targets"]),
        thresholds=Thresholds(**document["thresholds"]),
        tasks=tuple(_task(task) for task in document["tasks"]),
        is_whole=document["whole"],
        removed=tuple((row["id"], row["baseline"]) for row in document["removed"]),
        skipped=tuple((row["id"], row["reason"]) for row in document["skipped"]),
        drop_p=document.get("drop_p"),
    )


def _task(document: JSON) -> TaskResult:
    return TaskResult(
        id=document["id"],
        weight=document["weight"],
        planned=document["planned"],
        trials=pairs_of(document["trials"]),
        faults=tuple(document["faults"]),
        baseline=document["baseline"],
        status=document["status"],
        checks=tuple(Check(**check) for check in document["checks"]),
        usage=TaskUsage.from_document(document["usage"]),
        baseline_usage=TaskUsage.from_document(document["baseline_usage"]),
        confirmation=_confirmation(document.get("confirmation")),
    )


def _confirmation(document: JSON) -> Confirmation | None:
    if document is None:
        return None
    return Confirmation(
        **{**document, "before": pairs_of(document["before"]), "now": pairs_of(document["now"])}
    )


def number(value: Fraction | None) -> float | None:
    """A rational as JSON holds it."""
    return None if value is None else float(value)
