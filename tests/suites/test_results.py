"""Results of other tools, in one view."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from assay.errors import SuiteError
from assay.suites.results import read_result


def read(tmp_path, value, name="result.json"):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")
    return read_result(path)


def run(passed, fired=None, error=None):
    graders = [{"name": "ok", "passed": passed, "weight": 2, "explanation": "said", "withOnly": False}]
    if fired is not None:
        graders.append({"name": "fires", "passed": fired, "weight": 1, "withOnly": True, "scored": False})
    return {"score": 1 if passed else 0, "passed": passed, "error": error, "graders": graders}


def aggregate(**more):
    return {
        "schemaVersion": 1,
        "claudeVersion": "2.1.328",
        "startedAt": "2026-09-12T01:06:04.181Z",
        "costUsd": 0.5,
        "partial": False,
        "suite": {"modelOverride": "haiku", "judgeModel": "sonnet", "plugins": [{"name": "probe"}]},
        "cases": [
            {
                "name": "first",
                "dir": "evals/first",
                "graders": [
                    {"name": "ok", "type": "regex", "config": {}},
                    {"name": "fires", "type": "tool_used", "config": {"tool": "Skill"}},
                ],
                "arms": {"with": [run(True, True), run(True, False)], "without": [run(True), run(False)]},
            }
        ],
        **more,
    }


def test_an_aggregate_result(tmp_path):
    found = read(tmp_path, aggregate())
    assert (found.title, found.model, found.tool) == ("probe", "haiku", "claude-plugin-eval@2.1.328")
    assert [found.score(arm) for arm in found.arms] == [1, Fraction(1, 2)]
    assert found.delta == Fraction(1, 2)


def test_an_error_is_no_score(tmp_path):
    value = aggregate()
    value["cases"][0]["arms"]["with"][1] = {"score": 0, "passed": False, "error": "API error", "graders": []}
    found = read(tmp_path, value)
    assert found.score("with") == 1
    assert found.remarks == (
        "1 runs ended in an error; the platform counts them in its means, assay does not",
    )


def test_a_benchmark_of_runs_is_paired_by_role_not_by_order(tmp_path):
    def row(arm, passed):
        result = {"pass_rate": passed / 4, "passed": passed, "failed": 4 - passed, "total": 4}
        return {"eval_id": 1, "configuration": arm, "run_number": 1, "result": result}

    value = {
        "metadata": {"skill_name": "s"},
        "runs": [row("old_skill", 1), row("with_skill", 3)],
        "run_summary": {},
    }
    found = read(tmp_path, value)
    assert found.arms == ("with_skill", "old_skill")
    assert found.delta == Fraction(1, 2)


def test_a_benchmark_of_evals_in_per_cent(tmp_path):
    value = {
        "skill_name": "s",
        "with_skill": {},
        "evals": [
            {"name": "a", "with_skill": {"pass_rate": 50.0}, "without_skill": {"passed": 0, "total": 7}}
        ],
    }
    found = read(tmp_path, value)
    assert [found.score(arm) for arm in found.arms] == [Fraction(1, 2), 0]
    assert "pass rates above 1 were read as per cent" in found.remarks


def test_a_benchmark_of_a_summary_alone(tmp_path):
    value = {
        "run_summary": {"with_skill": {"pass_rate": {"mean": 0.75}}, "without_skill": {"pass_rate": 0.5}}
    }
    found = read(tmp_path, value)
    assert found.delta == Fraction(1, 4)
    assert found.remarks == ("only the summary's means are there, no single case",)


def test_a_grading_counts_its_checks_and_names_its_arm(tmp_path):
    checks = [{"text": "a", "passed": True}, {"text": "b", "passed": False}, {"text": "c", "passed": None}]
    value = {"expectations": checks, "summary": {"passed": 2, "total": 3}}
    found = read(tmp_path, value, "eval-1/with_skill/run-2/grading.json")
    assert (found.arms, found.title) == (("with_skill",), "eval-1")
    assert found.score("with_skill") == Fraction(1, 2)
    assert found.remarks == (
        "its summary says 2 of 3, its checks say 1 of 2: the checks count",
        "1 checks were not graded and do not count",
    )


@pytest.mark.parametrize("key", ["expectations", "assertion_results", "assertions"])
def test_words_for_graded_checks(tmp_path, key):
    assert read(tmp_path, {key: [{"name": "a", "passed": True}]}).cases[0].score("graded") == 1


def test_what_was_not_graded_has_no_score(tmp_path):
    assert read(tmp_path, {"expectations": [{"text": "a", "passed": None}]}).cases[0].score("graded") is None


def test_results_by_query(tmp_path):
    rows = [{"query": "q", "should_trigger": True, "pass": True}, {"query": "r", "pass": False}]
    found = read(tmp_path, {"skill_name": "s", "results": rows})
    assert found.score("graded") == Fraction(1, 2)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"evals": [{"prompt": "x", "assertions": ["y"]}]}, "it holds evals"),
        ({"schemaVersion": 1, "cases": [{"arms": {"with": [5]}}]}, "does not hold what one holds"),
        ({"schemaVersion": 1, "cases": []}, "without any run"),
        ({"case": "x", "cost_usd": 1}, "its keys are case, cost_usd"),
    ],
)
def test_what_is_no_result_is_refused_with_a_reason(tmp_path, value, reason):
    with pytest.raises(SuiteError, match=reason):
        read(tmp_path, value)
