"""What trigger questions found, skill by skill: would this query be routed to this skill?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from assay.model import JSON
from assay.schemas import validate


@dataclass(frozen=True, slots=True)
class TriggerAnswer:
    """One query. `fired` is None where the question died of infrastructure: an error, never a no."""

    query: str
    should_trigger: bool
    fired: bool | None
    note: str | None = None
    fault: str | None = None

    @property
    def passed(self) -> bool | None:
        return None if self.fired is None else self.fired == self.should_trigger


@dataclass(frozen=True, slots=True)
class SkillTriggers:
    """All queries of one skill."""

    skill: str
    answers: tuple[TriggerAnswer, ...]

    def count(self, should_trigger: bool, fired: bool) -> int:
        """Answered queries of one cell of the table."""
        return sum(
            answer.fired is fired for answer in self.answers if answer.should_trigger is should_trigger
        )

    @property
    def errors(self) -> int:
        return sum(answer.fired is None for answer in self.answers)

    @property
    def is_complete(self) -> bool:
        return not self.errors

    @property
    def passed(self) -> bool:
        """Every query is answered as it should be: one false case that fires fails the run."""
        return all(answer.passed for answer in self.answers)

    @property
    def recall(self) -> tuple[int, int]:
        """(fired, asked) of the queries that should fire."""
        fired = self.count(True, True)
        return fired, fired + self.count(True, False)

    @property
    def specificity(self) -> tuple[int, int]:
        """(kept quiet, asked) of the queries that should not fire."""
        quiet = self.count(False, False)
        return quiet, quiet + self.count(False, True)

    @property
    def precision(self) -> tuple[int, int]:
        """(rightly fired, fired)."""
        fired = self.count(True, True)
        return fired, fired + self.count(False, True)

    def to_document(self) -> JSON:
        return {
            "skill": self.skill,
            "passed": self.passed,
            "precision": rate(self.precision),
            "recall": rate(self.recall),
            "specificity": rate(self.specificity),
            "errors": self.errors,
            "cases": [{name: getattr(answer, name) for name in answer.__slots__} for answer in self.answers],
        }

    @classmethod
    def from_document(cls, document: JSON) -> SkillTriggers:
        return cls(document["skill"], tuple(TriggerAnswer(**case) for case in document["cases"]))


def rate(counts: tuple[int, int]) -> float | None:
    """A share; None of nothing."""
    hits, all_ = counts
    return hits / all_ if all_ else None


@dataclass(frozen=True, slots=True)
class Choice:
    """One query put before all skills at once. `chosen` is a skill, `none`, or None for an error."""

    query: str
    skill: str
    """Whose trigger case it is."""
    should_trigger: bool
    chosen: str | None
    fault: str | None = None

    @property
    def passed(self) -> bool | None:
        """A case that should fire has to win; one that should not may go anywhere else."""
        return None if self.chosen is None else (self.chosen == self.skill) == self.should_trigger

    def to_document(self) -> JSON:
        return {name: getattr(self, name) for name in self.__slots__}


Verdict: TypeAlias = Literal["passed", "failed", "incomplete"]
EXIT_CODES: Mapping[Verdict, int] = {"passed": 0, "failed": 1, "incomplete": 3}


@dataclass(frozen=True, slots=True)
class Triggers:
    """What `assay triggers` found."""

    run: str
    date: str
    model: str
    """Who was asked."""
    skills: tuple[SkillTriggers, ...]
    catalog: tuple[Choice, ...] = ()
    """Each query before all skills at once, where that was asked."""
    client: tuple[SkillTriggers, ...] = ()
    """What the real client did, where it was asked."""
    harness: str | None = None
    cost_usd: float | None = None

    @property
    def verdict(self) -> Verdict:
        """One wrong answer fails; one missing answer leaves it open."""
        asked = (*self.skills, *self.client)
        if not asked or not all(skill.is_complete for skill in asked):
            return "incomplete"
        if any(choice.passed is None for choice in self.catalog):
            return "incomplete"
        answers = [skill.passed for skill in asked] + [choice.passed is True for choice in self.catalog]
        return "passed" if all(answers) else "failed"

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict]

    def to_document(self) -> JSON:
        """The document, checked against its schema."""
        document = {
            "schema": "triggers/1",
            "run": self.run,
            "date": self.date,
            "model": self.model,
            "harness": self.harness,
            "verdict": self.verdict,
            "exit_code": self.exit_code,
            "cost_usd": self.cost_usd,
            "skills": [skill.to_document() for skill in self.skills],
            "client": [skill.to_document() for skill in self.client],
            "catalog": [choice.to_document() for choice in self.catalog],
        }
        validate(document, "triggers-1", f"the result of {self.run}")
        return document
