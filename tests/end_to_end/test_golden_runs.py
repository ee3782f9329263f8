"""Golden runs from the command line: every kind of run with its exit code."""

import json
import re
import sys

import pytest

PASS = "{say: ok}"


def two_tasks(project):
    project.task("commits/G-001")
    project.task("commits/G-002", more="tags: [slow]\n")
    project.rules(PASS)


def accepted(project, *arguments):
    done = project.run(*arguments, "--accept", "--yes")
    assert done.code == 0, done.err + done.out
    return json.loads(project.read("evals/baseline.json"))


def verdict_of(project, *arguments, **more) -> tuple[str, int]:
    done = project.run(*arguments, "--json", **more)
    document = json.loads(done.out)
    assert document["exit_code"] == done.code
    return document["verdict"], done.code


# --- no baseline, accepting, regressions --------------------------------------------------------------


def test_a_run_without_a_baseline_is_informational(project):
    two_tasks(project)
    done = project.run()
    assert done.code == 0
    assert "no baseline: accept to set one" in done.out
    assert not project.has("evals/baseline.json")


def test_a_failing_run_without_a_baseline_is_informational_and_not_accepted(project):
    two_tasks(project)
    project.rules("{say: wrong}")
    assert verdict_of(project) == ("informational", 0)
    done = project.run("--accept", "--yes")
    assert (done.code, project.has("evals/baseline.json")) == (1, False)
    assert "not accepted: suites that did not pass: commits" in done.err


def test_accepting_writes_the_stamps_and_the_scores(project):
    two_tasks(project)
    document = accepted(project)
    assert document["suites"]["commits"]["tasks"] == {"G-001": 1.0, "G-002": 1.0}
    assert (document["model"], document["harness"].partition("@")[0]) == ("m", "scripted")
    assert re.fullmatch(r"golden-\d{8}T\d{6}Z", document["run"])


def test_the_same_run_again_passes_and_pays_for_nothing(project):
    two_tasks(project)
    accepted(project)
    done = project.run("--json")
    assert (json.loads(done.out)["verdict"], done.code) == ("passed", 0)
    assert json.loads(done.out)["cost_usd"] == 0


def test_guardrail_2_a_drop_fails_the_run_though_the_threshold_is_met(project):
    project.task(
        "commits/G-001", "- contains: a\n- contains: b\n- contains: c\n- contains: d", grader="assert"
    )
    project.rules("{say: abcd}")
    accepted(project)
    project.rules("{say: abc}")
    done = project.run()
    assert done.code == 1
    assert "G-001  0.75  pass  (baseline 1.00  →  REGRESSION -0.25)" in done.out
    assert "RUN FAILED (1 regression): G-001" in done.out
    assert "not met: contains: d: 'd' is missing" in done.out


def test_a_drop_is_let_through_where_the_thresholds_say_so(project):
    two_tasks(project)
    accepted(project)
    project.write(
        "evals/thresholds.yml", "pass_rate: 0.5\nper_suite:\n  commits: {allow_regressions: true}\n"
    )
    project.rules("{case: commits/G-001, say: wrong}", PASS)
    assert verdict_of(project) == ("passed", 0)


def test_guardrail_4_a_failed_run_is_never_accepted(project):
    two_tasks(project)
    before = json.dumps(accepted(project))
    project.rules("{case: commits/G-001, say: wrong}", PASS)
    done = project.run("--accept", "--yes")
    assert done.code == 1
    assert json.dumps(json.loads(project.read("evals/baseline.json"))) == before


def test_guardrail_4_the_difference_is_shown_and_asked_about_before_anything_is_written(project, monkeypatch):
    two_tasks(project)
    asked = []
    monkeypatch.setattr("click.confirm", lambda text, **_: asked.append(text) and False)
    done = project.run("--accept")
    assert (done.code, project.has("evals/baseline.json"), len(asked)) == (1, False, 1)
    assert '+        "G-001": 1.0' in done.err


