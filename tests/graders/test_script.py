"""A check that is a program."""

from __future__ import annotations

import os

import pytest

from assay.errors import UsageError
from assay.graders import Bench, build
from assay.model import FileMade, GraderSpec, Transcript

LEFT = Transcript(
    "the answer",
    files=(FileMade("out/a.txt", 3, "sha256:0", "abc"), FileMade("../escaped.txt", 1, "sha256:0", "x")),
)
READ = "import pathlib, sys; f = pathlib.Path(sys.argv[1]); print(open(f / sys.argv[2]).read())"


def graded(command, transcript=LEFT, bench=None, **config):
    spec = GraderSpec("g", "command", config={"command": command, **config})
    return build(spec, bench or Bench(run_scripts=True)).grade(transcript)


def test_it_sees_the_answer_and_the_files():
    assert graded(["python", "-c", READ, "{case_dir}", "answer.md"], expect_substring="the answer").passed
    assert graded(["python", "-c", READ, "{case_dir}", "out/a.txt"], expect_substring="abc").passed


def test_no_file_is_written_outside():
    listing = "import os, sys; print(sorted(os.listdir(sys.argv[1]))); print(os.path.exists(sys.argv[1] + '/../escaped.txt'))"
    grade = graded(["python", "-c", listing, "{case_dir}"], expect_substring="['answer.md', 'out']\nFalse")
    assert grade.passed, grade.explanation


@pytest.mark.parametrize(
    ("code", "config", "passed", "explanation"),
    [
        ("pass", {}, True, "exit code 0"),
        ("raise SystemExit(3)", {}, False, "exit code 3"),
        ("raise SystemExit(3)", {"expect_exit": 3}, True, "exit code 3"),
        ("print('no')", {"expect_substring": "yes"}, False, "exit code 0, without 'yes'"),
        ("import sys; print('yes', file=sys.stderr)", {"expect_substring": "yes"}, True, "exit code 0"),
    ],
)
def test_exit_code_and_output_decide(code, config, passed, explanation):
    grade = graded(["python", "-c", code], **config)
    assert (grade.passed, grade.explanation) == (passed, explanation)


@pytest.mark.parametrize(
    ("command", "config", "words"),
    [
        (["no-such-program"], {}, "could not be run"),
        (["python", "-c", "import time; time.sleep(30)"], {"timeout_seconds": 0.2}, "timed out"),
    ],
)
def test_what_cannot_be_run_is_a_fault_never_a_fail(command, config, words):
    grade = graded(command, **config)
    assert grade.passed is None
    assert words in grade.fault.message


def test_a_file_whose_text_was_not_kept_is_a_fault():
    left = Transcript("", files=(FileMade("a.bin", 1, "sha256:0", note="binary"),))
    assert graded(["true"], left).fault.kind == "grader"


def test_the_users_environment_is_not_passed_on(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    assert os.environ["ANTHROPIC_API_KEY"] == "secret"
    grade = graded(["python", "-c", "import os; print(sorted(os.environ))"], expect_substring="ANTHROPIC")
    assert grade.passed is False


def test_it_runs_in_the_folder_that_holds_evals(tmp_path):
    folder = tmp_path / "evals" / "x"
    folder.mkdir(parents=True)
    bench = Bench(run_scripts=True, case_folder=folder)
    assert graded(
        ["python", "-c", "import os; print(os.getcwd())"], bench=bench, expect_substring=str(tmp_path)
    ).passed


def test_without_leave_it_is_not_built():
    with pytest.raises(UsageError, match="allow that with --scaffold"):
        graded(["true"], bench=Bench())
