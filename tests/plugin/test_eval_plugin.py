"""The /eval plugin: what it tells the agent, the platform's own check, and its suite through the real client."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli import COMMANDS
from assay.graders import Bench, build
from assay.items import item_at
from assay.model import Transcript
from assay.suites.golden import load_golden
from assay.suites.golden_task import _KEYS
from assay.suites.plugin_eval import load_cases
from assay.testing import ScriptedServer, load_rules
from support.real_claude import PINNED, needs_claude

PLUGIN = Path(__file__).parents[2] / "plugin"
SKILL = PLUGIN / "skills/eval"
TEXT = (SKILL / "SKILL.md").read_text("utf-8")
SCHEMA = (SKILL / "references/eval-schema.md").read_text("utf-8")


def test_the_skill_loads_and_takes_the_arguments_of_the_seed():
    skill = item_at(SKILL, "skill")
    assert (skill.name, skill.unloadable) == ("eval", None)
    assert len(skill.description) <= 1024
    arguments = '"[evals/ | suite-name | G-NNN] [--accept] [--grep <tag>] [--target <skill:|prompt:|agent:|feature:>] [--out <file>]"'
    assert f"argument-hint: {arguments}" in TEXT


def test_the_skill_calls_assay_by_commands_that_exist():
    called = set(re.findall(r"assay (run|init|accept|judge|triggers|[a-z]+)\b", TEXT + SCHEMA))
    assert {"run", "init", "accept"} <= called
    words = {"says", "and", "command"}
    assert called - words <= set(COMMANDS)


@pytest.mark.parametrize("number", range(1, 8))
def test_every_guardrail_is_told(number):
    assert re.search(rf"^{number}\. ", TEXT.split("## Rules that hold")[1], re.MULTILINE)


def test_the_schema_names_every_key_of_a_task():
    assert [key for key in _KEYS if key != "suite" and f"{key}:" not in SCHEMA] == []


def test_the_task_of_the_schema_is_a_task(tmp_path):
    example = re.search(r"## A golden task\n\n((?:    .*\n|\n)+)", SCHEMA)[1]
    text = "".join(line.removeprefix("    ") for line in example.splitlines(keepends=True))
    (tmp_path / "evals/s").mkdir(parents=True)
    (tmp_path / "evals/s/G-001-x.md").write_text(text, "utf-8")
    (suite,) = load_golden(tmp_path / "evals")
    assert len(suite.cases[0].graders) == 2


def samples():
    for path in sorted(PLUGIN.glob("evals/eval/*/samples/*.json")):
        stored = json.loads(path.read_text("utf-8"))
        for verdict in ("pass", "fail"):
            for number, sample in enumerate(stored[verdict]):
                yield pytest.param(
                    path.parts[-3], path.stem, verdict == "pass", sample["answer"],
                    id=f"{path.parts[-3]}/{path.stem}-{verdict}{number}",
                )  # fmt: skip


CASES = {case.id: case for case in load_cases(PLUGIN / "evals/eval").cases}


@pytest.mark.parametrize(("case", "grader", "good", "answer"), list(samples()))
def test_graders_tell_stored_good_and_bad_answers_apart(case, grader, good, answer):
    spec = next(spec for spec in CASES[case].graders if spec.name == grader)
    assert build(spec, Bench()).grade(Transcript(answer)).passed is good


def test_every_text_grader_has_samples():
    for case in CASES.values():
        for spec in case.graders:
            if spec.type == "regex":
                assert (case.folder / "samples" / f"{spec.name}.json").is_file(), spec.source


@pytest.mark.claude
@needs_claude()
def test_the_platforms_own_check_finds_nothing():
    done = subprocess.run(
        [PINNED, "plugin", "validate", "--strict", PLUGIN],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.claude
@needs_claude()
@pytest.mark.slow
def test_its_own_suite_passes_through_the_real_client(tmp_path):
    with ScriptedServer(load_rules(PLUGIN / "server.yaml")) as server:
        env = {
            **os.environ,
            "ANTHROPIC_BASE_URL": server.url,
            "ANTHROPIC_API_KEY": "scripted",
            "HOME": str(tmp_path),
        }
        command = [sys.executable, "-m", "assay", "run", "eval", "--project", str(PLUGIN)]
        options = ["--harness", f"claude:{PINNED}", "--model", "claude-sonnet-5-5", "--runs", "1", "-j", "2"]
        done = subprocess.run(
            [*command, *options, "--store", str(tmp_path / "t.sqlite"), "--json", "--quiet"],
            env=env, capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert {case["name"]: case["with"] for case in document["cases"]} == dict.fromkeys(CASES, 1.0)
    assert document["trigger_rate"] == 1.0
    assert document["without"] < document["with"]