def test_guardrail_3_a_hand_edited_baseline_is_named_in_the_report(project):
    two_tasks(project)
    accepted(project)
    text = project.read("evals/baseline.json")
    project.write("evals/baseline.json", text.replace('"G-001": 1.0', '"G-001": 0.5'))
    done = project.run()
    assert "baseline.json was edited by hand" in done.out
    document = json.loads(text)
    del document["digest"]
    project.write("evals/baseline.json", json.dumps(document))
    assert "carries no digest" in project.run().out


# --- scoped runs, merges, new and removed tasks -------------------------------------------------------


@pytest.mark.parametrize(
    "scope",
    [
        ["G-001"],
        ["commits/G-001"],
        ["--grep", "G-001"],
        ["commits", "--grep", "001"],
        ["evals/", "--grep", "G-001"],
    ],
)
def test_a_scoped_run_runs_its_tasks_and_calls_no_other_removed(project, scope):
    two_tasks(project)
    accepted(project)
    done = project.run(*scope)
    assert done.code == 0
    assert "G-001" in done.out
    assert "G-002" not in done.out


def test_a_scoped_accept_merges_its_tasks_and_leaves_the_others(project):
    two_tasks(project)
    project.task("prose/G-001", "- contains: a\n- contains: b", grader="assert")
    project.write("evals/thresholds.yml", "per_suite:\n  prose: {task_pass: 0.5}\n")
    project.rules("{case: prose/*, say: a}", PASS)
    before = accepted(project)
    project.rules("{case: prose/*, say: ab}", "{say: wrong}")
    after = accepted(project, "prose")
    assert before["suites"]["prose"]["tasks"] == {"G-001": 0.5}
    assert after["suites"]["prose"]["tasks"] == {"G-001": 1.0}
    assert after["suites"]["commits"] == before["suites"]["commits"]


def test_a_new_task_is_new_and_a_removed_one_is_removed(project):
    two_tasks(project)
    accepted(project)
    (project.root / "evals/commits/G-002-task.md").unlink()
    project.task("commits/G-003")
    done = project.run()
    assert done.code == 0
    assert "G-003  1.00  pass  (new)" in done.out
    assert "G-002     —  removed  (baseline 1.00)" in done.out
    assert accepted(project)["suites"]["commits"]["tasks"] == {"G-001": 1.0, "G-003": 1.0}


def test_a_new_task_below_the_bar_still_counts_for_the_pass_rate(project):
    two_tasks(project)
    accepted(project)
    project.task("commits/G-003", "something else")
    done = project.run()
    assert done.code == 1
    assert "1 below task_pass): G-003" in done.out


def test_a_task_without_an_oracle_is_skipped_with_a_warning(project):
    two_tasks(project)
    project.task("commits/G-003", "")
    done = project.assay("run", "--harness", "scripted:rules.yaml")
    assert done.code == 0
    assert "skipped: commits/G-003: no `## Expected`" in done.err


# --- stamps -------------------------------------------------------------------------------------------


def test_two_models_are_compared_and_the_change_is_named_in_the_verdict(project):
    two_tasks(project)
    accepted(project)
    project.rules("{case: commits/G-001, say: wrong}", PASS)
    done = project.run(model="m2")
    assert done.code == 1
    assert "RUN FAILED (1 regression, 1 below task_pass): G-001 · changed: model m → m2" in done.out


def test_a_changed_harness_is_compared_and_named(project):
    two_tasks(project)
    accepted(project)
    program = project.write("say.py", "print('ok')")
    done = project.run(harness=f"command:{sys.executable} {program}")
    assert done.code == 0
    assert re.search(r"RUN PASSED · changed: harness scripted@\S+ → command@", done.out)


def test_a_scoped_run_on_another_model_is_not_merged(project):
    two_tasks(project)
    accepted(project)
    done = project.run("G-001", "--accept", "--yes", model="m2")
    assert done.code == 1
    assert "run all tasks to accept" in done.err


