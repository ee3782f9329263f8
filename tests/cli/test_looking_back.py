"""`assay show RUN CASE`, `assay diff` and `assay history`, from the command line on stored runs."""

import json
import re
import subprocess
import sys
import time

import pytest

KIND = "- {item_contains: please, case: asks, say: 'please {input}'}\n- {case: asks, say: hello}\n- {say: please}\n"
CURT = '- {case: quiet, fail: auth}\n- {say: "\\e[31mGive {input}"}\n'


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Two runs of one skill: a model that obeys, then one that does not and once is not there."""
    root = tmp_path_factory.mktemp("project")
    files = {"skills/polite/SKILL.md": "---\nname: polite\ndescription: d\n---\nAlways say please.\n"}
    for case in ("asks", "quiet"):
        files[f"evals/polite/{case}/prompt.md"] = f"Ask for {case} salt\n"
        files[f"evals/polite/{case}/graders/please.md"] = "---\ntype: regex\npattern: please\n---\n"
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    for rules in (KIND, CURT):
        (root / "rules.yaml").write_text(rules, "utf-8")
        run = assay(root, "run", "polite", "--harness", "scripted:rules.yaml", "--runs", "2", "--quiet")
        assert run.returncode == 0, run.stderr
    return root


@pytest.fixture(scope="module")
def runs(project):
    """The ids of both runs, the older first."""
    return [run["id"] for run in json.loads(assay(project, "show", "--json").stdout)][::-1]


def assay(project, *arguments):
    command = [sys.executable, "-m", "assay", *arguments]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, encoding="utf-8", check=False)


def test_a_case_is_shown_with_its_prompt_checks_and_outputs(project, runs):
    shown = assay(project, "show", runs[0], "asks", "--repeat", "1").stdout
    assert shown.startswith(
        "asks: passed; with 1.00, without 0.00\nprompt (evals/polite/asks/prompt.md)\n| Ask for asks salt\n"
    )
    assert "  yes  please (regex)" in shown
    assert "  output\n  | please Ask for asks salt" in shown
    assert "  NO   please (regex): no match\n  output\n  | hello" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_what_an_agent_wrote_cannot_colour_the_terminal(project):
    shown = assay(project, "show", "latest", "asks").stdout
    assert "\x1b" not in shown
    assert "  | \\x1b[31mGive Ask for asks salt" in shown


def test_a_trial_that_died_says_of_what(project):
    assert "  error  auth: " in assay(project, "show", "latest", "quiet", "--arm", "with").stdout


def test_a_case_as_json_holds_each_transcript(project, runs):
    trials = json.loads(assay(project, "show", runs[0], "asks", "--arm", "with", "--json").stdout)
    assert [(trial["repeat"], trial["transcript"]["output"]) for trial in trials] == [
        (1, "please Ask for asks salt"),
        (2, "please Ask for asks salt"),
    ]


def test_a_prompt_that_was_edited_since_is_not_shown_as_what_was_run(project, runs):
    prompt = project / "evals/polite/asks/prompt.md"
    before = prompt.read_text("utf-8")
    prompt.write_text("Something else\n", "utf-8")
    try:
        assert "prompt: the case is no longer what was run" in assay(project, "show", runs[0], "asks").stdout
    finally:
        prompt.write_text(before, "utf-8")


def test_two_runs_beside_each_other_worst_case_first(project, runs):
    shown = assay(project, "diff", *runs).stdout
    assert "asks                                             1.00     0.00    -1.00\n" in shown
    assert "    please: met 2 of 2 → 0 of 2\n" in shown
    assert "quiet                                            1.00        –        –\n" in shown
    assert "    errors: 0 → 2\n" in shown
    assert shown.index("quiet  ") < shown.index("asks  ")
    assert shown.endswith("2 cases changed, 0 scored the same\n")
    assert max(map(len, shown.splitlines())) <= 80


def test_a_run_beside_itself_differs_in_nothing(project, runs):
    shown = assay(project, "diff", runs[0], runs[0]).stdout
    assert "the recorded item, suite, harness and model are the same" in shown
    assert shown.endswith("\n0 cases changed, 2 scored the same\n")


def test_improved_and_regressed_stand_only_where_the_exact_test_says_so(project, runs):
    document = json.loads(assay(project, "diff", *runs, "--json").stdout)
    case = next(case for case in document["cases"] if case["id"] == "asks")
    assert (case["before"], case["now"], case["delta"], case["is_same_output"]) == (1.0, 0.0, -1.0, False)
    assert document["evidence"]["p_regressed"] > 0.05
    text = assay(project, "diff", *runs).stdout
    assert "regressed" not in text
    assert "improved" not in text


def test_the_outputs_of_a_case_stand_side_by_side(project, runs):
    shown = assay(project, "diff", *runs, "asks").stdout
    assert "please Ask for asks salt               │ \\x1b[31mGive Ask for asks salt\n" in shown
    assert shown.startswith("before #1                              │ now #1\n")
    assert max(map(len, shown.splitlines())) <= 80


def test_what_was_different_about_two_runs_is_named(project):
    item = project / "skills/polite/SKILL.md"
    before = item.read_text("utf-8")
    run = (
        "run",
        "polite",
        "--harness",
        "scripted:rules.yaml",
        "--runs",
        "1",
        "--store",
        "other.sqlite",
        "--quiet",
    )
    try:
        for text, more in ((before, ()), (before + "More.\n", ("--model", "large"))):
            item.write_text(text, "utf-8")
            assert assay(project, *run, *more).returncode == 0
    finally:
        item.write_text(before, "utf-8")
    stored = json.loads(assay(project, "show", "--store", "other.sqlite", "--json").stdout)
    shown = assay(project, "diff", stored[1]["id"], "latest", "--store", "other.sqlite").stdout
    assert "differs model: default → large\n" in shown
    assert len(re.findall(r"^differs item: [0-9a-f]{12} → [0-9a-f]{12}$", shown, re.MULTILINE)) == 1


def test_history_has_a_line_of_runs_for_each_model_and_harness(project, runs):
    shown = assay(project, "history", "polite").stdout
    assert shown.startswith("polite: 2 runs on 1 line of model and harness\n\ndefault on scripted@")
    assert "  █▁  1.00 → 0.00\n" in shown
    assert [line.split()[-1] for line in shown.splitlines()[-2:]] == runs
    document = json.loads(assay(project, "history", "polite", "--json").stdout)
    assert [point["score"] for point in document[0]["runs"]] == [1.0, 0.0]
    assert document[0]["runs"][0]["cases"] == {"asks": 1.0, "quiet": 1.0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "latest", "nothing"], "has no case 'nothing'; there are: asks, quiet"),
        (["show", "latest", "asks", "--repeat", "9"], "no such trial of asks; there are: with #1, with #2,"),
        (["show", "latest", "--arm", "with"], "are of one case"),
        (["diff", "latest", "no-run"], "no stored run is called 'no-run'"),
        (["diff", "latest", "latest", "--arm", "docs"], "has no arm 'docs'; it has: with, without"),
        (["diff", "latest", "latest", "asks", "--arm", "docs"], "'asks' has no trial on the arm 'docs'"),
        (["history", "rude"], "no finished run of 'rude' is stored; there are runs of: polite"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(project, arguments, message):
    done = assay(project, *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_run_whose_process_was_killed_is_not_told_as_running(project):
    rules = project / "slow.yaml"
    rules.write_text("- {case: quiet, seconds: 60}\n- {say: please}\n", "utf-8")
    more = ("--harness", "scripted:slow.yaml", "--store", "killed.sqlite", "--fresh", "-j", "1")
    child = subprocess.Popen(
        [sys.executable, "-m", "assay", "run", "polite", *more],
        cwd=project,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    shown = ("show", "--store", "killed.sqlite", "--json")
    deadline = time.monotonic() + 60
    while not (found := assay(project, *shown)).stdout.startswith("[\n  {") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [run["state"] for run in json.loads(found.stdout)] == ["running"]
    child.kill()
    child.wait()
    assert [run["state"] for run in json.loads(assay(project, *shown).stdout)] == ["interrupted"]
