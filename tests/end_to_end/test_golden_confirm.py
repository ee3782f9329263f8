"""`assay run --confirm`: a drop only flags, fresh runs decide."""

import json
import subprocess

import pytest

UNLUCKY = '{case: "*G-001", say: [wrong, ok, ok, ok, ok, ok, ok, ok]}'


@pytest.fixture
def accepted(project):
    """Two tasks that passed in three runs each; half of the tasks is enough."""
    project.task("commits/G-001")
    project.task("commits/G-002")
    project.write("evals/thresholds.yml", "pass_rate: 0.5\n")
    project.rules("{say: ok}")
    assert project.run("--runs", "3", "--accept", "--yes").code == 0
    return project


def confirmed(project, *arguments):
    done = project.run("--confirm", "--json", "--fresh", *arguments)
    document = json.loads(done.out)
    tasks = {task["id"]: task for suite in document["suites"] for task in suite["tasks"]}
    return done, document, tasks


def test_a_drop_by_bad_luck_fails_the_literal_rule_and_not_the_confirmed_one(accepted):
    accepted.rules(UNLUCKY, "{say: ok}")
    assert accepted.run("--runs", "1", "--fresh").code == 1
    done, document, tasks = confirmed(accepted, "--runs", "1")
    assert (done.code, document["verdict"]) == (0, "passed")
    found = tasks["G-001"]["confirmation"]
    assert (found["is_drop"], found["source"], len(found["now"]), len(found["before"])) == (
        False,
        "accepted",
        8,
        3,
    )
    assert sum(passed for passed, _ in found["now"]) == 7
    assert tasks["G-002"]["confirmation"] is None
    assert tasks["G-001"]["score"] == 0, "the score of the run is told as it was measured"


def test_the_report_tells_both_numbers(accepted):
    accepted.rules(UNLUCKY, "{say: ok}")
    out = accepted.run("--confirm", "--runs", "1", "--fresh").out
    assert "(baseline 1.00  →  -1.00, not confirmed: 0.88 in 8 fresh runs, 1.00 in 3 accepted)" in out
    assert "REGRESSION" not in out


def test_a_broken_task_is_confirmed_and_fails_the_run(accepted):
    accepted.rules('{case: "*G-001", say: wrong}', "{say: ok}")
    done, document, tasks = confirmed(accepted, "--runs", "1")
    assert (done.code, document["verdict"]) == (1, "failed")
    assert tasks["G-001"]["confirmation"]["is_drop"]
    assert tasks["G-001"]["confirmation"]["p"] == pytest.approx(1 / 165), "Fisher: 0 of 8 against 3 of 3"


def test_accepting_a_drop_that_was_not_confirmed_keeps_the_fresh_runs(accepted):
    accepted.rules(UNLUCKY, "{say: ok}")
    done = accepted.run("--confirm", "--runs", "1", "--fresh", "--accept", "--yes")
    assert done.code == 0, done.out + done.err
    baseline = json.loads(accepted.read("evals/baseline.json"))
    assert baseline["suites"]["commits"]["tasks"] == {"G-001": 0.875, "G-002": 1.0}
    assert len(baseline["suites"]["commits"]["trials"]["G-001"]) == 8


def test_a_baseline_of_one_run_cannot_be_tested_and_the_drop_stays_one(project):
    project.task("commits/G-001")
    project.task("commits/G-002")
    project.write("evals/thresholds.yml", "pass_rate: 0.5\n")
    project.rules("{say: ok}")
    project.run("--accept", "--yes")
    project.rules(UNLUCKY, "{say: ok}")
    done = project.assay("run", "--confirm", "--harness", "scripted:rules.yaml", "--model", "m", "--fresh")
    assert done.code == 1
    assert "not confirmed: commits/G-001: the baseline keeps 1 run of it, too few to test against" in done.err
    assert "REGRESSION -1.00" in done.out


def test_the_accepted_version_runs_beside_where_git_has_it(accepted):
    accepted.skill("commit", body="OLD")
    accepted.rules(
        "{item_contains: OLD, say: [ok, ok, ok, wrong]}", '{case: "*G-001", say: wrong}', "{say: ok}"
    )
    assert accepted.run("--accept", "--yes", "--runs", "3").code == 0
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"],
    ):
        subprocess.run(["git", *command], cwd=accepted.root, check=True)
    accepted.skill("commit", body="NEW")
    done, _, tasks = confirmed(accepted, "--runs", "3")
    found = tasks["G-001"]["confirmation"]
    assert (found["source"], found["is_drop"], done.code) == ("fresh", True, 1)
    assert [passed for passed, _ in found["before"]] == [1, 1, 1, 0, 1, 1, 1, 0]
    assert [passed for passed, _ in found["now"]] == [0] * 8
    runs = json.loads(accepted.assay("show", "--json").out)
    assert any(run["id"].endswith("-confirm") and run["planned"] == 16 for run in runs)


def test_a_suite_that_dropped_a_little_everywhere_is_caught_as_a_whole(project):
    for number in range(1, 9):
        project.task(f"commits/G-00{number}", expected="- contains: ok\n- contains: fine", grader="assert")
    project.write("evals/thresholds.yml", "pass_rate: 0\ntask_pass: 0.4\n")
    project.rules("{say: ok fine}")
    assert project.run("--runs", "2", "--accept", "--yes").code == 0
    project.rules("{say: [ok, ok, ok fine, ok fine, ok fine, ok fine, ok fine, ok fine, ok fine]}")
    done, document, tasks = confirmed(project, "--runs", "2")
    assert {task["confirmation"]["is_drop"] for task in tasks.values()} == {False}
    assert document["suites"][0]["drop_p"] <= 0.01
    assert (document["verdict"], done.code) == ("failed", 1)
    assert "the suite as a whole dropped, p 0.0000" in project.run("--confirm", "--runs", "2", "--fresh").out


def test_the_ceiling_holds_for_both_and_what_it_leaves_undecided_stays_a_drop(accepted):
    accepted.rules('{case: "*G-001", say: [wrong, ok, ok, ok, ok, ok, ok, ok], cost_usd: 0.1}', "{say: ok}")
    done, document, tasks = confirmed(accepted, "--runs", "1", "--max-cost-usd", "0.5")
    assert (done.code, tasks["G-001"]["confirmation"]) == (1, None)
    assert document["cost_usd"] <= 0.5