# --- what could not run -------------------------------------------------------------------------------


def test_an_error_is_no_score_and_the_run_is_incomplete(project):
    two_tasks(project)
    accepted(project)
    project.rules("{case: commits/G-001, fail: auth}", PASS)
    done = project.run("--accept", "--yes", "--fresh")
    assert done.code == 3
    assert "G-001     —  ERROR  (auth, baseline 1.00)" in done.out
    assert "not accepted: the run is incomplete" in done.err


def test_a_partial_run_is_never_accepted(project):
    two_tasks(project)
    project.rules("{say: ok, cost_usd: 1}")
    done = project.run("--max-cost-usd", "1", "-j", "1", "--accept", "--yes", "--json")
    document = json.loads(done.out)
    assert (done.code, document["partial_reason"]) == (3, "cost_ceiling")
    assert not project.has("evals/baseline.json")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["evals/", "--grep", "nothing"], 3, "there is no golden task that matches --grep nothing"),
        (["G-009"], 2, "no suite or golden task is called 'G-009'"),
        (["--target", "agent:"], 3, "no golden task that matches --target agent:"),
        (["--max-cost-usd", "0"], 2, "ceiling"),
    ],
)
def test_what_cannot_be_run_says_why(project, arguments, code, told):
    two_tasks(project)
    done = project.run(*arguments)
    assert done.code == code
    assert told in done.err


def test_a_project_without_tasks_could_not_run(project):
    (project.root / "evals").mkdir()
    done = project.run()
    assert done.code == 3
    assert "there is no golden task; `assay init` writes the first" in done.err


def test_a_folder_without_evals_says_how_to_begin(project):
    done = project.run()
    assert done.code == 2
    assert "there is no folder" in done.err
    assert "`assay init` writes the first golden task" in done.err


def test_every_problem_of_every_file_is_told_and_nothing_runs(project):
    project.task("commits/G-001", target="skill:comit")
    project.task("commits/G-002", target="feature:nothing")
    project.task("commits/G-003", target="prompt:gone.md")
    project.rules(PASS)
    done = project.run()
    assert done.code == 2
    lines = done.err.splitlines()
    assert [line.split(": unknown target")[0] for line in lines[-3:]] == [
        "assay: evals/commits/G-001-task.md:3",
        "evals/commits/G-002-task.md:3",
        "evals/commits/G-003-task.md:3",
    ]
    assert not project.has(".assay/trials.sqlite")


def test_problems_of_thresholds_features_and_triggers_come_together(project):
    two_tasks(project)
    project.write("evals/thresholds.yml", "pass_rate: 2\n")
    project.write("evals/features.yml", "a: {}\n")
    project.write("evals/triggers.json", "[]")
    done = project.run()
    assert done.code == 2
    assert [name in done.err for name in ("thresholds.yml:1", "features.yml:1", "triggers.json:1")] == [
        True
    ] * 3


@pytest.mark.parametrize("text", ["{", '{"accepted": "x"}'])
def test_a_baseline_that_is_none_is_unusable(project, text):
    two_tasks(project)
    project.write("evals/baseline.json", text)
    done = project.run()
    assert done.code == 2
    assert "baseline.json" in done.err


# --- targets ------------------------------------------------------------------------------------------


def test_the_four_targets_in_one_run(project):
    project.write("prompts/p.md", "PROMPT TEXT")
    project.write("agents/reviewer.md", "---\nname: reviewer\ndescription: reviews\n---\nAGENT TEXT\n")
    project.write("app.py", "import sys; print(sys.stdin.read().upper(), end='')")
    project.write("evals/features.yml", f"shout: {{command: [{sys.executable}, app.py]}}\n")
    project.task("all/G-001", "skill", target="skill:commit")
    project.task("all/G-002", "prompt", target="prompt:prompts/p.md")
    project.task("all/G-003", "agent", target="agent:reviewer")
    project.task("all/G-004", "DO IT", target="feature:shout")
    project.rules(
        "{item_contains: Do it well, say: skill}",
        "{item_contains: PROMPT TEXT, say: prompt}",
        "{item_contains: AGENT TEXT, say: agent}",
    )
    done = project.run("--json")
    document = json.loads(done.out)
    assert [(task["id"], task["score"]) for task in document["suites"][0]["tasks"]] == [
        (f"G-00{number}", 1.0) for number in (1, 2, 3, 4)
    ]
    assert re.fullmatch(r"feature@\S+, scripted@\S+", document["harness"])


