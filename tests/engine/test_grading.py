"""Grading: what a grader said is kept whole, known grades are not made again."""

from dataclasses import fields, replace

import pytest

from assay import graders
from assay.engine.grading import Grading
from assay.engine.retry import Retry
from assay.engine.stop import StopFlag
from assay.graders import Bench
from assay.model import WITH, Case, Fault, Grade, GraderSpec, Location, Transcript

SAID = Grade(
    "g", "odd", None, 2.0, True, "why", (True, False), "evidence", Fault("grader", "broke"), 0.25, False, ""
)


class Odd:
    """Says the same of everything, and counts how often it was asked."""

    asked = 0

    def __init__(self, spec, bench):
        self.said = replace(SAID, weight=spec.weight)

    def grade(self, transcript):
        type(self).asked += 1
        return self.said


@pytest.fixture
def case(monkeypatch):
    Odd.asked = 0
    monkeypatch.setitem(graders.GRADERS, "odd", f"{__name__}:Odd")
    monkeypatch.setitem(__import__("sys").modules, __name__, __import__("types").SimpleNamespace(Odd=Odd))
    return Case("c", "c", "hi", (GraderSpec("g", "odd", 2.0),), Location("c"))


def grading():
    return Grading(Bench(), (WITH,), Retry(attempts=1), StopFlag())


def test_every_field_that_a_grader_sets_is_kept(case):
    [grade] = grading().grade(case, WITH, Transcript("x")).grades
    assert grade == replace(SAID, check=grade.check)
    assert len(grade.check) == 16
    assert all(getattr(SAID, f.name) != f.default for f in fields(Grade) if f.name not in UNTOUCHED)


UNTOUCHED = {"scored", "trigger", "check"}
"""What the engine decides itself."""


def test_a_known_grade_is_taken_over_and_a_faulty_one_is_made_again(case):
    [made] = grading().grade(case, WITH, Transcript("x")).grades
    sound = replace(made, passed=True, fault=None)
    assert grading().grade(case, WITH, Transcript("x"), {made.check: sound}).grades == (sound,)
    assert Odd.asked == 1
    grading().grade(case, WITH, Transcript("x"), {made.check: made})
    assert Odd.asked == 2
