"""`assay regrade`: changed graders on stored transcripts, nothing run."""

import json

import pytest


@pytest.fixture
def polite(project):
    project.skill("polite", "Say please.")
    for name in ("asks", "tells"):
        project.write(f"evals/polite/{name}/prompt.md", f"{name} for salt\n")
        project.write(f"evals/polite/{name}/graders/g.md", "---\ntype: regex\npattern: please\n---\n")
    project.rules("{item_contains: please, say: 'please {input}', cost_usd: 0.01}", "{cost_usd: 0.01}")
    return project


def test_changed_graders_are_put_to_a_run_as_it_was(polite):
    first = json.loads(polite.run("polite", "--runs", "2", "--json").out)
    polite.write("evals/polite/asks/graders/g.md", "---\ntype: regex\npattern: nowhere\n---\n")
    polite.write("evals/polite/asks/prompt.md", "other\n")  # an edit since then does not matter
    polite.skill("polite", "Say nothing.")
    polite.write("evals/polite/new/prompt.md", "new\n")
    polite.write("evals/polite/new/graders/g.md", "---\ntype: regex\npattern: please\n---\n")
    done = polite.assay("regrade", "--json")
    again = json.loads(done.out)
    assert (done.code, again["partial"], again["cost_usd"]) == (0, False, 0)
    assert (first["with"], again["with"]) == (1.0, 0.5)
    assert [case["name"] for case in again["cases"]] == ["asks", "tells"]
    assert [case["runs_with"] for case in again["cases"]] == [2, 2]
    assert (again["item_digest"], again["harness"], again["model"]) == (
        first["item_digest"],
        first["harness"],
        first["model"],
    )
    assert again["run"] != first["run"]
    assert polite.assay("diff", first["run"], again["run"]).code in (0, 1)


def test_a_trial_that_died_stays_missing(polite):
    polite.rules("{case: asks, arm: with, fail: auth}", "{say: please}")
    polite.run("polite", "--runs", "1")
    again = json.loads(polite.assay("regrade", "latest", "--json").out)
    assert (again["partial"], again["partial_reason"]) == (True, "errors")


def test_golden_tasks_are_graded_again(project):
    project.task("commits/G-001", expected="ok")
    project.task("commits/G-002", expected="ok")
    project.rules("{say: ok}")
    assert project.run("--json").code == 0
    project.task("commits/G-002", expected="other")
    project.rules("{say: other}")
    done = project.assay("regrade", "--json")
    scores = [task["score"] for suite in json.loads(done.out)["suites"] for task in suite["tasks"]]
    assert scores == [1.0, 0.0]


def test_what_cannot_be_graded_again_is_told(polite):
    assert polite.assay("regrade").code == 3
    polite.rules("{fail: auth}")
    polite.run("polite", "--runs", "1")
    done = polite.assay("regrade")
    assert (done.code, "no transcript of" in done.err) == (3, True)
    assert polite.assay("regrade", "nothing").code == 2