def test_features_alone_need_no_model_and_are_never_taken_from_the_store(project):
    app = project.write("app.py", "print('ok')")
    project.write("evals/features.yml", f"f: {{command: [{sys.executable}, app.py]}}\n")
    project.task("f/G-001", "ok", target="feature:f")
    done = project.assay("run", "--json", "--quiet")
    document = json.loads(done.out)
    assert (done.code, document["model"], document["harness"].split("@")[0]) == (0, "none", "feature")
    app.write_text("print('changed')", "utf-8")
    again = json.loads(project.assay("run", "--json", "--quiet").out)
    assert again["suites"][0]["tasks"][0]["score"] == 0.0


def test_filtering_by_target(project):
    project.write("p.md", "P")
    project.task("s/G-001", target="skill:commit")
    project.task("s/G-002", target="prompt:p.md")
    project.rules(PASS)
    assert "G-002" not in project.run("--target", "skill:").out
    assert "G-001" not in project.run("--target", "prompt:p.md").out


CANARY = "CANARY-7f3a"


def test_a_harness_of_no_such_name_is_refused_where_only_features_run(project):
    project.write("app.py", "print('ok')\n")
    project.write("evals/features.yml", f"f: {{command: [{sys.executable}, app.py]}}\n")
    project.task("app/G-001", target="feature:f")
    done = project.run(harness="modle")
    assert (done.code, done.out) == (2, "")
    assert "no harness is called 'modle'" in done.err


def test_guardrail_1_the_target_is_blind_to_the_oracle(project):
    """A program that looks everywhere it can: its input, its arguments, environment, folder and item."""
    spy = (
        "import os, sys, pathlib\n"
        "seen = [sys.stdin.read(), *sys.argv, *map(str, os.environ.items())]\n"
        "places = [pathlib.Path.cwd()] + [pathlib.Path(os.environ[n]) for n in ('ASSAY_ITEM',) if os.environ.get(n)]\n"
        "for place in places:\n"
        "    files = place.rglob('*') if place.is_dir() else [place]\n"
        "    seen += [str(p) + p.read_text(errors='replace') for p in files if p.is_file()]\n"
        f"print('leaked' if '{CANARY[:6]}' + '{CANARY[6:]}' in ''.join(seen) else 'blind')\n"
    )
    program = project.write("spy/spy.py", spy)
    project.write(
        "evals/features.yml", f"spy: {{command: [{sys.executable}, spy/spy.py, '{{input_file}}']}}\n"
    )
    project.write("p.md", "P")
    for number, target in enumerate(("skill:commit", "prompt:p.md", "feature:spy"), 1):
        oracle = f"- contains: blind\n- must not contain `{CANARY}`"
        project.task(f"s/G-00{number}", oracle, target=target, grader="assert", more="tags: [t]\n")
    done = project.run("--json", harness=f"command:{sys.executable} {program}")
    tasks = json.loads(done.out)["suites"][0]["tasks"]
    assert [task["score"] for task in tasks] == [1.0, 1.0, 1.0]
    assert "leaked" not in json.dumps(tasks)


# --- judged tasks -------------------------------------------------------------------------------------

MET = '{"evidence": "", "reason": "fine", "met": true}'
UNMET = '{"evidence": "", "reason": "it is missing", "met": false}'


