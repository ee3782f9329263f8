"""Runs of the real client from a shell: nothing of the operator's goes in, nothing of the run's stays."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assay.testing import ScriptedServer, load_rules, parse_rules
from support.operator import MODEL, OWN, at_work, picture, settle, waited_for
from support.real_claude import OTHER, PINNED, ROOT, needs_claude

pytestmark = [pytest.mark.claude, needs_claude()]

EXAMPLE = ROOT / "examples/plugin"
HARNESSES = ("claude", "plugin-eval")


@pytest.fixture
def place(tmp_path):
    """A home, the example as a project with two cases of the commit suite, and a folder for temporary files."""
    home, project, temporary = (tmp_path / name for name in ("home", "project", "temporary"))
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns(".assay", "breaking"))
    temporary.mkdir()
    settle(home, project)
    return home, project, temporary


def command(server, place, *arguments):
    home, project, temporary = place
    env = {
        "PATH": f"{PINNED.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "ANTHROPIC_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": "scripted",
    }
    return {"args": [sys.executable, "-m", "assay", *arguments], "cwd": project, "env": env}


def assay(server, place, *arguments):
    return subprocess.run(**command(server, place, *arguments), capture_output=True, text=True, check=False)


def run(server, place, *arguments):
    return assay(server, place, "run", "commit", "--runs", "1", "--json", *arguments)


@pytest.mark.parametrize("harness", HARNESSES)
def test_a_run_takes_no_more_than_the_model_from_the_operator_and_leaves_nothing(place, harness):
    home, project, temporary = place
    (project / "assay.toml").unlink()  # so that the model is the one of the operator's settings
    before = picture(home, project)
    with ScriptedServer(load_rules(EXAMPLE / "server.yaml")) as server:
        done = run(server, place, "--harness", harness)
        asked = [one.asked for one in server.requests if one.asked]
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["with"], result["without"] < 1, result["trigger_rate"]) == (1, True, 1)
    assert result["harness"].endswith("@2.1.328")
    assert result["model_reported"] == MODEL
    assert (result["activation"]["recall"], result["activation"]["specificity"]) == (1, 1)
    assert {one.model for one in asked if not one.is_judge} == {MODEL} == {result["model"]}
    assert not [one for one in asked if OWN in one.text]
    assert picture(home, project) == before
    assert list(temporary.iterdir()) == []
    assert at_work(temporary) == []


def test_what_was_paid_for_is_not_run_again(place):
    with ScriptedServer(load_rules(EXAMPLE / "server.yaml")) as server:
        first = json.loads(run(server, place, "--harness", "claude").stdout)
        asked = len(server.requests)
        again = json.loads(run(server, place, "--harness", "claude").stdout)
        assert len(server.requests) == asked
        skill = place[1] / "skills/commit/SKILL.md"
        skill.write_text(skill.read_text("utf-8") + "\nBriefly.\n", "utf-8")
        edited = json.loads(run(server, place, "--harness", "claude").stdout)
        sessions = {one.asked.skills for one in server.requests[asked:] if one.asked and one.asked.tools}
    assert (again["with"], again["cost_usd"]) == (first["with"], 0)
    assert edited["item_digest"] != first["item_digest"]
    assert sessions
    assert all("workbench:commit" in skills for skills in sessions), "the arm without comes from the store"


@pytest.mark.skipif(not OTHER.exists(), reason="scripts/install_claude.sh installs the second version")
def test_a_change_of_the_client_s_version_is_seen_and_told(place):
    record = ("--record", "--pr", "#1", "--pages", "commit-says-why")
    with ScriptedServer(load_rules(EXAMPLE / "server.yaml")) as server:
        for program, name in ((PINNED, "one.json"), (OTHER, "other.json")):
            assert run(server, place, "--harness", f"claude:{program}", "--out", name).returncode == 0
        first = assay(server, place, "gate", "commit", "one.json", *record)
        second = assay(server, place, "gate", "commit", "other.json")
    assert first.returncode == 0, first.stderr
    assert second.returncode == 2
    assert "claude-code@2.1.328" in second.stderr
    assert "claude-code@2.1.329" in second.stderr


@pytest.mark.parametrize("harness", HARNESSES)
def test_a_judge_that_crashes_leaves_no_score_and_is_counted(place, harness):
    rules = (EXAMPLE / "server.yaml").read_text("utf-8")
    broken = rules.replace("rules:", "rules:\n  - {when: {judge: true}, fail: {status: 400}}", 1)
    with ScriptedServer(parse_rules(broken)) as server:
        done = run(server, place, "--harness", harness)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["partial"], result["partial_reason"]) == (True, "errors")
    cases = {case["name"]: case for case in result["cases"]}
    assert (cases["fires"]["with"], cases["fires"]["errors"]) == (None, 2)
    assert (cases["quiet"]["with"], cases["quiet"]["errors"]) == (1, 0)


@pytest.mark.parametrize("harness", HARNESSES)
def test_kept_folders_are_named_and_say_which_trial_they_were(place, harness):
    with ScriptedServer(load_rules(EXAMPLE / "server.yaml")) as server:
        done = run(server, place, "--harness", harness, "--keep")
    kept = Path(done.stderr.partition("kept: ")[2].splitlines()[0])
    assert kept.parent == place[2]
    if harness == "claude":
        told = [line.split() for line in (kept / "trials.txt").read_text("utf-8").splitlines()]
        assert len(told) == 4
        for room, _, arm, _ in told:
            assert (kept / room / "plugin/0/skills/commit/SKILL.md").exists() is (arm == "with")
    else:
        assert json.loads((kept / "platform/aggregate-result.json").read_text("utf-8"))["cases"]
        assert list(kept.glob("platform/plugin/evals/results/*/report.html"))


@pytest.mark.parametrize("harness", HARNESSES)
def test_a_killed_run_leaves_nothing_for_long(place, harness):
    home, project, temporary = place
    before = picture(home, project)
    silent = parse_rules("rules:\n- {times: 2, delay_s: 600, say: x}\n- say: x\n")
    with ScriptedServer(silent) as server:
        told = command(server, place, "run", "commit", "--runs", "1", "-j", "2", "--harness", harness)
        with subprocess.Popen(**told, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            assert waited_for(lambda: sum(one.asked is not None for one in server.requests) >= 2)
            process.send_signal(signal.SIGKILL)
        assert list(temporary.iterdir()) != []
        assert run(server, place, "--harness", harness).returncode == 0
        assert waited_for(lambda: at_work(temporary) == [])
    assert list(temporary.iterdir()) == []
    assert picture(home, project) == before


@pytest.mark.parametrize("harness", HARNESSES)
def test_ctrl_c_ends_a_run_and_its_sessions_at_once(place, harness):
    _, _, temporary = place
    with ScriptedServer(parse_rules("rules:\n- {delay_s: 600, say: x}\n")) as server:
        told = command(server, place, "run", "commit", "--runs", "1", "-j", "2", "--harness", harness)
        with subprocess.Popen(**told, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            assert waited_for(lambda: sum(one.asked is not None for one in server.requests) >= 2)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate()
    assert process.returncode == 130, told
    assert b"Traceback" not in told
    assert list(temporary.iterdir()) == []
    assert waited_for(lambda: at_work(temporary) == [])
