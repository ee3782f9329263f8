"""The files of docs/ci are what their platforms take, and their scripts run in a shell as they stand there."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

CI = Path(__file__).parents[2] / "docs" / "ci"
ACTION = yaml.safe_load((CI / "action.yml").read_text("utf-8"))
GITLAB = yaml.safe_load((CI / "gitlab-ci.yml").read_text("utf-8"))
TASK = (
    "---\nid: G-001\ntarget: skill:commit\ngrader: exact\n---\n## Input\ndo it\n\n## Expected\n{expected}\n"
)
SKILL = "---\nname: commit\ndescription: does it well\n---\nDo it well.\n"


@pytest.fixture
def project(tmp_path):
    """A project with one golden task, `assay` on the path, and a pip that installs nothing."""
    for name, text in {
        "project/skills/commit/SKILL.md": SKILL,
        "project/evals/commits/G-001-task.md": TASK.format(expected="ok"),
        "project/rules.yaml": "- say: ok\n",
        "project/assay.toml": 'harness = "scripted:rules.yaml"\nmodel = "m"\n',
        "bin/assay": f'#!/bin/sh\nexec "{sys.executable}" -m assay "$@"\n',
        "bin/python": '#!/bin/sh\n[ "$1 $2 $3" = "-m pip install" ] && echo "$@" >> "$PIP_LOG"\n',
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    for name in ("assay", "python"):
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path / "project"


def shell(project, script, **env):
    """Bash with the options that GitHub runs a step with."""
    here = project.parent
    files = {"GITHUB_OUTPUT": str(here / "output"), "GITHUB_STEP_SUMMARY": str(here / "summary"), "PIP_LOG": str(here / "pip")}  # fmt: skip
    path = f"{here / 'bin'}{os.pathsep}{os.environ['PATH']}"
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(
        command, cwd=project, env={**os.environ, **files, "PATH": path, **env}, check=False, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def filled(text, known):
    return re.sub(r"\$\{\{ ([\w.-]+) }}", lambda found: known[found[1]], text)


def act(project, **inputs):
    """The steps of the action in order, until one fails."""
    given = {name: spec["default"] for name, spec in ACTION["inputs"].items()} | inputs
    said, outputs = [], {}
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"], "an input must not become part of a script"
        known = {**{f"inputs.{name}": value for name, value in given.items()}, **outputs}
        env = {name: filled(value, known) for name, value in step["env"].items()}
        done = shell(project, step["run"], **env)
        said.append((step["name"], done.returncode, done.stdout + done.stderr))
        if step.get("id"):
            lines = (project.parent / "output").read_text("utf-8").splitlines()
            outputs = {f"steps.{step['id']}.outputs.{line.partition('=')[0]}": line.partition("=")[2] for line in lines}  # fmt: skip
        if done.returncode:
            break
    return said


def test_the_action_measures_and_shows_what_came_of_it(project):
    said = act(project)
    assert [(name, code) for name, code, _ in said] == [("Install", 0), ("Check", 0), ("Run", 0), ("Show", 0), ("Verdict", 0)], said  # fmt: skip
    assert "assay[models]" in (project.parent / "pip").read_text("utf-8")
    summary = (project.parent / "summary").read_text("utf-8")
    assert summary.startswith("### assay: commits")
    results = project / "assay-results"
    assert sorted(path.name for path in results.iterdir()) == ["check.sarif", "comment.md", "junit.xml", "report.html", "trials.csv"]  # fmt: skip
    assert json.loads((results / "check.sarif").read_text("utf-8"))["version"] == "2.1.0"
    assert ElementTree.parse(results / "junit.xml").getroot().get("failures") == "0"


def test_the_action_fails_where_the_run_failed_and_still_shows_it(project):
    assert act(project, options="--accept --yes")[-1][:2] == ("Verdict", 0)
    (project / "rules.yaml").write_text("- say: other\n", "utf-8")
    said = act(project, options="--fresh")
    assert said[-1][:2] == ("Verdict", 1), said
    assert "G-001" in (project.parent / "summary").read_text("utf-8")
    assert "::error file=evals/commits/G-001-task.md" in next(
        text for name, _, text in said if name == "Show"
    )


def test_a_call_that_is_wrong_ends_with_its_own_code(project):
    said = act(project, options="--harness none")
    assert [(name, code) for name, code, _ in said][2:] == [("Run", 0), ("Show", 0), ("Verdict", 2)], said


def test_what_an_input_holds_is_never_run(project):
    act(
        project,
        targets='$(touch hurt); touch hurt; "`touch hurt`"',
        options="; touch hurt",
        package="$(touch hurt)",
    )
    act(project, check="evals'; touch hurt; '", results='r"; touch hurt; "')
    assert not (project / "hurt").exists()


def test_the_job_for_gitlab_runs(project):
    job = GITLAB["assay"]
    done = shell(project, "\n".join(job["script"]), **job["variables"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project / job["artifacts"]["reports"]["junit"]).is_file()
    assert all((project / path).is_file() for path in job["artifacts"]["paths"])


@pytest.mark.parametrize(("file", "schema"), [("action.yml", "vendor.github-actions"), ("gitlab-ci.yml", "vendor.gitlab-ci")])  # fmt: skip
def test_each_file_is_what_its_platform_takes(file, schema):
    pytest.importorskip("check_jsonschema", reason="check-jsonschema is not installed")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(CI / file)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
