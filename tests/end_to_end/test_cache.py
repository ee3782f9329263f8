"""What is paid for is used again wherever that is honest: counted in programs that were really started."""

import json
import os
import sqlite3
import stat

import pytest

PROGRAM = """#!/bin/sh
echo run >> "{log}"
cat "${{ASSAY_ITEM:-/dev/null}}/SKILL.md" 2>/dev/null
cat
"""


@pytest.fixture
def counted(project):
    """Two cases on two arms, twice each, on a program that leaves a line for every trial."""
    project.skill("polite", "Say please.")
    for case in ("asks", "tells"):
        project.write(f"evals/polite/{case}/prompt.md", f"{case.capitalize()} for salt\n")
        project.write(f"evals/polite/{case}/graders/g.md", "---\ntype: regex\npattern: please\n---\n")
    make_program(project, "agent")
    project.log = project.root / "log"
    return project


def make_program(project, name, more=""):
    path = project.write(name, PROGRAM.format(log=project.root / "log") + more)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def ran(project, *arguments, program="agent", runs="2", model="m"):
    """How many trials one more run really started, and its result."""
    before = started(project)
    harness = f"command:{project.root / program}"
    done = project.run("polite", "--runs", runs, "--json", *arguments, harness=harness, model=model)
    assert done.code == 0, done.err
    return started(project) - before, json.loads(done.out)


def started(project):
    return len(project.log.read_text().splitlines()) if project.log.exists() else 0


def test_twelve_edits_start_only_the_trials_that_they_touch(counted):
    project = counted
    assert ran(project)[0] == 8  # 1: everything is new
    assert ran(project)[0] == 0  # 2: nothing changed
    project.skill("polite", "Always say please.")
    assert ran(project)[0] == 4  # 3: the item: the arms that hold it
    project.write("evals/polite/asks/prompt.md", "Ask for pepper\n")
    assert ran(project)[0] == 4  # 4: one case: its trials on both arms
    project.write("evals/polite/asks/graders/g.md", "---\ntype: regex\npattern: salt\n---\n")
    count, result = ran(project)
    assert count == 0  # 5: a grader: graded again, nothing is run
    assert next(case for case in result["cases"] if case["name"] == "asks")["with"] == 0
    project.write("evals/polite/tells/graders/h.md", "---\ntype: regex\npattern: 'Tells'\n---\n")
    assert ran(project)[0] == 0  # 6: one grader more
    assert ran(project, runs="3")[0] == 4  # 7: one repeat more of each
    assert ran(project, model="other", runs="3")[0] == 12  # 8: another model runs everything
    project.skill("polite", "Say please.")
    assert ran(project, runs="2")[0] == 2  # 9: the item as it was: only the edited case is new with it
    make_program(project, "newer", "# 2\n")
    assert ran(project, program="newer")[0] == 8  # 10: another program is another setting
    assert ran(project, "--fresh-arm", "without")[0] == 4  # 11: one arm anew
    project.write("evals/polite/third/prompt.md", "Beg for salt\n")
    project.write("evals/polite/third/graders/g.md", "---\ntype: regex\npattern: please\n---\n")
    assert ran(project)[0] == 4  # 12: one case more
    assert ran(project, "--fresh")[0] == 12


def test_explain_says_line_by_line_why_and_runs_nothing(counted):
    project = counted
    ran(project)
    harness = ["--runs", "3", "--explain", "--harness", f"command:{project.root / 'agent'}"]
    project.skill("polite", "Always say please.")
    project.write("evals/polite/asks/prompt.md", "Ask for pepper\n")
    before = started(project)
    done = project.assay("run", "polite", "--model", "m", *harness)
    lines = done.out.splitlines()
    assert started(project) == before
    assert lines[0].startswith("asks with: 3 to run: the item changed (sha256:")
    assert "; the case changed (its input, settings or files); it was not run before" in lines[0]
    assert (
        lines[1]
        == "asks without: 3 to run: the case changed (its input, settings or files); it was not run before"
    )
    assert lines[3] == "tells without: 2 from the store; 1 to run: it was not run before"
    assert lines[-1] == "nothing was run"
    other = project.assay("run", "polite", "--model", "other", *harness).out.splitlines()
    assert "the model was m, now other" in other[2]
    document = json.loads(project.assay("run", "polite", "--model", "m", "--json", *harness).out)
    assert (document["paid"], document["to_run"]) == (2, 10)