def judged(project, *rules):
    project.task("r/G-001", "- names the file\n- is kind", grader="rubric")
    project.rules("{say: 'the output', cost_usd: 0.01}")
    project.write("judge.yaml", "".join(f"- {rule}\n" for rule in rules))
    return ["--judge-model", f"scripted:{project.root / 'judge.yaml'}", "--allow-weaker-judge"]


def test_a_rubric_scores_the_share_of_expectations_met(project):
    judge = judged(
        project, f"{{input: is kind, say: '{UNMET}', cost_usd: 0.02}}", f"{{say: '{MET}', cost_usd: 0.02}}"
    )
    done = project.run(*judge, "--json")
    document = json.loads(done.out)
    task = document["suites"][0]["tasks"][0]
    assert task["score"] == 0.5
    assert [(check["name"], check["passed"]) for check in task["checks"]] == [
        ("names the file", 1),
        ("is kind", 0),
    ]
    assert document["judge"] == {
        "model": "scripted:judge.yaml",
        "prompt": "rubric/1",
        "votes": 1,
        "calibration": "uncalibrated",
    }
    assert document["cost_usd"] == pytest.approx(0.05)


def test_an_unreadable_verdict_leaves_the_task_without_a_score(project):
    judge = judged(project, "{input: is kind, say: looks good to me}", f"{{say: '{MET}'}}")
    done = project.run(*judge, "--json")
    document = json.loads(done.out)
    assert done.code == 3
    assert document["suites"][0]["tasks"][0]["faults"] == ["judge"]


def test_the_report_names_the_judge_and_how_far_it_is_to_be_trusted(project):
    judge = judged(project, f"{{say: '{MET}'}}")
    assert (
        "judge: scripted:judge.yaml · prompt rubric/1 · votes 3 · uncalibrated"
        in project.run(*judge, "--votes", "3").out
    )


def test_a_rubric_without_a_judge_is_refused_before_anything_runs(project):
    judged(project, "{say: x}")
    done = project.run()
    assert done.code == 2
    assert "--judge-model" in done.err
    assert not project.has(".assay/trials.sqlite")


# --- triggers within a run ----------------------------------------------------------------------------


def with_triggers(project, *rules):
    two_tasks(project)
    cases = [
        {"query": "commit this", "should_trigger": True},
        {"query": "bake a cake", "should_trigger": False},
    ]
    project.write("evals/triggers.json", json.dumps({"skills": {"commit": {"cases": cases}}}))
    project.write("router.yaml", "".join(f"- {rule}\n" for rule in rules))
    return ["--judge-model", f"scripted:{project.root / 'router.yaml'}"]


YES, NO = "{say: '{\"route\": true}'}", "{say: '{\"route\": false}'}"


def test_triggers_pass_with_the_run(project):
    router = with_triggers(project, "{input: commit this, say: '{\"route\": true}'}", NO)
    done = project.run(*router)
    assert done.code == 0
    assert "commit  pass  precision 1/1 (0.21 to 1.00) · recall 1/1 (0.21 to 1.00)" in done.out


@pytest.mark.parametrize("has_baseline", [True, False])
def test_over_firing_fails_the_run_with_or_without_a_baseline(project, has_baseline):
    router = with_triggers(project, YES)
    if has_baseline:
        accepted(project, "commits")
    done = project.run(*router, "--accept", "--yes")
    assert done.code == 1
    assert "fired, should not: 'bake a cake'" in done.out
    assert "not accepted: triggers fail: commit" in done.err


def test_not_firing_fails_too(project):
    assert project.run(*with_triggers(project, NO)).code == 1


def test_a_question_that_died_is_an_error_and_no_answer(project):
    done = project.run(*with_triggers(project, "{input: commit this, fail: auth}", NO))
    assert done.code == 3
    assert "error: 'commit this' (auth: scripted to fail)" in done.out


def test_a_scoped_run_asks_no_trigger_question(project):
    router = with_triggers(project, YES)
    assert "TRIGGERS" not in project.run(*router, "commits").out


