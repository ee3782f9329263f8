from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import Unusable
from assay.model import Case, Fault, Grade, GraderSpec, Location, Record, Suite, Target, Usage
from assay.schemas.golden_baseline import AcceptedSuite, GoldenBaseline, TaskUsage, Thresholds
from assay.schemas.golden_eval import from_document
from assay.schemas.triggers import SkillTriggers, TriggerAnswer
from assay.verdict.golden_eval import GoldenRun, accepted, golden_eval, merge_conflict, run_id

STARTED = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def case(id_: str, weight: float = 1.0) -> Case:
    return Case(
        id_, id_, "input", (GraderSpec("check", "exact"),), Location("x.md", 1), weight=weight,
        target=Target("skill", "commit"),
    )  # fmt: skip


def suite(*cases: Case, name: str = "commits", skipped=()) -> Suite:
    return Suite(name, "golden", Path("evals") / name, cases, skipped)


def record(task: str, passed: float, scored: float = 1.0, repeat: int = 1, **more) -> Record:
    grade = Grade("check", "exact", passed == scored, explanation="" if passed == scored else "differs")
    values = {
        "outcome": "scored",
        "passed_weight": passed,
        "scored_weight": scored,
        "grades": (grade,),
    } | more
    return Record(run="r", key=f"{task}{repeat}", case=task, arm="with", repeat=repeat, **values)


def error(task: str, kind: str = "rate_limit", repeat: int = 1) -> Record:
    return record(task, 0, 0, repeat, outcome="error", fault=Fault(kind, "no"), grades=())


def baseline(tasks: dict[str, float], model="m", harness="h@1", name="commits", **more) -> GoldenBaseline:
    return GoldenBaseline("2026-11-01", model, harness, {name: AcceptedSuite(1.0, tasks, **more)}, "golden-x")


def evaluate(suites, records, before=None, thresholds=None, **more):
    suites = (suites,) if isinstance(suites, Suite) else suites
    keys = {f"{each.name}/{case.id}" for each in suites for case in each.cases}
    triggers = more.pop("triggers", ())
    facts = {
        "id": "golden-1",
        "started": STARTED,
        "model": "m",
        "harness": "h@1",
        "planned": {key: max([r.repeat for r in records if r.case == key], default=1) for key in keys},
        "whole": frozenset(each.name for each in suites),
        "is_whole": True,
    } | more
    run = GoldenRun(**facts)
    return golden_eval(suites, records, run, thresholds or Thresholds(), before, triggers=triggers)


def test_a_score_is_the_exact_mean_over_runs():
    records = [record("commits/G-001", passed, 10, repeat) for repeat, passed in enumerate((1, 2, 6), 1)]
    (task,) = evaluate(suite(case("G-001")), records).suites[0].tasks
    assert task.score == Fraction(3, 10)


def test_pass_rate_counts_tasks_and_score_weighs_them():
    cases = suite(case("G-001", 3.0), case("G-002", 1.0))
    (result,) = evaluate(cases, [record("commits/G-001", 1), record("commits/G-002", 0)]).suites
    assert (result.pass_rate, result.score) == (Fraction(1, 2), Fraction(3, 4))


@pytest.mark.parametrize(("score", "passes"), [(0.7, True), (0.699999, False)])
def test_task_pass_is_compared_as_it_was_written(score, passes):
    (result,) = evaluate(suite(case("G-001")), [record("commits/G-001", score)]).suites
    assert result.tasks[0].passes(result.thresholds) is passes


def test_guardrail_2_a_regression_fails_the_run_though_every_threshold_is_met():
    result = evaluate(suite(case("G-001")), [record("commits/G-001", 0.9)], baseline({"G-001": 0.95}))
    assert result.suites[0].clears
    assert (result.verdict, result.exit_code, result.acceptable) == ("failed", 1, False)
    assert [task.id for task in result.suites[0].regressed] == ["G-001"]


def test_allowed_regressions_do_not_fail_but_are_still_named():
    thresholds = Thresholds(per_suite={"commits": Thresholds(allow_regressions=True)})
    result = evaluate(
        suite(case("G-001")), [record("commits/G-001", 0.9)], baseline({"G-001": 0.95}), thresholds
    )
    assert (result.verdict, result.acceptable) == ("passed", True)
    assert [task.status for task in result.suites[0].tasks] == ["regressed"]


@pytest.mark.parametrize(
    ("score", "before", "status"),
    [
        (2 / 3, 2 / 3, "same"),
        (0.8, 0.8 + 1e-10, "same"),
        (0.8, 0.8 + 1e-8, "regressed"),
        (0.9, 0.8, "improved"),
    ],
)
def test_a_drop_within_the_tolerance_is_none(score, before, status):
    (task,) = (
        evaluate(suite(case("G-001")), [record("commits/G-001", score)], baseline({"G-001": before}))
        .suites[0]
        .tasks
    )
    assert task.status == status


