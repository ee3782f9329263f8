"""What a golden run measured of its tasks and suites. Pure values; a run of them is a `GoldenEval`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from assay.model import exact
from assay.schemas.golden_baseline import UNKNOWN_USAGE, TaskUsage, Thresholds
from assay.schemas.skill_eval import TOLERANCE, PairOfWeights, score_of_trials

TaskStatus: TypeAlias = Literal["same", "improved", "regressed", "new", "no-baseline", "unscored"]

SUITE_ALPHA = 0.01
"""The chance that a suite which did not change is said to have dropped as a whole."""


@dataclass(frozen=True, slots=True)
class Check:
    """One grader of a task over its runs."""

    name: str
    type: str
    passed: int
    graded: int
    explanation: str = ""
    """What it said of the first run that it failed."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """Fresh runs of a task that had dropped, and what an exact test says of them."""

    before: tuple[PairOfWeights, ...]
    now: tuple[PairOfWeights, ...]
    source: Literal["fresh", "accepted"]
    """Where the runs before come from: the accepted version run again beside it, or the accepted runs."""
    p: float
    """One-sided, corrected for the number of tasks that had dropped (Holm)."""
    is_drop: bool


@dataclass(frozen=True, slots=True)
class TaskResult:
    """One golden task. Its score is the mean over its runs, exact."""

    id: str
    weight: float
    planned: int
    trials: tuple[PairOfWeights, ...]
    """(passed weight, scored weight) of each run that has a score."""
    faults: tuple[str, ...] = ()
    """Kind of fault of each run that has none."""
    baseline: float | None = None
    status: TaskStatus = "no-baseline"
    checks: tuple[Check, ...] = ()
    usage: TaskUsage = UNKNOWN_USAGE
    baseline_usage: TaskUsage = UNKNOWN_USAGE
    confirmation: Confirmation | None = None
    """None where nobody asked for one, or the task had not dropped."""

    @property
    def is_regression(self) -> bool:
        """Whether it counts as one: a drop, unless fresh runs do not confirm it."""
        return self.status == "regressed" and (self.confirmation is None or self.confirmation.is_drop)

    @property
    def score(self) -> Fraction | None:
        return score_of_trials(self.trials)

    @property
    def delta(self) -> Fraction | None:
        """Score minus accepted score; None where either is unknown."""
        if self.score is None or self.baseline is None:
            return None
        return self.score - exact(self.baseline)

    @property
    def is_complete(self) -> bool:
        return self.planned > 0 and len(self.trials) == self.planned

    def passes(self, thresholds: Thresholds) -> bool:
        return self.score is not None and self.score >= exact(thresholds.task_pass)


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """One suite of a run."""

    name: str
    targets: tuple[str, ...]
    thresholds: Thresholds
    tasks: tuple[TaskResult, ...]
    is_whole: bool
    """False where only some of the suite's tasks were asked for."""
    removed: tuple[tuple[str, float], ...] = ()
    """Tasks that the baseline has and a whole run does not, with their accepted scores."""
    skipped: tuple[tuple[str, str], ...] = ()
    drop_p: float | None = None
    """How often luck alone makes the suite as a whole look as much worse; None where that was not asked."""

    @property
    def pass_rate(self) -> Fraction | None:
        """Share of the tasks that pass, each counted once; None where a task has no score."""
        if not self.tasks or any(task.score is None for task in self.tasks):
            return None
        return Fraction(sum(task.passes(self.thresholds) for task in self.tasks), len(self.tasks))

    @property
    def score(self) -> Fraction | None:
        """Mean of the task scores by weight; None where a task has none."""
        scores = [(task.score, exact(task.weight)) for task in self.tasks]
        if not scores or any(score is None for score, _ in scores):
            return None
        total = sum((score * weight for score, weight in scores if score is not None), Fraction(0))
        return total / sum((weight for _, weight in scores), Fraction(0))

    @property
    def regressed(self) -> tuple[TaskResult, ...]:
        return tuple(task for task in self.tasks if task.is_regression)

    @property
    def has_dropped(self) -> bool:
        """Whether the suite as a whole is shown to have dropped, though no task by itself may be."""
        return self.drop_p is not None and self.drop_p <= SUITE_ALPHA

    @property
    def below(self) -> tuple[TaskResult, ...]:
        """Tasks with a score that does not pass."""
        known = (task for task in self.tasks if task.score is not None)
        return tuple(task for task in known if not task.passes(self.thresholds))

    @property
    def clears(self) -> bool:
        """Whether the pass rate reaches its threshold."""
        return self.pass_rate is not None and self.pass_rate >= exact(self.thresholds.pass_rate)

    @property
    def passed(self) -> bool:
        is_worse = bool(self.regressed) or self.has_dropped
        return self.clears and (self.thresholds.allow_regressions or not is_worse)


def status_of(score: Fraction | None, baseline: float | None, has_baseline: bool) -> TaskStatus:
    """How a task stands to the accepted score: a drop of more than the tolerance is a regression."""
    if score is None:
        return "unscored"
    if not has_baseline:
        return "no-baseline"
    if baseline is None:
        return "new"
    delta = score - exact(baseline)
    if abs(delta) <= TOLERANCE:
        return "same"
    return "improved" if delta > 0 else "regressed"
