"""Grades transcripts: builds each case's graders once, and pays for no check twice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.graders import JUDGED, Grader, build
from assay.graders.judge_prompts import PROMPT_VERSIONS
from assay.graders.roles import Role, fault_of, is_trigger, roles, weights
from assay.model import Grade, digest_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.engine.retry import Retry
    from assay.engine.stop import StopFlag
    from assay.graders import Bench
    from assay.model import Case, Fault, Transcript

CHECK_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Graded:
    """What the graders of one case said of one transcript."""

    grades: tuple[Grade, ...]
    passed_weight: float
    scored_weight: float
    fault: Fault | None
    judge_cost_usd: float | None


@dataclass(frozen=True, slots=True)
class _Check:
    grader: Grader
    is_judged: bool
    role: Role
    digest: str
    is_trigger: bool


class Grading:
    """The graders of a plan, used by every thread. `arms` decides which of them count (roles)."""

    def __init__(self, bench: Bench, arms: Sequence[str], retry: Retry, stop: StopFlag) -> None:
        self._bench = bench
        self._arms = tuple(arms)
        self._retry = retry
        self._stop = stop
        self._judge = bench.judge.stamp if bench.judge else None
        self._checks: dict[tuple[str, str], tuple[_Check, ...]] = {}

    def forget(self, case: Case, arm: str) -> None:
        """Free the graders of a case that will not be graded again on this arm."""
        self._checks.pop((case.id, arm), None)

    def grade(
        self, case: Case, arm: str, transcript: Transcript, known: Mapping[str, Grade] | None = None
    ) -> Graded:
        """Grade one transcript; a grade in `known` (by check) is taken over instead of made again."""
        known = known or {}
        grades = tuple(
            self._one(check, transcript, known.get(check.digest))
            for check in self._checks_of(case, arm)
            if check.role != "off"
        )
        costs = [grade.cost_usd for grade in grades if grade.cost_usd is not None]
        passed, scored = weights(grades)
        return Graded(grades, passed, scored, fault_of(grades), sum(costs) if costs else None)

    def asks_a_judge(self, case: Case, arm: str, known: Mapping[str, Grade]) -> bool:
        """Whether grading will call a judge, given the grades that are `known`."""
        return any(
            check.is_judged and check.role != "off" and _sound(known.get(check.digest)) is None
            for check in self._checks_of(case, arm)
        )

    def to_do(self, case: Case, arm: str, known: Mapping[str, Grade]) -> list[str]:
        """The graders that will look at a transcript, given the grades that are `known`."""
        checks = zip(case.graders, self._checks_of(case, arm), strict=True)
        return [
            spec.name
            for spec, check in checks
            if check.role != "off" and _sound(known.get(check.digest)) is None
        ]

    def _one(self, check: _Check, transcript: Transcript, known: Grade | None) -> Grade:
        grade = _sound(known) or self._paid(check.grader, transcript)
        return Grade(
            name=grade.name,
            type=grade.type,
            passed=grade.passed,
            weight=grade.weight,
            scored=check.role == "scored",
            explanation=grade.explanation,
            votes=grade.votes,
            evidence=grade.evidence,
            fault=grade.fault,
            cost_usd=grade.cost_usd,
            trigger=check.is_trigger,
            check=check.digest,
        )

    def _paid(self, grader: Grader, transcript: Transcript) -> Grade:
        """Ask the grader; ask a judge again while its fault may pass."""
        attempt, spent = 1, 0.0
        while True:
            grade = grader.grade(transcript)
            wait_s = self._retry.wait_s(grade.fault, attempt) if grade.fault else None
            if wait_s is None or self._stop.wait(wait_s):
                return replace(grade, cost_usd=(grade.cost_usd or 0.0) + spent) if spent else grade
            spent += grade.cost_usd or 0.0
            attempt += 1

    def _checks_of(self, case: Case, arm: str) -> tuple[_Check, ...]:
        found = self._checks.get((case.id, arm))
        if found is None:
            bench = replace(self._bench, case_folder=case.folder) if case.folder else self._bench
            found = self._checks[case.id, arm] = tuple(
                _Check(
                    build(spec, bench),
                    spec.type in JUDGED,
                    role,
                    self._digest(spec.digest, spec.type),
                    is_trigger(spec),
                )
                for spec, role in zip(case.graders, roles(case, self._arms, arm), strict=True)
            )
        return found

    def _digest(self, spec: str, kind: str) -> str:
        if kind in JUDGED:
            spec = digest_of([spec, self._judge, self._bench.votes, PROMPT_VERSIONS[kind]])
        return spec.removeprefix("sha256:")[:CHECK_DIGITS]


def _sound(grade: Grade | None) -> Grade | None:
    """A grade that need not be made again."""
    return grade if grade and grade.fault is None else None