def test_thirds_of_runs_equal_the_accepted_decimal():
    records = [record("commits/G-001", passed, 1, repeat) for repeat, passed in enumerate((1, 1, 0), 1)]
    first = evaluate(suite(case("G-001")), records, thresholds=Thresholds(task_pass=0.5))
    again = evaluate(
        suite(case("G-001")), records, accepted(first, None, "2026-11-30"), Thresholds(task_pass=0.5)
    )
    assert [task.status for task in again.suites[0].tasks] == ["same"]


def test_a_suite_below_its_pass_rate_fails():
    records = [record("commits/G-001", 1), record("commits/G-002", 0)]
    result = evaluate(suite(case("G-001"), case("G-002")), records, baseline({"G-001": 1, "G-002": 0}))
    assert (result.verdict, result.exit_code) == ("failed", 1)


def test_every_suite_has_to_clear_its_own_pass_rate():
    suites = (suite(case("G-001")), suite(case("G-001"), name="prose"))
    records = [record("commits/G-001", 1), record("prose/G-001", 0)]
    before = baseline({"G-001": 1})
    assert evaluate(suites, records, before).verdict == "failed"
    relaxed = Thresholds(per_suite={"prose": Thresholds(pass_rate=0)})
    assert evaluate(suites, records, before, relaxed).verdict == "passed"


def test_without_a_baseline_the_run_is_informational_and_may_still_be_unacceptable():
    good = evaluate(suite(case("G-001")), [record("commits/G-001", 1)])
    bad = evaluate(suite(case("G-001")), [record("commits/G-001", 0)])
    assert [(r.verdict, r.exit_code, r.acceptable) for r in (good, bad)] == [
        ("informational", 0, True),
        ("informational", 0, False),
    ]


def triggers(fired: bool | None) -> tuple[SkillTriggers, ...]:
    return (SkillTriggers("commit", (TriggerAnswer("bake", False, fired),)),)


def test_a_failing_trigger_fails_the_run_with_or_without_a_baseline():
    for before in (None, baseline({"G-001": 1})):
        result = evaluate(suite(case("G-001")), [record("commits/G-001", 1)], before, triggers=triggers(True))
        assert (result.verdict, result.exit_code, result.acceptable) == ("failed", 1, False)


def test_an_error_is_not_a_score_and_leaves_the_run_incomplete():
    records = [record("commits/G-001", 1), error("commits/G-002")]
    result = evaluate(suite(case("G-001"), case("G-002")), records, baseline({"G-001": 1, "G-002": 1}))
    assert result.suites[0].tasks[1].score is None
    assert result.suites[0].tasks[1].status == "unscored"
    assert (result.verdict, result.exit_code, result.acceptable) == ("incomplete", 3, False)


def test_one_errored_run_of_three_is_incomplete_but_keeps_its_score():
    records = [
        record("commits/G-001", 1),
        record("commits/G-001", 1, repeat=2),
        error("commits/G-001", repeat=3),
    ]
    result = evaluate(suite(case("G-001")), records)
    assert result.suites[0].tasks[0].score == 1
    assert result.exit_code == 3


@pytest.mark.parametrize("more", [{"partial_reason": "cost_ceiling"}, {"triggers": triggers(None)}])
def test_partial_runs_and_unanswered_triggers_are_incomplete(more):
    result = evaluate(suite(case("G-001")), [record("commits/G-001", 1)], **more)
    assert (result.verdict, result.exit_code, result.acceptable) == ("incomplete", 3, False)


def test_a_planned_run_that_is_missing_is_incomplete():
    assert evaluate(suite(case("G-001")), []).exit_code == 3


def test_new_and_removed_tasks_are_said():
    before = baseline({"G-001": 1, "G-009": 0.5})
    result = evaluate(
        suite(case("G-001"), case("G-002")), [record("commits/G-001", 1), record("commits/G-002", 1)], before
    )
    assert [task.status for task in result.suites[0].tasks] == ["same", "new"]
    assert result.suites[0].removed == (("G-009", 0.5),)
    assert result.verdict == "passed"


def test_a_scoped_run_does_not_call_what_it_left_out_removed():
    result = evaluate(
        suite(case("G-001")), [record("commits/G-001", 1)], baseline({"G-001": 1, "G-009": 1}),
        whole=frozenset(), is_whole=False,
    )  # fmt: skip
    assert result.suites[0].removed == ()


def test_a_whole_run_names_suites_that_are_gone():
    before = GoldenBaseline("2026-11-01", "m", "h@1", {"old": AcceptedSuite(1, {"G-001": 1})})
    assert evaluate(suite(case("G-001")), [record("commits/G-001", 1)], before).removed_suites == ("old",)


