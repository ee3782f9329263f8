"""Results in the words of other tools, read back by our readers of them."""

from __future__ import annotations

import json

import pytest

from assay.foreign import read_result as for_the_gate
from assay.model import Fault, Grade, Record, Usage
from assay.report.foreign_documents import aggregate_result, benchmark, records_of_document
from assay.schemas.skill_eval import CaseScores, SkillEval
from assay.suites.results import read_result


def record(case, arm, repeat, passed, **more):
    grades = (
        Grade("ok", "regex", passed, explanation="said"),
        Grade("fires", "tool_used", arm == "with", scored=False, trigger=True),
    )
    return Record(
        "r", f"{case}{arm}{repeat}", case, arm, repeat, "scored", float(passed), 1.0, grades, **more
    )


RECORDS = (
    record("a", "with", 1, True, usage=Usage(10, 5, cost_usd=0.1), duration_s=2.0),
    record("a", "with", 2, True),
    record("a", "without", 1, True),
    record("a", "without", 2, False),
    record("b", "with", 1, False),
    record("b", "without", 1, False),
    Record("r", "x", "b", "without", 2, "error", fault=Fault("server", "529")),
)
RESULT = SkillEval(
    item="tidy",
    run="eval-tidy-20261130T120000Z",
    date="2026-11-30",
    model="haiku",
    with_score=0.5,
    without_score=0.25,
    trigger_rate=1.0,
    cases=(
        CaseScores("a", 1.0, 0.5, trials={"with": ((1, 1), (1, 1)), "without": ((1, 1), (0, 1))}),
        CaseScores("b", 0.0, 0.0, trials={"with": ((0, 1),), "without": ((0, 1),)}),
    ),
    cost_usd=0.1,
    max_cost_usd=2,
    harness="claude@2.1.328",
)


@pytest.fixture
def written(tmp_path):
    def write(document):
        path = tmp_path / "out.json"
        path.write_text(json.dumps(document, allow_nan=False), "utf-8")
        return path

    return write


@pytest.mark.parametrize("make", [aggregate_result, benchmark])
@pytest.mark.parametrize("records", [RECORDS, records_of_document(RESULT)])
def test_the_scores_come_back(written, make, records):
    done = make(RESULT, records)
    path = written(done.document)
    found = read_result(path)
    assert [float(found.score(arm)) for arm in found.arms] == [0.5, 0.25]
    back = for_the_gate(path, "tidy")
    assert (back.with_score, back.without_score, back.model) == (0.5, 0.25, "haiku")


def test_triggers_and_grades_come_back(written):
    back = for_the_gate(written(aggregate_result(RESULT, RECORDS).document), "tidy")
    assert back.trigger_rate == 1.0
    assert (
        read_result(written(benchmark(RESULT, RECORDS).document))
        .cases[0]
        .arms["with_skill"][0]
        .checks[0]
        .name
        == "ok"
    )


def test_what_does_not_fit_is_listed():
    assert (
        "1 trials without a score: neither format has a word for them"
        in aggregate_result(RESULT, RECORDS).lost
    )
    lost = benchmark(RESULT, RECORDS).lost
    assert "tokens: unknown ones are put as 0" in lost
    assert any(
        line.startswith("grades:") for line in aggregate_result(RESULT, records_of_document(RESULT)).lost
    )


def test_the_summary_of_a_benchmark():
    summary = benchmark(RESULT, RECORDS).document["run_summary"]
    assert summary["with_skill"]["pass_rate"]["mean"] == pytest.approx(2 / 3)
    assert summary["delta"]["pass_rate"] == "+0.33"
