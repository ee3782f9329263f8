"""The positive control tells a working instrument from a broken one."""

import json
import os
import subprocess
import sys

import pytest

from assay.engine.stop import StopFlag
from assay.harnesses.claude_control import positive_control
from assay.testing import ScriptedServer, parse_rules
from support.claude import STREAMS
from support.real_claude import MODEL, PINNED, ROOT, needs_claude, set_up

SOUND = """
rules:
- when: {skill: answer-protocol}
  turns:
  - call: {skill: answer-protocol}
  - say: "Paris. amber-seven"
- say: Paris.
"""


def test_a_client_that_cannot_run_is_a_fault_not_a_verdict(fake, tmp_path):
    harness = fake.harness(exit_code=1, stderr="Not logged in. Please run /login")
    control = positive_control(harness, None, tmp_path, StopFlag())
    assert (control.fired, control.fault.kind, control.is_sound) == (None, "auth", False)
    assert "did not run: auth" in str(control)


def test_a_stream_of_another_run_is_not_taken_for_the_controls(fake, tmp_path):
    harness = fake.harness(stream=str(STREAMS / "fires.jsonl"))
    assert positive_control(harness, None, tmp_path, StopFlag()).fault.kind == "item-missing"


@pytest.mark.claude
@needs_claude()
@pytest.mark.parametrize(
    ("rules", "sound", "told"),
    [
        (SOUND, True, "fired ($"),
        ("rules:\n- say: Paris.\n", False, "did NOT fire"),
        (SOUND.replace("amber-seven", ""), True, "does not follow it"),
    ],
)
def test_on_the_real_client(tmp_path, rules, sound, told):
    with ScriptedServer(parse_rules(rules)) as server:
        control = positive_control(set_up(server, tmp_path), MODEL, tmp_path / "control", StopFlag())
    assert control.is_sound is sound
    assert told in str(control)


@pytest.mark.claude
@needs_claude()
@pytest.mark.parametrize(("rules", "status"), [(SOUND, 0), ("rules:\n- say: Paris.\n", 3)])
def test_from_the_command_line(tmp_path, rules, status):
    with ScriptedServer(parse_rules(rules)) as server:
        env = {
            "PATH": f"{PINNED.parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
            "HOME": str(tmp_path),
            "ANTHROPIC_BASE_URL": server.url,
            "ANTHROPIC_API_KEY": "scripted",
        }
        argv = [sys.executable, "-m", "assay", "doctor", "--harness", "claude", "--json"]
        done = subprocess.run(argv, capture_output=True, text=True, env=env, cwd=tmp_path, check=False)
    assert done.returncode == status, done.stderr
    control = [part for part in json.loads(done.stdout) if part["name"] == "control claude"]
    assert control[0]["usable"] is (status == 0)
