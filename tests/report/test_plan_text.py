"""The plan before anything is spent: it names who judges, and a paid judge is never free."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.engine.plan import Plan
from assay.model import WITH, WITHOUT, Case, GraderSpec, Location
from assay.report.plan_text import plan_text


def case(name, *kinds):
    graders = tuple(GraderSpec(f"g{number}", kind) for number, kind in enumerate(kinds))
    return Case(name, name, "ask", graders, Location("a.md"), folder=Path())


PLAN = Plan(
    (case("a", "regex", "llm"), case("b", "rubric", "rubric")),
    {WITH: lambda _: None, WITHOUT: lambda _: None},
    2,
    None,
)
FREE = SimpleNamespace(stamp="scripted@1", is_free=True)


def test_a_plan_without_a_judge_names_none():
    assert plan_text(PLAN, FREE, "m", 2.0) == (
        "Plan: 2 cases, arms with and without: 8 trials\n  harness scripted@1\n  model   m\n  cost    nothing"
    )


@pytest.mark.parametrize(("is_free", "cost"), [(True, "nothing"), (False, "at most $2.00")])
def test_the_judge_is_named_with_how_often_it_may_be_asked_and_counts_for_the_cost(is_free, cost):
    judge = SimpleNamespace(name="gguf:x", is_free=is_free)
    told = plan_text(PLAN, FREE, "m", 2.0, judge).splitlines()
    assert told[-2:] == ["  judge   gguf:x: 12 judgements at most", f"  cost    {cost}"]
