"""Whether a golden suite that looks worse is worse: a drop only flags, fresh runs of what is flagged decide.

With a few runs a task almost any suite shows some drop by luck alone. A task is called worse where an exact
one-sided test of fresh runs says so (Fisher's for runs that pass whole or fail whole), Holm over the flagged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from assay.schemas.golden_baseline import GoldenBaseline
from assay.schemas.golden_eval import GoldenEval
from assay.schemas.golden_suite import Confirmation, SuiteResult, TaskResult
from assay.schemas.skill_eval import PairOfWeights
from assay.verdict.multiple import holm
from assay.verdict.trials import scores_of

RUNS = 8
"""Fresh runs of a flagged task, and of its accepted version where that can be run."""
TASK_ALPHA = 0.05
"""The chance that any task is called worse where none is."""


@dataclass(frozen=True, slots=True)
class FreshRuns:
    """The runs that a flagged task is decided by."""

    before: tuple[PairOfWeights, ...]
    now: tuple[PairOfWeights, ...]
    source: Literal["fresh", "accepted"]

    @property
    def p_drop(self) -> float:
        """How often luck alone makes `now` look at least as much worse."""
        from assay.verdict.permutation import within_cases

        return within_cases([scores_of(self.before)], [scores_of(self.now)]).less


def flagged(result: GoldenEval) -> tuple[tuple[str, TaskResult], ...]:
    """(suite, task) of every task that scored below what was accepted, where that fails its suite."""
    return tuple(
        (suite.name, task)
        for suite in result.suites
        if not suite.thresholds.allow_regressions
        for task in suite.tasks
        if task.status == "regressed"
    )


def with_confirmations(result: GoldenEval, fresh: Mapping[tuple[str, str], FreshRuns]) -> GoldenEval:
    """The result with what fresh runs say of its drops; one that has none of them stays a regression."""
    p_values = dict(zip(fresh, holm([runs.p_drop for runs in fresh.values()]), strict=True))
    found = {
        key: Confirmation(runs.before, runs.now, runs.source, p_values[key], p_values[key] <= TASK_ALPHA)
        for key, runs in fresh.items()
    }
    return replace(result, suites=tuple(_confirmed(suite, found) for suite in result.suites))


def _confirmed(suite: SuiteResult, found: Mapping[tuple[str, str], Confirmation]) -> SuiteResult:
    tasks = (replace(task, confirmation=found.get((suite.name, task.id))) for task in suite.tasks)
    return replace(suite, tasks=tuple(tasks))


def with_suite_drops(result: GoldenEval, baseline: GoldenBaseline | None) -> GoldenEval:
    """The result with, for each suite, how often luck alone makes all of it look as much worse.

    It stands on the accepted runs; a suite whose baseline keeps none stays unasked.
    """
    suites = baseline.suites if baseline else {}
    return replace(
        result,
        suites=tuple(
            replace(suite, drop_p=_drop(suite.tasks, suites[suite.name].trials))
            if suite.name in suites
            else suite
            for suite in result.suites
        ),
    )


def _drop(tasks: Iterable[TaskResult], kept: Mapping[str, tuple[PairOfWeights, ...]]) -> float | None:
    from assay.verdict.permutation import within_cases

    both = [(scores_of(kept[task.id]), scores_of(task.trials)) for task in tasks if kept.get(task.id)]
    both = [(before, now) for before, now in both if before and now]
    if not both:
        return None
    return within_cases([before for before, _ in both], [now for _, now in both]).less


def can_confirm(runs: int) -> bool:
    """Whether so many accepted runs against `RUNS` fresh ones could show even a total collapse."""
    worst = FreshRuns(((1.0, 1.0),) * runs, ((0.0, 1.0),) * RUNS, "accepted")
    return runs > 0 and worst.p_drop <= TASK_ALPHA
