"""Every format of a finished run, from stored records; what agents wrote is data in each."""

import csv
import io
import json
import xml.etree.ElementTree as ET

import pytest
from junitparser import JUnitXml

from assay.model import Fault, Grade, Location, Record, Usage
from assay.report.formats import FORMATS, render
from assay.report.github import annotate
from assay.report.markdown import LIMIT
from assay.report.summary import summarise
from assay.store.rows import Run

HOSTILE = "</failure>\x00\x1b[31m ]]> | <script>alert(1)</script> @everyone ::error::x %0A"


def record(case, arm, passed, repeat=1, **more):
    grade = Grade("says-please", "regex", passed, explanation=more.pop("why", "no match"))
    known = {"usage": Usage(10, 5, cost_usd=0.01), "duration_s": 0.5} | more
    return Record(
        "eval-x-1",
        f"sha256:{repeat:064x}",
        case,
        arm,
        repeat,
        "scored",
        float(passed),
        1.0,
        (grade,),
        **known,
    )


LOST = Record(
    "eval-x-1",
    "sha256:" + "e" * 64,
    "lost",
    "with",
    1,
    "error",
    fault=Fault("overloaded", "529 from the service"),
)
RECORDS = (
    record("worse", "with", False, why=HOSTILE),
    record("worse", "without", True),
    record("flaky", "with", True),
    record("flaky", "with", False, 2),
    record("flaky", "without", False),
    LOST,
    record("lost", "without", True),
)


def scores(name, with_, without, errors=0):
    delta = None if with_ is None else with_ - without
    verdict = None if delta is None else "improved" if delta > 0 else "regressed"
    return {"name": name, "with": with_, "without": without, "delta": delta, "verdict": verdict,
            "trigger_rate": None, "runs_with": 1, "runs_without": 1, "errors": errors}  # fmt: skip


DOCUMENT = {
    "schema": "skill-eval/1", "item": "x", "with": 0.25, "without": 0.5, "delta": -0.25, "verdict": "regressed",
    "trigger_rate": None, "cost_usd": 0.07, "max_cost_usd": 2, "partial": True, "partial_reason": "errors",
    "curtailed": False, "model": "m", "model_reported": None, "judge_model": None, "harness": "scripted@1",
    "item_digest": "sha256:" + "1" * 64, "suite_digest": "sha256:" + "2" * 64, "run": "eval-x-1", "date": "2026-11-30",
    "cases": [scores("worse", 0.0, 1.0), scores("flaky", 0.5, 0.0), scores("lost", None, 1.0, 1)],
}  # fmt: skip
RUN = Run(
    "eval-x-1", "ablation", "x", "2026-11-30T10:00:00Z", "scripted@1", "m", 8, "partial", document=DOCUMENT
)


@pytest.fixture
def summary():
    return summarise(RUN, RECORDS)


def test_the_worst_comes_first_and_carries_its_flags(summary):
    assert [(case.id, case.status, sorted(case.flags)) for case in summary.cases] == [
        ("lost", "error", ["error"]),
        ("worse", "failed", ["changed", "failed"]),
        ("flaky", "passed", ["changed", "flaky"]),
    ]
    assert summary.cases[0].reasons == ("overloaded: 529 from the service",)
    assert summary.sentence == "x: the model scored lower with it: -0.25."


def test_junit_tells_errors_from_failures_and_survives_hostile_text(summary):
    text = render("junit", summary)
    [suite] = JUnitXml.fromstring(text.encode())
    assert (suite.tests, suite.failures, suite.errors) == (3, 1, 1)
    by_name = {case.attrib["name"]: case for case in ET.fromstring(text).iter("testcase")}
    assert by_name["lost"].find("error").text == "overloaded: 529 from the service"
    failure = by_name["worse"].find("failure")
    assert failure.attrib["message"] == "score 0.00, without 1.00 (-1.00)"
    assert "<script>" in failure.text
    assert "\x00" not in failure.text


def test_markdown_is_inert_and_says_what_it_cost(summary):
    text = render("markdown", summary)
    assert "| worse | 0.00 | 1.00 | -1.00 | failed |" in text
    assert "partial: errors" in text
    assert "$0.07" in text
    assert "<script>" not in text.replace("\\<script\\>", "")
    assert "@everyone" not in text


def test_markdown_stays_under_the_limit_whatever_the_suite():
    names = [f"{number}-{'long-name-' * 20}" for number in range(2000)]
    document = {**DOCUMENT, "cases": [scores(name, 0.0, 1.0) for name in names]}
    run = Run("eval-x-1", "ablation", "x", "2026-11-30T10:00:00Z", "scripted@1", "m", 1, document=document)
    text = render("markdown", summarise(run, [record(name, "with", False) for name in names]))
    assert len(text) < LIMIT
    assert "more cases" in text
    assert text.rstrip().endswith("</sub>")


def test_csv_has_a_row_a_trial_and_an_unknown_is_empty(summary):
    rows = list(csv.DictReader(io.StringIO(render("csv", summary))))
    assert len(rows) == len(RECORDS)
    lost = next(row for row in rows if row["fault"])
    assert (lost["score"], lost["cost_usd"], lost["outcome"]) == ("", "", "error")


def test_tap_has_a_point_a_case(summary):
    lines = render("tap", summary).splitlines()
    assert lines[:3] == ["TAP version 14", "1..3", "not ok 1 - lost"]
    assert lines[-1] == "ok 3 - flaky"


def test_annotations_stand_on_the_file_and_cannot_be_forged(summary):
    text = annotate(summary, {"worse": Location("evals/x/worse/prompt.md", 1)})
    assert "::error file=evals/x/worse/prompt.md,line=1,title=assay%3A worse::score 0.00" in text
    assert text.startswith("::warning title=assay%3A lost::overloaded")
    assert all(line.startswith(("::error ", "::warning ")) for line in text.splitlines())


def test_json_is_the_view_model(summary):
    assert json.loads(render("json", summary))["cases"][1]["id"] == "worse"


def test_a_run_without_a_document_is_told_as_going_on():
    run = Run("eval-x-1", "ablation", "x", "2026-11-30T10:00:00Z", "scripted@1", "m", 8)
    summary = summarise(run, RECORDS)
    assert summary.sentence == "x: 7 of 8 trials are done; there is no verdict yet."
    assert {case.id for case in summary.cases} == {"worse", "flaky", "lost"}


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_of_the_table_renders(summary, name):
    if name == "parquet":
        pytest.importorskip("pyarrow")
    assert render(name, summary)


def test_the_summary_of_a_job_is_the_comment_without_its_mark(summary):
    from assay.report.markdown import MARKER, job_summary, markdown

    assert markdown(summary) == f"{MARKER}\n{job_summary(summary)}"
