"""Records from a document that the real `claude plugin eval` left."""

import copy
import json
from fractions import Fraction
from pathlib import Path

import pytest

from assay.errors import Unusable
from assay.model import WITH, WITHOUT
from assay.suites.platform_result import records_of

DOCUMENT = json.loads((Path(__file__).parents[1] / "fixtures/platform_result.json").read_text("utf-8"))
PREFIX = "evals/commit/"


def records(document=DOCUMENT):
    return {(record.case, record.arm): record for record in records_of(document, "run-1", PREFIX)}


def changed(case, **run):
    """The document with other values in the first run of a case's arm with the item."""
    document = copy.deepcopy(DOCUMENT)
    next(one for one in document["cases"] if one["dir"] == PREFIX + case)["arms"]["with"][0].update(run)
    return document


def test_scores_are_the_platforms_own():
    theirs = {
        (case["dir"].removeprefix(PREFIX), arm): runs[0]["score"]
        for case in DOCUMENT["cases"]
        for arm, runs in case["arms"].items()
    }
    ours = {key: record.score for key, record in records().items() if record.score is not None}
    assert {key: float(score) for key, score in ours.items()} == pytest.approx(
        {key: theirs[key] for key in ours}
    )
    assert records()["with-only-beside", WITHOUT].score == Fraction(1, 4)
    assert len(ours) == 14


def test_a_time_out_and_a_turn_limit_are_scored():
    assert records()["time-out", WITH].score == records()["turn-limit", WITH].score == Fraction(2, 3)


@pytest.mark.parametrize(
    ("case", "kind"),
    [
        ("z401", "auth"),
        ("e529", "overloaded"),
        ("elimit", "usage_limit"),
        ("eempty", "empty"),
        ("never", "api_timeout"),
    ],
)
def test_infrastructure_is_an_error_whatever_the_platform_scored(case, kind):
    for arm in (WITH, WITHOUT):
        record = records()[case, arm]
        assert (record.outcome, record.fault.kind, record.score) == ("error", kind, None)


def test_trigger_results_join_their_type_by_name():
    triggers = {
        key: [grade.passed for grade in record.grades if grade.trigger] for key, record in records().items()
    }
    assert triggers["fires", WITH] == [True]
    assert triggers["quiet", WITH] == [True]
    assert triggers["fires", WITHOUT] == []
    fired = next(grade for grade in records()["fires", WITH].grades if grade.trigger)
    assert fired.scored is False


def test_an_older_result_without_scored_is_read_by_with_only():
    document = copy.deepcopy(DOCUMENT)
    case = next(one for one in document["cases"] if one["dir"] == PREFIX + "fires")
    for grader in case["arms"]["with"][0]["graders"]:
        del grader["scored"]
    assert records(document)["fires", WITH].score == 1


def test_runs_are_counted_where_they_are():
    document = copy.deepcopy(DOCUMENT)
    case = next(one for one in document["cases"] if one["dir"] == PREFIX + "fires")
    case["arms"]["with"] *= 3
    case["runsPerCase"] = 1
    repeats = [r.repeat for r in records_of(document, "r", PREFIX) if (r.case, r.arm) == ("fires", WITH)]
    assert repeats == [1, 2, 3]


def test_skipped_paid_graders_are_the_ceilings_fault():
    record = records(changed("judge", skippedPaidGraders=True))["judge", WITH]
    assert record.fault.kind == "ceiling"


def test_a_judge_that_crashed_is_no_fail():
    document = changed("judge")
    case = next(one for one in document["cases"] if one["dir"] == PREFIX + "judge")
    grader = case["arms"]["with"][0]["graders"][0]
    grader.update(passed=False, explanation="grader threw: 529 overloaded")
    record = records(document)["judge", WITH]
    assert (record.outcome, record.fault.kind) == ("error", "judge")


def test_a_run_that_mocks_aborted_failed():
    record = records(changed("fires", graders=[], aborted={"server": "s", "tool": "t", "reason": "r"}))[
        "fires", WITH
    ]
    assert (record.outcome, record.score) == ("scored", 0)


def test_costs_of_agents_and_judges_are_apart():
    record = records()["judge", WITH]
    assert record.judge_cost_usd > 0
    assert record.usage.cost_usd == pytest.approx(0.0008)


@pytest.mark.parametrize(
    "document", [{}, [], {"schemaVersion": 2, "cases": []}, {"schemaVersion": 1, "cases": [{}]}, None]
)
def test_another_document_is_unusable(document):
    with pytest.raises(Unusable):
        records_of(document, "r")