def test_a_changed_stamp_is_named():
    before = baseline({"G-001": 1}, model="old", harness="h@0")
    result = evaluate(suite(case("G-001")), [record("commits/G-001", 1)], before)
    assert result.stamp_changes == ("model old → m", "harness h@0 → h@1")


def test_guardrail_7_usage_is_a_mean_of_numbers_and_never_an_estimate():
    records = [
        record("commits/G-001", 1, repeat=1, usage=Usage(100, 10, cost_usd=0.1)),
        record("commits/G-001", 1, repeat=2, usage=Usage(200, None, cost_usd=0.2)),
    ]
    (task,) = evaluate(suite(case("G-001")), records).suites[0].tasks
    assert task.usage == TaskUsage(150.0, None, 0.15)
    assert task.usage.to_document() == {"gen_ai.usage.input_tokens": 150, "cost_usd": 0.15}


def test_cost_counts_judges_and_not_what_the_store_had():
    records = [
        record("commits/G-001", 1, repeat=1, usage=Usage(cost_usd=0.1), judge_cost_usd=0.2),
        record("commits/G-001", 1, repeat=2, usage=Usage(cost_usd=9), cached=True),
    ]
    assert evaluate(suite(case("G-001")), records).cost_usd == pytest.approx(0.3)


def test_the_document_is_read_back_as_it_was():
    before = baseline({"G-001": 0.9, "G-007": 1}, usage={"G-001": TaskUsage(1, 2, 0.5)})
    records = [record("commits/G-001", 1, 3), error("commits/G-002")]
    result = evaluate(
        suite(case("G-001"), case("G-002"), skipped=(("G-003", "no oracle"),)),
        records,
        before,
        triggers=triggers(True),
    )
    assert from_document(result.to_document()) == result


def test_what_a_document_derives_is_not_trusted():
    document = evaluate(
        suite(case("G-001")), [record("commits/G-001", 0)], baseline({"G-001": 1})
    ).to_document()
    document["verdict"], document["acceptable"] = "passed", True
    document["suites"][0]["passed"] = True
    assert from_document(document).verdict == "failed"


def test_a_document_that_is_none_is_unusable():
    with pytest.raises(Unusable, match=r"\$: 'run' is a required property"):
        from_document({"schema": "golden-eval/1"})


def test_run_ids():
    assert run_id(STARTED) == "golden-20261130T120000Z"


# --- accepting ----------------------------------------------------------------------------------------


def test_a_whole_run_replaces_the_baseline():
    result = evaluate(suite(case("G-001")), [record("commits/G-001", 1)], baseline({"G-001": 1, "G-009": 1}))
    new = accepted(result, baseline({"G-001": 1, "G-009": 1}), "2026-11-30")
    assert (new.accepted, new.run, dict(new.suites["commits"].tasks)) == (
        "2026-11-30",
        "golden-1",
        {"G-001": 1.0},
    )


def test_a_scoped_run_merges_and_leaves_the_others():
    before = GoldenBaseline(
        "2026-11-01", "m", "h@1",
        {"commits": AcceptedSuite(0.5, {"G-001": 0, "G-002": 1}), "prose": AcceptedSuite(1, {"G-001": 1})},
    )  # fmt: skip
    result = evaluate(
        suite(case("G-001")), [record("commits/G-001", 0.8)], before, whole=frozenset(), is_whole=False
    )
    new = accepted(result, before, "2026-11-30")
    assert new.suites["prose"] == before.suites["prose"]
    assert dict(new.suites["commits"].tasks) == {"G-001": 0.8, "G-002": 1}
    assert new.suites["commits"].pass_rate == 1.0


def test_a_scoped_run_under_another_stamp_cannot_be_merged():
    before = baseline({"G-001": 1, "G-002": 1}, model="old")
    result = evaluate(
        suite(case("G-001")), [record("commits/G-001", 1)], before, whole=frozenset(), is_whole=False
    )
    assert (
        merge_conflict(result, before)
        == "model old → m: 1 accepted tasks were not run under it; run all tasks to accept"
    )


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), min_size=1, max_size=8))
def test_accepting_a_run_and_running_it_again_is_no_regression(scores):
    cases = [case(f"G-{number:03}") for number in range(len(scores))]
    records = [
        record(f"commits/{each.id}", min(passed, scored), scored)
        for each, (passed, scored) in zip(cases, scores, strict=True)
    ]
    first = evaluate(suite(*cases), records)
    again = evaluate(suite(*cases), records, accepted(first, None, "2026-11-30"))
    assert {task.status for task in again.suites[0].tasks} == {"same"}
