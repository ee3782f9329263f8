"""Results of other tools are judged as ours are, or refused with what they lack."""

import json
from pathlib import Path

import pytest

from assay.errors import Unusable
from assay.foreign import read_result
from assay.verdict.gate import decide

GRADERS = [
    {"name": "fired", "type": "tool_used", "weight": 1, "config": {"tool": "Skill"}},
    {"name": "says", "type": "regex", "weight": 1, "config": {"pattern": "fix"}},
]


def run(says: bool, fired: bool | None = None, error: str | None = None) -> dict[str, object]:
    grades = [{"name": "says", "passed": says}]
    if fired is not None:
        grades.append({"name": "fired", "passed": fired, "withOnly": True, "scored": False})
    return {
        "score": float(says),
        "passed": says,
        "costUsd": 0.1,
        "judgeCostUsd": 0,
        "error": error,
        "graders": grades,
    }


def platform(**changes: object) -> dict[str, object]:
    arms = {"with": [run(True, True), run(True, False)], "without": [run(False), run(True)]}
    case = {"name": "a", "dir": "evals/commit/a", "graders": GRADERS, "arms": arms}
    plain: dict[str, object] = {
        "schemaVersion": 1,
        "claudeVersion": "2.1.328",
        "startedAt": "2026-10-09T08:44:44.486Z",
        "partial": False,
        "suite": {"ablation": "with-without", "modelOverride": "haiku", "judgeModel": "opus"},
        "cases": [case],
    }
    return {**plain, **changes}


def benchmark(*configurations: str) -> dict[str, object]:
    runs = [
        {
            "eval_id": number,
            "eval_name": f"eval {number}",
            "configuration": configuration,
            "run_number": 1,
            "result": {"passed": passed, "failed": 4 - passed, "total": 4},
        }
        for number in (1, 2)
        for configuration, passed in zip(configurations, (3, 2), strict=False)
    ]
    metadata = {"skill_name": "commit", "executor_model": "sonnet", "timestamp": "2026-10-09T08:44:44"}
    return {"metadata": metadata, "runs": runs, "run_summary": {}}


def write(tmp_path: Path, document: object) -> Path:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(document), "utf-8")
    return path


def test_the_platforms_result_has_scores_triggers_and_stamps(tmp_path: Path) -> None:
    result = read_result(write(tmp_path, platform()), "commit")
    assert (result.with_score, result.without_score, result.trigger_rate) == (1.0, 0.5, 0.5)
    assert (result.model, result.judge_model, result.harness) == ("haiku", "opus", "plugin-eval@2.1.328")
    assert (result.run, result.date) == ("eval-commit-20261009T084444Z", "2026-10-09")
    assert (result.partial, result.suite_digest, result.max_cost_usd) == (False, None, None)
    assert decide(result, None).accepted
    result.to_document()


def test_what_the_platform_scored_0_for_infrastructure_is_an_error(tmp_path: Path) -> None:
    document = platform()
    document["cases"][0]["arms"]["with"][1] = run(False, None, "API Error: 529 overloaded")  # type: ignore[index]
    result = read_result(write(tmp_path, document), "commit")
    assert (result.with_score, result.cases[0].errors, result.partial_reason) == (1.0, 1, "errors")


@pytest.mark.parametrize(
    ("told", "reason"), [("cost_ceiling", "cost_ceiling"), ("auth_failed", "errors"), (None, "errors")]
)
def test_a_partial_result_of_the_platform_is_partial(tmp_path: Path, told: str | None, reason: str) -> None:
    result = read_result(write(tmp_path, platform(partial=True, partialReason=told)), "commit")
    assert (result.partial, result.partial_reason) == (True, reason)


def test_a_single_arm_is_unusable(tmp_path: Path) -> None:
    document = platform()
    del document["cases"][0]["arms"]["without"]  # type: ignore[index]
    with pytest.raises(Unusable, match="has no arm without the plugin"):
        read_result(write(tmp_path, document), "commit")


def test_a_benchmark_has_its_runs_as_trials(tmp_path: Path) -> None:
    result = read_result(write(tmp_path, benchmark("with_skill", "without_skill")), "commit")
    assert (result.with_score, result.without_score, result.model) == (0.75, 0.5, "sonnet")
    assert result.cases[0].trials == {"with": ((3, 4),), "without": ((2, 4),)}
    assert not result.partial
    result.to_document()


def test_a_benchmark_run_that_was_not_graded_is_missing_and_not_0(tmp_path: Path) -> None:
    document = benchmark("with_skill", "without_skill")
    document["runs"][0]["result"] = {"passed": 0, "failed": 0, "total": 0}  # type: ignore[index]
    result = read_result(write(tmp_path, document), "commit")
    assert (result.with_score, result.partial, result.cases[0].with_score) == (0.75, True, None)


@pytest.mark.parametrize(
    ("document", "told"),
    [
        (
            benchmark("new_skill", "old_skill"),
            "compares 'new_skill': the gate takes with_skill and without_skill",
        ),
        ({"metadata": {"timestamp": "2026-10-09"}, "runs": [{}]}, "is not a benchmark of skill-creator"),
        ({"metadata": {}, "runs": []}, "does not say when its run started: None"),
        (platform(schemaVersion=2), "schemaVersion 2, not 1"),
        (platform(cases=[{}]), "not a result of claude plugin eval"),
        ([], "not a result that the gate can judge: it takes what `assay run --out` wrote"),
        ({"expectations": [{"text": "a", "passed": True}]}, "the grading of one run on one arm"),
        ({"run_summary": {"with_skill": {"pass_rate": {"mean": 1}}}}, "a benchmark without its `runs`"),
        ({"evals": [{"prompt": "x"}]}, "a suite, not a result: `assay check` reads it"),
        ([{"query": "x", "should_trigger": True}], "a trigger set, not a result"),
        ({"schema": "other"}, "is not a skill-eval/1 document"),
    ],
)
def test_what_does_not_hold_what_is_needed_says_so(tmp_path: Path, document: object, told: str) -> None:
    with pytest.raises(Unusable, match=told):
        read_result(write(tmp_path, document), "commit")