def test_triggers_of_a_skill_that_is_not_there_are_refused(project):
    router = with_triggers(project, YES)
    project.write("evals/triggers.json", project.read("evals/triggers.json").replace('"commit"', '"comit"'))
    done = project.run(*router)
    assert done.code == 2
    assert "skill 'comit'" in done.err


# --- assay accept -------------------------------------------------------------------------------------


def test_a_stored_run_can_be_accepted_later(project):
    two_tasks(project)
    project.run()
    done = project.assay("accept", "latest", "--yes")
    assert done.code == 0
    assert json.loads(project.read("evals/baseline.json"))["suites"]["commits"]["tasks"] == {
        "G-001": 1.0,
        "G-002": 1.0,
    }


def test_a_stored_run_is_compared_with_the_baseline_of_today(project):
    two_tasks(project)
    project.rules("{case: commits/G-001, say: wrong}", PASS)
    project.write("evals/thresholds.yml", "pass_rate: 0.5\n")
    run = json.loads(project.run("--json").out)["run"]
    project.rules(PASS)
    accepted(project)
    done = project.assay("accept", run, "--yes")
    assert done.code == 1
    assert "not accepted: suites that did not pass: commits" in done.err


def test_a_stored_run_of_tasks_that_changed_is_refused(project):
    two_tasks(project)
    project.run()
    project.task("commits/G-001", "another oracle")
    done = project.assay("accept", "latest", "--yes")
    assert done.code == 2
    assert "tasks of commits changed since" in done.err


def test_accepting_what_is_not_stored_is_a_usage_error(project):
    assert project.assay("accept", "golden-x").code == 2
    two_tasks(project)
    project.run()
    assert "no golden run is called 'golden-x'" in project.assay("accept", "golden-x").err


# --- output -------------------------------------------------------------------------------------------


def test_the_report_is_written_as_well_as_printed(project):
    two_tasks(project)
    done = project.run("--out", str(project.root / "report.txt"))
    assert project.read("report.txt") == done.out
    project.run("--out", str(project.root / "report.json"))
    assert json.loads(project.read("report.json"))["schema"] == "golden-eval/1"


def test_usage_and_cost_are_reported_and_never_part_of_the_verdict(project):
    two_tasks(project)
    project.rules("{say: ok, input_tokens: 100, output_tokens: 10, cost_usd: 0.01}")
    baseline = accepted(project)
    assert baseline["suites"]["commits"]["usage"]["G-001"] == {
        "cost_usd": 0.01,
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 10,
    }
    project.rules("{say: ok, input_tokens: 300, output_tokens: 10, cost_usd: 0.5}")
    done = project.run()
    assert done.code == 0
    assert "G-001  300 tokens in (+200) · 10 tokens out (+0) · $0.5000 (+$0.4900)" in done.out


def test_several_runs_a_task_are_averaged(project):
    two_tasks(project)
    project.rules("{say: [ok, wrong]}")
    document = json.loads(project.run("--runs", "4", "--json").out)
    assert [task["score"] for task in document["suites"][0]["tasks"]] == [0.5, 0.5]


# --- tiers --------------------------------------------------------------------------------------------


def tiered(project, judge: str, producer: str, *arguments: str):
    project.task("r/G-001", "- is kind", grader="rubric")
    project.rules("{say: hello}")
    return project.run("--judge-model", judge, *arguments, model=producer)


@pytest.mark.parametrize(
    ("judge", "producer"),
    [
        ("constant:x", "claude-sonnet-5-5"),
        ("anthropic:claude-haiku-4-5", "claude-sonnet-5-5"),
        ("constant:x", "default"),
    ],
)
def test_guardrail_5_a_weaker_or_unknown_judge_is_refused(project, judge, producer):
    done = tiered(project, judge, producer)
    assert done.code == 2
    assert "--allow-weaker-judge" in done.err
    assert not project.has(".assay/trials.sqlite")


