"""The example plugin: its suites, the answers that its graders must tell apart, and what its README shows."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.graders import Bench, build
from assay.graders.roles import is_trigger
from assay.items import find_item
from assay.model import Transcript
from assay.suites.plugin_eval import load_cases
from assay.testing import load_rules
from support.real_claude import PINNED, needs_claude

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/plugin"
ITEMS = {"commit": "skill", "tdd-flow": "skill", "release-notes": "command", "reviewer": "agent"}
JUDGED = ("llm", "baseline")


def cases_of(item):
    return {case.id: case for case in load_cases(EXAMPLE / "evals" / item).cases}


def samples():
    for path in sorted(EXAMPLE.glob("evals/*/*/samples/*.json")):
        stored = json.loads(path.read_text("utf-8"))
        for verdict in ("pass", "fail"):
            for number, sample in enumerate(stored[verdict]):
                place = (path.parts[-4], path.parts[-3], path.stem)
                yield pytest.param(
                    *place, verdict == "pass", sample["answer"], id=f"{'/'.join(place)}-{verdict}{number}"
                )


@pytest.mark.parametrize("item", ITEMS)
def test_every_item_has_a_suite_with_its_trigger_pair_and_a_quality_case(item):
    assert find_item(EXAMPLE, item).kind == ITEMS[item]
    assert load_cases(EXAMPLE / "evals" / item).problems == ()
    cases = cases_of(item)
    assert {"fires", "quiet"} < cases.keys()
    tool = "Agent" if ITEMS[item] == "agent" else "Skill"
    for name in ("fires", "quiet"):
        firing = [spec for spec in cases[name].graders if spec.config.get("tool") == tool]
        assert len(firing) == 1
        assert len(cases[name].graders) > 1
    baseline = json.loads((EXAMPLE / "evals" / item / "baseline.json").read_text("utf-8"))
    assert baseline == {"schema": "skill-eval-baseline/1", "item": item, "best": {}}


@pytest.mark.parametrize(("item", "case", "grader", "good", "answer"), list(samples()))
def test_graders_tell_stored_good_and_bad_answers_apart(item, case, grader, good, answer):
    spec = next(spec for spec in cases_of(item)[case].graders if spec.name == grader)
    assert build(spec, Bench()).grade(Transcript(answer)).passed is good


def test_every_grader_of_text_has_a_good_and_a_bad_answer():
    for item in ITEMS:
        for case in cases_of(item).values():
            for spec in case.graders:
                if spec.type in JUDGED or spec.type == "tool_used" or is_trigger(spec):
                    continue
                stored = json.loads((case.folder / "samples" / f"{spec.name}.json").read_text("utf-8"))
                assert stored["pass"], spec
                assert stored["fail"], spec


def test_the_scripted_model_can_be_read():
    assert len(load_rules(EXAMPLE / "server.yaml").rules) > 10


def shown_commands():
    text = (EXAMPLE / "README.md").read_text("utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]


@pytest.fixture
def project(tmp_path):
    """The example in a repository of its own, `assay`, `python` and `claude` on the PATH."""
    shutil.copytree(EXAMPLE, tmp_path / "plugin")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, module in (("python", ""), ("assay", "-m assay ")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module}"$@"\n', "utf-8")
        program.chmod(0o755)
    (programs / "claude").symlink_to(PINNED.resolve())
    for argv in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *argv], cwd=tmp_path / "plugin", check=True)
    return tmp_path / "plugin", {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "HOME": str(tmp_path),
    }


@pytest.mark.claude
@needs_claude()
def test_the_readme_does_what_it_shows(project):
    folder, env = project
    shown = shown_commands()
    expected = [command.startswith("assay propose") for command in shown]
    script = [f"set -m\n{command}\necho exit $? of {number} >&2" for number, command in enumerate(shown)]
    argv = ["bash", "-c", "\n".join(script)]
    done = subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, check=False)
    ended = [int(status) for status in re.findall(r"^exit (\d+) of \d+$", done.stderr, re.MULTILINE)]
    wrong = [command for command, got, want in zip(shown, ended, expected, strict=True) if got != want]
    assert wrong == [], done.stderr
    assert json.loads((folder / "tdd-flow.json").read_text("utf-8"))["verdict"] == "improved"
    ledger = (folder / "wiki/skill-impact.md").read_text("utf-8")
    assert ledger.count("| accepted |") == 2
    skill = "skills/commit/SKILL.md"
    assert (folder / skill).read_text("utf-8") == (EXAMPLE / skill).read_text("utf-8")
