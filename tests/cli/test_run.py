"""`assay run ITEM`, `assay show` and what they refuse, from the command line on real files."""

import json
import subprocess
import sys

import pytest


@pytest.fixture
def project(tmp_path):
    """A skill with two cases, and rules that obey it in one of them."""
    write(
        tmp_path / "skills/polite/SKILL.md",
        "---\nname: polite\ndescription: says please\n---\nAlways say please.\n",
    )
    for case in ("asks", "quiet"):
        write(tmp_path / f"evals/polite/{case}/prompt.md", f"Ask for {case} salt\n")
        write(tmp_path / f"evals/polite/{case}/graders/please.md", "---\ntype: regex\npattern: please\n---\n")
    write(
        tmp_path / "rules.yaml",
        "- {item_contains: please, case: asks, say: 'please {input}', cost_usd: 0.01}\n",
    )
    return tmp_path


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def assay(project, *arguments):
    command = [sys.executable, "-m", "assay", *arguments]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, encoding="utf-8", check=False)


def run_polite(project, *arguments):
    return assay(project, "run", "polite", "--harness", "scripted:rules.yaml", *arguments)


def test_a_run_measures_both_arms_and_prints_the_plan_first(project):
    done = run_polite(project)
    assert done.returncode == 0
    assert done.stderr.startswith("Plan: 2 cases, arms with and without: 12 trials\n")
    assert done.stdout.startswith("polite: the model scored higher with it: +0.50.\n")


def test_warnings_on_the_suite_are_said_before_the_plan(project):
    write(project / "evals/polite/asks/graders/same.md", "---\ntype: regex\npattern: please\n---\n")
    write(project / "evals/polite/quiet/prompt.md", "---\nname: asks\n---\nAsk for quiet salt\n")
    done = run_polite(project)
    assert "[L18] the name 'asks'" in done.stderr.partition("Plan: ")[0]


def test_the_document_validates_and_is_the_same_on_paper_and_on_the_screen(project):
    done = run_polite(project, "--json", "--out", "r.json", "--runs", "2")
    document = json.loads(done.stdout)
    assert document == json.loads((project / "r.json").read_text("utf-8"))
    assert (document["schema"], document["with"], document["without"], document["delta"]) == (
        "skill-eval/1",
        0.5,
        0.0,
        0.5,
    )
    assert document["cases"][0]["trials"] == {"with": [[1, 1], [1, 1]], "without": [[0, 1], [0, 1]]}
    assert document["cost_usd"] == pytest.approx(0.02)


def test_the_second_run_pays_for_nothing(project):
    run_polite(project)
    document = json.loads(run_polite(project, "--json").stdout)
    assert document["cost_usd"] == 0
    shown = json.loads(assay(project, "show", "latest", "--json").stdout)
    assert [trial["cached"] for trial in shown["trials"]] == [True] * 12


def test_an_edit_of_the_item_runs_only_the_arm_that_has_it(project):
    run_polite(project)
    write(project / "skills/polite/SKILL.md", "---\nname: polite\ndescription: d\n---\nNever beg.\n")
    assert json.loads(run_polite(project, "--json").stdout)["delta"] == 0
    trials = json.loads(assay(project, "show", "latest", "--json").stdout)["trials"]
    assert {(trial["arm"], trial["cached"]) for trial in trials} == {("with", False), ("without", True)}


def test_an_infrastructure_error_is_no_score_and_makes_the_run_partial(project):
    write(project / "rules.yaml", "- {case: asks, arm: with, fail: auth}\n- {say: please}\n")
    document = json.loads(run_polite(project, "--json").stdout)
    assert (document["partial"], document["partial_reason"], document["delta"]) == (True, "errors", 0.0)
    asks = next(case for case in document["cases"] if case["name"] == "asks")
    assert (asks["with"], asks["errors"]) == (None, 3)
    gate = assay(project, "gate", "polite", "missing.json")
    assert (gate.returncode, gate.stdout) == (2, "")


def test_the_ceiling_leaves_a_clean_partial_result(project):
    write(project / "rules.yaml", "- {say: please, cost_usd: 0.3}\n")
    document = json.loads(run_polite(project, "--json", "--max-cost-usd", "1", "-j", "1").stdout)
    assert (document["partial"], document["partial_reason"]) == (True, "cost_ceiling")
    assert document["cost_usd"] <= 1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["run", "nobody"], 3, "no item is called 'nobody'"),
        (["run", "polite", "--max-cost-usd", "0"], 2, "must be more than 0"),
        (["run", "polite", "--runs", "-1"], 2, "-1 is not in the range"),
        (["run", "polite", "G-001"], 2, "one kind a call"),
        (["run", "polite", "polite"], 2, "one item a call"),
        (["run", "polite", "--harness", "nothing"], 2, "no harness is called 'nothing'"),
        (["run", "polite", "--harness", "scripted:none.yaml"], 2, "cannot be read as rules"),
        (["show", "no-such-run"], 3, "nothing is stored here"),
    ],
)
def test_a_mistake_has_one_clear_message_and_its_exit_code(project, arguments, code, message):
    done = assay(project, *arguments)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project / ".assay").exists()


def test_an_item_without_a_suite_says_where_it_was_looked_for(project):
    write(project / "skills/lone/SKILL.md", "---\nname: lone\ndescription: d\n---\nHello.\n")
    done = assay(project, "run", "lone")
    assert done.returncode == 3
    assert "evals/lone" in done.stderr


def test_bad_settings_name_the_file_and_the_keys(project):
    write(project / "assay.toml", "max_cost = 3\nruns = 'many'\n")
    done = run_polite(project)
    assert done.returncode == 2
    assert "assay.toml: unknown key 'max_cost'" in done.stderr
    assert "$.runs" in done.stderr


def test_a_run_whose_reject_is_certain_may_stop(project):
    best = {"score": 1.0, "without": 0.0, "run": "eval-polite-0", "date": "2026-10-09"}
    baseline = {"schema": "skill-eval-baseline/1", "item": "polite", "best": {"default": best}}
    write(project / "evals/polite/baseline.json", json.dumps(baseline))
    full = json.loads(run_polite(project, "--json", "--jobs", "1").stdout)
    assert (full["curtailed"], sum(case["runs_with"] for case in full["cases"])) == (False, 6)
    short = json.loads(run_polite(project, "--json", "--jobs", "1", "--fresh", "--curtail").stdout)
    assert short["curtailed"]
    refused = assay(project, "run", "evals/", "--harness", "scripted:rules.yaml", "--curtail")
    assert refused.returncode == 2
