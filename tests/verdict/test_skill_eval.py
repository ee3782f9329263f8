"""From records to the result document: exact means, missing arms, triggers, what makes it partial."""

from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model import WITH, WITHOUT, Case, Fault, Grade, Location, Record, Suite, Usage
from assay.schemas.skill_eval import exact_score, from_document
from assay.verdict.skill_eval import RunInfo, SkillEval, run_id, skill_eval

STARTED = datetime(2026, 10, 9, 8, 44, 44, tzinfo=UTC)
DIGEST = "sha256:" + "0" * 64


def case(name: str) -> Case:
    return Case(id=name, name=name, prompt="p", graders=(), source=Location("prompt.md"))


def suite(*names: str) -> Suite:
    return Suite(name="commit", kind="ablation", root=Path(), cases=tuple(case(name) for name in names))


def info(planned: dict[str, int], *, curtailed: bool = False) -> RunInfo:
    return RunInfo("commit", DIGEST, "haiku", "scripted@1", STARTED, 2.0, planned, "haiku", curtailed)


def record(
    name: str,
    arm: str,
    weights: tuple[float, float] | None,
    *,
    repeat: int = 1,
    fault: Fault | None = None,
    triggers: tuple[bool | None, ...] = (),
    cost: float | None = 0.01,
    judge: float | None = None,
    cached: bool = False,
    model: str | None = None,
) -> Record:
    outcome = "scored" if weights else "error" if fault and fault.kind not in ("ceiling",) else "skipped"
    passed, scored = weights or (0, 0)
    grades = tuple(Grade("fired", "tool_used", hit, scored=False, trigger=True) for hit in triggers)
    return Record(
        "r", f"{name}{arm}{repeat}", name, arm, repeat, outcome, passed, scored, grades, fault,
        Usage(cost_usd=cost), judge, cached=cached, model_reported=model,
    )  # fmt: skip


def both(name: str, with_: tuple[float, float], without: tuple[float, float]) -> list[Record]:
    return [record(name, WITH, with_), record(name, WITHOUT, without)]


def test_every_case_weighs_the_same_whatever_its_runs_and_weights() -> None:
    rows = [
        *[record("a", WITH, (1, 1), repeat=n) for n in (1, 2, 3)],
        *[record("a", WITHOUT, (0, 1), repeat=n) for n in (1, 2, 3)],
        *both("b", (1, 10), (1, 10)),
    ]
    result = skill_eval(suite("a", "b"), rows, info({"a": 3, "b": 1}))
    assert (result.with_score, result.without_score, result.delta) == (0.55, 0.05, 0.5)
    assert result.verdict == "improved"
    assert not result.partial


@pytest.mark.parametrize(
    ("with_", "without", "verdict"),
    [((2, 3), (1, 3), "improved"), ((1, 3), (1, 3), "no-signal"), ((0, 3), (1, 3), "regressed")],
)
def test_verdict_is_the_sign_of_the_delta(
    with_: tuple[float, float], without: tuple[float, float], verdict: str
) -> None:
    assert skill_eval(suite("a"), both("a", with_, without), info({"a": 1})).verdict == verdict


def test_thirds_and_dust_are_added_exactly() -> None:
    rows = [
        *[record("a", WITH, (weight, 1), repeat=n) for n, weight in enumerate((0.1, 0.2, 0.3), 1)],
        *[record("a", WITHOUT, (0.2, 1), repeat=n) for n in (1, 2, 3)],
    ]
    result = skill_eval(suite("a"), rows, info({"a": 3}))
    assert exact_score(result, WITH) == exact_score(result, WITHOUT) == Fraction(1, 5)
    assert result.verdict == "no-signal"


def test_a_case_that_lacks_an_arm_is_in_neither_mean_and_the_result_is_partial() -> None:
    dead = record("b", WITHOUT, None, fault=Fault("overloaded", "529"))
    rows = [*both("a", (1, 2), (0, 1)), record("b", WITH, (1, 1)), dead]
    result = skill_eval(suite("a", "b"), rows, info({"a": 1, "b": 1}))
    assert (result.with_score, result.without_score) == (0.5, 0)
    assert (result.partial, result.partial_reason) == (True, "errors")
    broken = result.cases[1]
    assert (broken.with_score, broken.without_score, broken.delta, broken.errors) == (1, None, None, 1)


def test_an_error_is_no_score_of_0() -> None:
    rows = [
        record("a", WITH, (1, 1)),
        record("a", WITH, None, repeat=2, fault=Fault("rate_limit", "429")),
        record("a", WITHOUT, (1, 1)),
        record("a", WITHOUT, (1, 1), repeat=2),
    ]
    result = skill_eval(suite("a"), rows, info({"a": 2}))
    assert (result.with_score, result.verdict, result.partial_reason) == (1, "no-signal", "errors")
    assert (result.cases[0].runs_with, result.cases[0].runs_without) == (1, 2)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([record("a", WITHOUT, None, fault=Fault("ceiling", "spent"))], "cost_ceiling"),
        ([record("a", WITHOUT, None, fault=Fault("interrupted", "Ctrl-C"))], "interrupted"),
        ([], "interrupted"),
    ],
)
def test_a_missing_run_makes_the_result_partial(rows: list[Record], reason: str) -> None:
    result = skill_eval(suite("a"), [record("a", WITH, (1, 1)), *rows], info({"a": 1}))
    assert (result.partial, result.partial_reason) == (True, reason)
    assert result.with_score is None, "no case has both arms"


def test_a_curtailed_run_is_not_partial() -> None:
    result = skill_eval(suite("a"), both("a", (0, 1), (1, 1)), info({"a": 3}, curtailed=True))
    assert (result.partial, result.curtailed) == (False, True)


