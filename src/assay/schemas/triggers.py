"""What trigger questions found, skill by skill: would this query be routed to this skill?"""

from __future__ import annotations

from dataclasses import dataclass

from assay.model import JSON


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
