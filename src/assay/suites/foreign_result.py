"""What the results of other tools say, in one view; an answer that was not graded has no score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from assay.model import WITH, WITHOUT

Format: TypeAlias = Literal["aggregate-result", "benchmark", "grading", "test-results"]

CANDIDATES = (WITH, "with_skill", "new_skill")
"""Names that tools give the arm with the item, the best first."""
CONTROLS = (WITHOUT, "without_skill", "old_skill")


@dataclass(frozen=True, slots=True)
class ForeignCheck:
    """One check of one run. `passed` is None where it was not graded."""

    name: str
    passed: bool | None
    weight: float = 1
    is_scored: bool = True
    evidence: str | None = None
    is_trigger: bool = False


@dataclass(frozen=True, slots=True)
class ForeignRun:
    """One run of a case on an arm. `score` is None where it was not graded."""

    score: Fraction | None
    checks: tuple[ForeignCheck, ...] = ()
    error: str | None = None
    weights: tuple[float, float] | None = None
    """(passed, scored), where the file says them."""


@dataclass(frozen=True, slots=True)
class ForeignCase:
    """A case and its runs by arm, in the tool's own names for them."""

    name: str
    arms: Mapping[str, tuple[ForeignRun, ...]]

    def score(self, arm: str) -> Fraction | None:
        """Mean over the runs that were graded; None without one."""
        return mean([run.score for run in self.arms.get(arm, ())])


@dataclass(frozen=True, slots=True)
class ForeignResult:
    """What a result of another tool says."""

    format: Format
    title: str
    cases: tuple[ForeignCase, ...]
    model: str | None = None
    judge_model: str | None = None
    tool: str | None = None
    """`name@version` of what made it, where it says so."""
    started: str | None = None
    cost_usd: float | None = None
    is_partial: bool = False
    remarks: tuple[str, ...] = ()
    """What a reader should know of how the file was taken."""

    @property
    def arms(self) -> tuple[str, ...]:
        """The arms in a fixed order: with the item first, then the control, then others by name."""
        names = {arm for case in self.cases for arm in case.arms}
        known = [arm for arm in (*CANDIDATES, *CONTROLS) if arm in names]
        return (*known, *sorted(names - set(known)))

    def score(self, arm: str) -> Fraction | None:
        """Mean of the case scores on an arm, equal weight a case."""
        return mean([case.score(arm) for case in self.cases])

    @property
    def delta(self) -> Fraction | None:
        """Candidate minus control by role, never by the order of names; None without both."""
        candidate = next((arm for arm in CANDIDATES if arm in self.arms), None)
        control = next((arm for arm in CONTROLS if arm in self.arms), None)
        if candidate is None or control is None:
            return None
        with_score, without_score = self.score(candidate), self.score(control)
        return None if with_score is None or without_score is None else with_score - without_score


def mean(scores: list[Fraction | None]) -> Fraction | None:
    """The mean of the known scores, exact; None without one."""
    known = [score for score in scores if score is not None]
    return sum(known, Fraction(0)) / len(known) if known else None