def test_explain_names_a_new_client_a_setting_an_error_and_a_grader(counted):
    project = counted
    project.rules("{case: asks, arm: with, fail: auth}", "{say: please}")
    project.run("polite", "--runs", "1")
    project.write("evals/polite/tells/graders/g.md", "---\ntype: regex\npattern: other\n---\n")
    out = project.run("polite", "--runs", "1", "--explain").out
    assert "asks with: 1 to run: it ended in an error before (auth)" in out
    assert "tells with: 1 from the store, graded again: g" in out
    project.rules("{say: thanks}")
    assert "settings of the harness changed: rules" in project.run("polite", "--runs", "1", "--explain").out
    with sqlite3.connect(project.root / ".assay/trials.sqlite") as db:
        db.execute("UPDATE runs SET info = replace(info, 'scripted@', 'scripted@0.0.')")
    db.close()
    assert "the harness was scripted@0.0." in project.run("polite", "--runs", "1", "--explain").out


def test_a_run_says_what_the_store_saved(counted):
    project = counted
    project.rules("{say: please, cost_usd: 0.01}")
    arguments = ("run", "polite", "--harness", "scripted:rules.yaml", "--runs", "2")
    project.assay(*arguments)
    project.skill("polite", "Always say please.")
    done = project.assay(*arguments)
    assert "store   4 of 8 trials paid for (saves $0.04); 4 to run" in done.err
    assert "4 run: the item changed (sha256:" in done.err
    assert "expect  about $0.04: 4 × $0.0100, what such trials cost so far" in done.err
    assert "saved $0.04: 4 of 8 trials came from the store" in done.err


def test_resume_goes_on_with_the_run_and_pays_only_for_what_is_missing(counted):
    project = counted
    project.rules("{say: please, cost_usd: 0.1}")
    first = project.run("polite", "--runs", "3", "--fresh", "--max-cost-usd", "0.45", "-j", "1", "--json")
    run = json.loads(first.out)
    assert run["partial_reason"] == "cost_ceiling"
    done = project.assay("run", "polite", "--resume", "--max-cost-usd", "2", "--json")
    assert "resumed: 4 trials had been finished before" in done.err
    whole = json.loads(done.out)
    assert (whole["run"], whole["partial"], whole["model"]) == (run["run"], False, "m")
    assert whole["cost_usd"] == pytest.approx(1.2)
    assert [case["runs_with"] for case in whole["cases"]] == [3, 3]
    again = project.assay("run", "polite", "--resume")
    assert (again.code, "no unfinished run of 'polite'" in again.err) == (2, True)


def test_resume_counts_what_an_error_had_cost_before(counted):
    project = counted
    project.rules(
        "{case: asks, arm: with, fail: auth, fail_times: 1, cost_usd: 0.3}", "{say: please, cost_usd: 0.1}"
    )
    project.run("polite", "--runs", "1")
    project.rules("{case: asks, arm: with, fail: auth, cost_usd: 0.3}", "{say: please, cost_usd: 0.1}")
    done = project.assay("run", "polite", "--resume")
    assert "cannot go on: settings of the harness changed: rules" in done.err
    project.rules(
        "{case: asks, arm: with, fail: auth, fail_times: 1, cost_usd: 0.3}", "{say: please, cost_usd: 0.1}"
    )
    result = json.loads(project.assay("run", "polite", "--resume", "--json").out)
    assert result["cost_usd"] == pytest.approx(0.9)  # three at 0.1, and the failing one at 0.3 each time


def test_a_run_of_other_cases_is_not_resumed_but_its_trials_are_used(counted):
    project = counted
    project.rules("{say: please, cost_usd: 0.1}")
    project.run("polite", "--runs", "1", "--max-cost-usd", "0.25", "-j", "1")
    project.write("evals/polite/asks/prompt.md", "Ask for pepper\n")
    done = project.assay("run", "polite", "--resume")
    assert done.code == 2
    assert "the suite changed. Run without --resume: what is paid for and still holds is taken" in done.err


def test_a_run_that_is_at_work_is_not_resumed(counted):
    project = counted
    project.rules("{say: please, cost_usd: 0.1}")
    project.run("polite", "--runs", "1", "--max-cost-usd", "0.25", "-j", "1")
    with sqlite3.connect(project.root / ".assay/trials.sqlite") as db:
        db.execute(
            "UPDATE runs SET state = 'running', info = json_set(info, '$.process.pid', ?)", (os.getppid(),)
        )
    db.close()
    assert "is still at work (process" in project.assay("run", "polite", "--resume").err


def test_fail_fast_starts_nothing_more(counted):
    project = counted
    project.rules("{case: asks, arm: with, say: 'no'}", "{say: please}")
    run = json.loads(project.run("polite", "--runs", "50", "-j", "1", "--fail-fast", "--json").out)
    assert (run["partial"], run["partial_reason"]) == (True, "interrupted")
    assert [case["runs_with"] + case["runs_without"] for case in run["cases"]] == [1, 0]


def test_a_silent_trial_is_ended_and_graded_as_it_is(counted):
    project = counted
    path = project.write("silent", "#!/bin/sh\necho please\nsleep 600\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    harness = f"command:{path}"
    done = project.run("polite", "--runs", "1", "--idle-timeout", "0.3", "--json", harness=harness)
    assert json.loads(done.out)["with"] == 1