def test_a_weaker_judge_can_be_allowed(project):
    done = tiered(project, f"constant:{MET}", "claude-sonnet-5-5", "--allow-weaker-judge")
    assert done.code == 0


def test_the_projects_own_tiers_count(project):
    project.write("assay.toml", "[tiers]\nconstant = 'capable'\n")
    assert tiered(project, f"constant:{MET}", "claude-sonnet-5-5").code == 0


def test_a_feature_may_say_which_model_it_asks(project):
    project.write("assay.toml", "[tiers]\nconstant = 'cheap'\n")
    project.write(
        "evals/features.yml", f"f: {{command: [{sys.executable}, -c, 'print(1)'], model: claude-opus-5}}\n"
    )
    project.task("r/G-001", "- is kind", grader="rubric", target="feature:f")
    refused = project.assay("run", "--quiet", "--judge-model", f"constant:{MET}")
    assert refused.code == 2
    assert "is weaker than claude-opus-5" in refused.err


def test_a_judge_without_a_known_price_is_refused_under_a_ceiling(project):
    project.task("r/G-001", "- is kind", grader="rubric")
    project.rules("{say: hello}")
    done = project.run("--judge-model", "anthropic:no-such-model", "--allow-weaker-judge")
    assert done.code == 2
    assert "the price of anthropic:no-such-model is not known" in done.err


@pytest.mark.parametrize(
    "name", ["evals/commits", "./evals/commits/", "commits/", "evals/commits/G-001", "./evals"]
)
def test_a_suite_may_be_named_by_its_path(project, name):
    two_tasks(project)
    done = project.run(name)
    assert done.code == 0
    assert "G-001  1.00  pass" in done.out


# --- assay check --------------------------------------------------------------------------------------


def check(project, path: str):
    import subprocess

    command = [sys.executable, "-m", "assay", "check", path]
    return subprocess.run(
        command, cwd=project.root, capture_output=True, text=True, encoding="utf-8", check=False
    )


def test_a_suite_and_the_files_beside_it_are_checked(project):
    two_tasks(project)
    done = check(project, "evals/commits")
    assert (done.returncode, done.stdout) == (0, "golden suite commits: 0 errors, 0 warnings, 0 notes\n")
    project.write("evals/thresholds.yml", "per_suite: {comits: {}}\n")
    project.write("evals/features.yml", "f: {}\n")
    done = check(project, ".")
    assert done.returncode == 1
    assert "evals/thresholds.yml:1" in done.stdout
    assert "evals/features.yml:1" in done.stdout


def test_ctrl_c_ends_a_golden_run_with_130_and_keeps_what_was_done(project):
    import signal
    import subprocess

    two_tasks(project)
    project.rules("{case: commits/G-001, say: ok}", "{say: ok, seconds: 60}")
    command = [sys.executable, "-m", "assay", "run", "--harness", "scripted:rules.yaml", "-j", "2"]
    started = subprocess.Popen(
        command, cwd=project.root, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    store = project.root / ".assay/trials.sqlite"
    from assay.store.trials import TrialStore

    def done() -> int:
        if not store.is_file():
            return 0
        try:
            trials = TrialStore(store, read_only=True)
        except Exception:  # noqa: BLE001  # it is being made at this moment
            return 0
        try:
            return sum(len(list(trials.records(run.id))) for run in trials.runs())
        finally:
            trials.close()

    while started.poll() is None and not done():
        pass
    started.send_signal(signal.SIGINT)
    out, _ = started.communicate(timeout=30)
    assert started.returncode == 130
    assert "G-001  1.00  pass" in out
    assert "RUN INCOMPLETE" in out


def test_where_nobody_can_be_asked_nothing_is_accepted(project):
    import subprocess

    two_tasks(project)
    command = [sys.executable, "-m", "assay", "run", "--harness", "scripted:rules.yaml", "--accept"]
    done = subprocess.run(
        command,
        cwd=project.root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 1
    assert "nobody could be asked: --yes answers" in done.stderr
    assert not project.has("evals/baseline.json")