def test_trigger_rate_is_pooled_over_runs_and_cases_with_the_item_only() -> None:
    rows = [
        record("fires", WITH, (1, 1), triggers=(True,)),
        record("fires", WITH, (1, 1), repeat=2, triggers=(False,)),
        record("quiet", WITH, (1, 1), triggers=(True,)),
        record("quiet", WITHOUT, (1, 1), triggers=(False,)),
        record("fires", WITHOUT, (1, 1)),
    ]
    result = skill_eval(suite("fires", "quiet"), rows, info({"fires": 1, "quiet": 1}))
    assert result.trigger_rate == 2 / 3
    assert [case.triggers for case in result.cases] == [(1, 2), (1, 1)]
    assert [case.trigger_rate for case in result.cases] == [0.5, 1]


def test_without_trigger_graders_there_is_no_trigger_rate() -> None:
    result = skill_eval(suite("a"), both("a", (1, 1), (1, 1)), info({"a": 1}))
    assert result.trigger_rate is None
    assert result.cases[0].trigger_rate is None


def test_a_trigger_result_with_a_fault_is_not_counted() -> None:
    rows = [record("a", WITH, (1, 1), triggers=(True, None)), record("a", WITHOUT, (1, 1))]
    assert skill_eval(suite("a"), rows, info({"a": 1})).trigger_rate == 1


def test_a_case_with_nothing_to_score_is_in_neither_mean_but_not_missing() -> None:
    rows = [*both("a", (1, 1), (0, 1)), *both("only-triggers", (0, 0), (0, 0))]
    result = skill_eval(suite("a", "only-triggers"), rows, info({"a": 1, "only-triggers": 1}))
    assert (result.with_score, result.without_score, result.partial) == (1, 0, False)


def test_cost_is_agents_and_judges_that_this_run_paid_for() -> None:
    rows = [
        record("a", WITH, (1, 1), cost=0.25, judge=0.5),
        record("a", WITHOUT, (1, 1), cost=4, cached=True),
        record("b", WITH, None, fault=Fault("empty", "no answer"), cost=0.125),
        record("b", WITHOUT, None, fault=Fault("ceiling", "spent"), cost=None),
    ]
    assert skill_eval(suite("a", "b"), rows, info({"a": 1})).cost_usd == 0.875


def test_a_cost_that_is_not_known_is_not_0() -> None:
    rows = [record("a", WITH, (1, 1), cost=None), record("a", WITHOUT, (1, 1))]
    assert skill_eval(suite("a"), rows, info({"a": 1})).cost_usd is None


def test_every_model_that_the_run_reports_is_named() -> None:
    rows = [record("a", WITH, (1, 1), model="m-2"), record("a", WITHOUT, (1, 1), model="m-1")]
    assert skill_eval(suite("a"), rows, info({"a": 1})).model_reported == "m-1, m-2"


def test_run_and_day_are_utc() -> None:
    started = datetime(2026, 10, 10, 1, 0, 0, tzinfo=timezone(timedelta(hours=2)))
    assert run_id("commit", started) == "eval-commit-20261009T230000Z"
    assert run_id("my <skill>", started) == "eval-my--skill--20261009T230000Z"


def test_the_document_has_every_field_of_the_spec() -> None:
    rows = [record("a", WITH, (1, 2), triggers=(True,), model="m"), record("a", WITHOUT, (0, 2))]
    document = skill_eval(suite("a"), rows, info({"a": 1}), {"verdict": "underpowered"}).to_document()
    digest = document.pop("suite_digest")
    assert digest == suite("a").digest
    assert document == {
        "schema": "skill-eval/1",
        "item": "commit",
        "with": 0.5,
        "without": 0.0,
        "delta": 0.5,
        "verdict": "improved",
        "trigger_rate": 1.0,
        "cost_usd": 0.02,
        "max_cost_usd": 2.0,
        "partial": False,
        "partial_reason": None,
        "curtailed": False,
        "model": "haiku",
        "model_reported": "m",
        "judge_model": "haiku",
        "harness": "scripted@1",
        "item_digest": DIGEST,
        "run": "eval-commit-20261009T084444Z",
        "date": "2026-10-09",
        "evidence": {"verdict": "underpowered"},
        "cases": [
            {
                "name": "a",
                "with": 0.5,
                "without": 0.0,
                "delta": 0.5,
                "verdict": "improved",
                "trigger_rate": 1.0,
                "runs_with": 1,
                "runs_without": 1,
                "errors": 0,
                "trials": {"with": [[1, 2]], "without": [[0, 2]]},
                "triggers": [1, 1],
            }
        ],
    }


TRIAL = st.tuples(st.sampled_from([0, 0.1, 0.3, 1, 2]), st.just(2))
TRIALS = st.lists(TRIAL, max_size=4)


@st.composite
def results(draw: st.DrawFn) -> SkillEval:
    names = [f"c{number}" for number in range(draw(st.integers(0, 4)))]
    rows = [
        record(name, arm, weights, repeat=repeat, triggers=draw(st.sampled_from([(), (True,), (False,)])))
        for name in names
        for arm in (WITH, WITHOUT)
        for repeat, weights in enumerate(draw(TRIALS), 1)
    ]
    return skill_eval(suite(*names), rows, info(dict.fromkeys(names, 2)))


@given(results())
def test_a_document_read_back_is_the_result(result: SkillEval) -> None:
    assert from_document(result.to_document()) == result


@given(results())
def test_scores_are_those_of_the_trials(result: SkillEval) -> None:
    for arm, score in ((WITH, result.with_score), (WITHOUT, result.without_score)):
        rational = exact_score(result, arm)
        assert score == (None if rational is None else float(rational))
