"""The examples do what their READMEs say, from a shell, on a copy."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.fixture
def example(tmp_path):
    def copy(name):
        return Path(
            shutil.copytree(EXAMPLES / name, tmp_path / name, ignore=shutil.ignore_patterns(".assay"))
        )

    return copy


def assay(project, *arguments):
    command = [sys.executable, "-m", "assay", *arguments]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, encoding="utf-8", check=False)


def test_a_feature_is_guarded_by_its_golden_tasks(example):
    project = example("ticket-feature")
    assert assay(project, "run").returncode == 0
    assert assay(project, "run", "--accept", "--yes").returncode == 0
    assert (
        json.loads((project / "evals/baseline.json").read_text("utf-8"))["suites"]["triage"]["pass_rate"] == 1
    )
    app = project / "app/triage.py"
    app.write_text(
        app.read_text("utf-8").replace('"urgent", "asap"', '"asap"').replace('"today", ', ""), "utf-8"
    )
    done = assay(project, "run")
    assert done.returncode == 1
    assert "G-001  0.00  FAIL  (baseline 1.00  →  REGRESSION -1.00)" in done.stdout


def test_a_feature_that_crashes_is_an_error_and_not_a_score(example):
    project = example("ticket-feature")
    (project / "app/triage.py").write_text("raise SystemExit('out of memory')\n", "utf-8")
    done = assay(project, "run", "G-001")
    assert done.returncode == 3
    assert "ERROR" in done.stdout


@pytest.mark.parametrize("name", ["house-style", "ticket-feature", "plugin"])
def test_the_suites_of_the_examples_have_no_errors(example, name):
    done = assay(example(name), "check")
    assert done.returncode == 0, done.stdout + done.stderr
