"""Golden tasks as pytest items, through pytest itself, which finds the plugin as it does at a user's: installed."""

import json
import re

import pytest

pytest_plugins = "pytester"
TASK = "---\nid: {id}\ntarget: skill:commit\ngrader: assert\ntags: [{tag}]\n---\n## Input\nsay\n\n## Expected\n{expected}\n"


@pytest.fixture
def project(pytester):
    root = pytester.path

    def write(path, text):
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")

    def task(number, expected, tag="all"):
        write(f"evals/commits/G-00{number}-t.md", TASK.format(id=f"G-00{number}", expected=expected, tag=tag))

    write("skills/commit/SKILL.md", "---\nname: commit\ndescription: d\n---\nBODY\n")
    write("rules.yaml", "- {say: hello}\n")
    project = type("Project", (), {"write": staticmethod(write), "task": staticmethod(task), "root": root})
    project.pytest = staticmethod(
        lambda *arguments: pytester.runpytest_subprocess(
            "-p",
            "no:cacheprovider",
            "--assay",
            "--assay-harness",
            "scripted:rules.yaml",
            *arguments,
        )
    )
    return project


def test_one_item_a_task(project):
    project.task(1, "- contains: hello")
    project.task(2, "- contains: bye")
    done = project.pytest("evals/", "-v")
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(["*G-001-t.md::commits/G-001 PASSED*", "*G-002-t.md::commits/G-002 FAILED*"])


def test_a_failure_tells_the_graders_reason(project):
    project.task(1, "- contains: hello\n- contains: bye")
    done = project.pytest("evals/")
    done.stdout.fnmatch_lines(
        ["score 0.50 is below task_pass 0.70", "not met: contains: bye: 'bye' is missing"], consecutive=True
    )
    assert "Traceback" not in done.stdout.str()


def test_an_error_is_an_error_and_no_failure(project):
    project.task(1, "- contains: hello")
    project.write("rules.yaml", "- {fail: auth}\n")
    done = project.pytest("evals/")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["commits/G-001 has no score: auth"])


def test_a_regression_fails(project):
    project.task(1, "- contains: hello\n- contains: bye\n- contains: he\n- contains: lo")
    suites = {"commits": {"pass_rate": 1, "tasks": {"G-001": 1}}}
    baseline = {"accepted": "2026-01-01", "model": "default", "harness": "h", "suites": suites}
    project.write("evals/baseline.json", json.dumps(baseline))
    done = project.pytest("evals/")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["regression -0.25 against the baseline of 1"])


def test_a_task_without_an_oracle_is_skipped(project):
    project.task(1, "- contains: hello")
    project.task(2, "")
    project.pytest("evals/").assert_outcomes(passed=1, skipped=1)


def test_a_task_that_cannot_be_read_is_a_collection_error_with_its_line(project):
    project.task(1, "- is lovely")
    done = project.pytest("evals/")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["evals/commits/G-001-t.md:11: cannot read the assertion 'is lovely'*"])


def test_only_what_is_selected_is_run(project):
    project.task(1, "- contains: hello", tag="quick")
    project.task(2, "- contains: hello", tag="slow")
    done = project.pytest("evals/", "-k", "quick")
    done.assert_outcomes(passed=1, deselected=1)
    run = re.search(r"assay: (golden-\S+) \(informational\)", done.stdout.str())[1]
    from assay.store.trials import TrialStore

    store = TrialStore(project.root / ".assay/trials.sqlite", read_only=True)
    assert [record.case for record in store.records(run)] == ["commits/G-001"]
    store.close()


def test_all_tasks_are_one_run(project):
    for number in (1, 2, 3):
        project.task(number, "- contains: hello")
    done = project.pytest("evals/", "--assay-runs", "2")
    done.assert_outcomes(passed=3)
    assert done.stdout.str().count("assay: golden-") == 1


def test_scores_are_properties_of_the_junit_report(project):
    project.task(1, "- contains: hello")
    project.pytest("evals/", "--junitxml=j.xml")
    assert '<property name="score" value="1.0"' in (project.root / "j.xml").read_text("utf-8")


def test_a_target_that_is_not_there_is_an_error_with_its_line(project):
    project.task(1, "- contains: hello")
    (project.root / "skills/commit/SKILL.md").unlink()
    done = project.pytest("evals/")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["evals/commits/G-001-t.md:3: unknown target:*"])


def test_without_the_option_nothing_is_collected(project, pytester):
    project.task(1, "- contains: hello")
    pytester.runpytest_subprocess("evals/").assert_outcomes()


def test_loading_the_plugin_loads_nothing_else_of_assay_but_its_version(pytester):
    code = "import sys, assay.pytest_plugin; print(sorted(m for m in sys.modules if m.startswith('assay.')))"
    pytester.makepyfile(code)
    done = pytester.runpython("test_loading_the_plugin_loads_nothing_else_of_assay_but_its_version.py")
    done.stdout.fnmatch_lines(["[[]'assay.pytest_plugin', 'assay.version']"])


def test_workers_of_xdist_run_their_own_items(project):
    pytest.importorskip("xdist")
    for number in (1, 2):
        project.task(number, "- contains: hello")
    project.pytest("evals/", "-n", "2").assert_outcomes(passed=2)
