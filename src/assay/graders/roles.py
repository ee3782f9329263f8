"""Which grader runs on which arm, and which of them counts: the platform's rules for with-only graders.

A grader is *with-only* where its author wrote `arm: with-only`, or where it is `tool_used: Skill` without
an `arm`: it asks whether the item fired, which an arm without the item cannot answer. In a run of two arms it
is an indicator beside the score, unless every grader of the case is with-only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from assay.model import WITHOUT, Case, Fault, Grade, GraderSpec, exact

Role: TypeAlias = Literal["scored", "indicator", "off"]
"""`scored` counts; `indicator` runs and is reported, but does not count; `off` does not run on this arm."""


def is_trigger(spec: GraderSpec) -> bool:
    """Whether the grader asks if a skill fired: what the trigger rate counts."""
    return spec.type == "tool_used" and spec.config.get("tool") == "Skill"


def is_with_only(spec: GraderSpec) -> bool:
    """Whether only an arm that has the item can answer the grader."""
    if spec.arm is not None:
        return spec.arm == "with-only"
    return is_trigger(spec)


def roles(case: Case, arms: Sequence[str], arm: str) -> tuple[Role, ...]:
    """The role of each of the case's graders, in order, on one `arm` of a run over `arms`."""
    counts: Role = "scored"
    with_only = [is_with_only(spec) for spec in case.graders]
    if len(arms) < 2 or all(with_only):
        return (counts,) * len(case.graders)
    aside: Role = "off" if arm == WITHOUT else "indicator"
    return tuple(aside if only else counts for only in with_only)


def weights(grades: Iterable[Grade]) -> tuple[float, float]:
    """(weight passed, weight scored) over the grades that count; decimals are added exactly."""
    counting = [grade for grade in grades if grade.scored]
    passed = _total(grade.weight for grade in counting if grade.passed)
    return passed, _total(grade.weight for grade in counting)


def fault_of(grades: Iterable[Grade]) -> Fault | None:
    """The first fault among the grades that count: with one, the trial is an error and has no score."""
    return next((grade.fault for grade in grades if grade.scored and grade.fault), None)


def _total(weights: Iterable[float]) -> float:
    numbers = list(weights)
    if all(number % 1 == 0 for number in numbers):
        return sum(map(int, numbers))
    total = sum(map(exact, numbers), Fraction(0))
    return int(total) if total.denominator == 1 else float(total)
