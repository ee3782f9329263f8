"""How the platform's evaluator is called, and what is laid before it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import CannotRun, TrialFailed
from assay.harnesses import Setup, set_up
from assay.harnesses.plugin_eval import EvalOptions
from assay.items import find_item, item_at
from support.claude import FIXTURES, PLUGIN, run_trial, told_case, trial_of

DOCUMENT = FIXTURES / "platform_result.json"


@pytest.fixture
def suite(tmp_path):
    folder = tmp_path / "evals" / "commit"
    (folder / "fires/graders").mkdir(parents=True)
    (folder / "fires/prompt.md").write_text("Commit.", "utf-8")
    (folder / "results/old").mkdir(parents=True)
    (folder / "results/old/aggregate-result.json").write_text("{}", "utf-8")
    (folder / "baseline.json").write_text("{}", "utf-8")
    (folder / "baseline.commit.json").write_text("{}", "utf-8")
    return folder


def evaluate(fake, suite, tmp_path, item=None, *, options=None, allow_tools=(), scaffold=False, **told):
    (fake.folder / "fake.json").write_text(json.dumps({"document": str(DOCUMENT), **told}), "utf-8")
    env = {
        "PATH": os.environ["PATH"],
        "HOME": "/home/someone",
        "ANTHROPIC_API_KEY": "scripted",
        "SECRET": "x",
    }
    setup = Setup(tmp_path, argument=str(fake.program), env=env, allow_tools=allow_tools, scaffold=scaffold)
    room = tmp_path / "room"
    item = item or item_at(PLUGIN / "skills/commit")
    return set_up("plugin-eval", setup).evaluate(item, suite, options or EvalOptions(2.0), room)


def test_item_and_suite_lie_in_a_plugin_of_their_own(fake, suite, tmp_path):
    done = evaluate(fake, suite, tmp_path)
    assert sorted(fake.seen["files"]) == [
        ".claude-plugin/plugin.json",
        "evals/commit/fires/prompt.md",
        "skills/commit/SKILL.md",
    ]
    assert json.loads(fake.seen["files"][".claude-plugin/plugin.json"])["name"] == "my-plug"
    assert done.prefix == "evals/commit/"


@pytest.mark.parametrize("base", ["", "registry/"])
@pytest.mark.parametrize("place", ["skills/tidy/SKILL.md", "commands/tidy.md", "agents/tidy.md"])
def test_an_item_lies_where_the_platform_looks_for_its_kind(fake, suite, tmp_path, base, place):
    (tmp_path / base / place).parent.mkdir(parents=True)
    (tmp_path / base / place).write_text("---\nname: tidy\ndescription: Tidies up.\n---\nTIDY\n", "utf-8")
    evaluate(fake, suite, tmp_path, find_item(tmp_path, "tidy"))
    assert sorted(fake.seen["files"]) == sorted(
        [".claude-plugin/plugin.json", "evals/tidy/fires/prompt.md", place]
    )


def test_a_suite_inside_the_item_keeps_its_place(fake, plugin, tmp_path):
    own = plugin / "evals"
    (own / "fires").mkdir(parents=True)
    (own / "fires/prompt.md").write_text("Commit.", "utf-8")
    done = evaluate(fake, own, tmp_path, item_at(plugin))
    assert done.prefix == "evals/"
    assert {"evals/fires/prompt.md", "agents/reviewer.md"} <= fake.seen["files"].keys()


def test_the_call_is_the_one_that_the_platform_documents(fake, suite, tmp_path):
    options = EvalOptions(0.5, model="m", judge_model="j", runs=2, jobs=40)
    evaluate(fake, suite, tmp_path, options=options, allow_tools=("Write", "Edit"), scaffold=True)
    argv = fake.seen["argv"]
    room = (tmp_path / "room").as_posix()
    assert argv[:5] == ["plugin", "eval", f"{room}/plugin", "--json", f"{room}/aggregate-result.json"]
    assert " ".join(argv[5:]) == (
        "--ablation with-without --keep-temp --trust-plugin --no-publish --max-cost-usd 0.5 --model m --judge-model j --runs 2"
        " --concurrency 8 --scaffold --allow-tools Write Edit"
    )
    assert fake.seen["cwd"] == str(tmp_path)


def test_nothing_of_the_users_home_or_secrets_is_given(fake, suite, tmp_path):
    evaluate(fake, suite, tmp_path)
    env = fake.seen["env"]
    assert env["ANTHROPIC_API_KEY"] == "scripted"
    assert "SECRET" not in env
    assert not [name for name, value in env.items() if "/home/someone" in value]


@pytest.mark.parametrize("exit_code", [0, 1, 2])
def test_the_document_decides_not_the_exit_status(fake, suite, tmp_path, exit_code):
    assert evaluate(fake, suite, tmp_path, exit_code=exit_code).document["schemaVersion"] == 1


def test_no_document_is_told_with_what_the_platform_said(fake, suite, tmp_path):
    with pytest.raises(CannotRun, match=r"exit 1.*git 2\.31 is needed"):
        evaluate(fake, suite, tmp_path, document=None, exit_code=1, stderr="git 2.31 is needed")


def test_single_trials_are_refused(fake, tmp_path):
    fake.harness()
    setup = Setup(
        tmp_path, argument=str(fake.program), env={"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "k"}
    )
    with pytest.raises(TrialFailed, match="--harness claude"):
        run_trial(set_up("plugin-eval", setup), trial_of(told_case(), None))


def test_from_the_command_line(fake, tmp_path):
    project = tmp_path / "project"
    for name in json.loads(DOCUMENT.read_text("utf-8"))["cases"]:
        case = project / "evals/commit" / Path(name["dir"]).name
        (case / "graders").mkdir(parents=True)
        (case / "prompt.md").write_text("---\nruns: 1\n---\nDo it.\n", "utf-8")
        (case / "graders/g.md").write_text("---\ntype: regex\npattern: x\n---\n", "utf-8")
    (project / "skills/commit").mkdir(parents=True)
    (project / "skills/commit/SKILL.md").write_text(
        (PLUGIN / "skills/commit/SKILL.md").read_text("utf-8"), "utf-8"
    )
    (fake.folder / "fake.json").write_text(json.dumps({"document": str(DOCUMENT), "exit_code": 1}), "utf-8")
    env = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
        "HOME": str(tmp_path),
        "ANTHROPIC_API_KEY": "k",
    }
    argv = [sys.executable, "-m", "assay", "run", "commit", "--json", "--runs", "1"]
    argv += ["--project", str(project), "--harness", f"plugin-eval:{fake.program}"]
    done = subprocess.run(argv, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["harness"] == "plugin-eval@2.1.328"
    assert (result["partial"], result["partial_reason"]) == (True, "errors")
    assert result["trigger_rate"] == 1
    by_name = {case["name"]: case for case in result["cases"]}
    assert (by_name["fires"]["with"], by_name["e529"]["with"], by_name["e529"]["errors"]) == (1, None, 2)
