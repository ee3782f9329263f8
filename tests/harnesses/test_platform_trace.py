"""Sessions of the platform's runs, read from recorded streams laid where its traces lie."""

import pytest

from assay.cli.measure_platform import trials_of
from assay.harnesses.platform_trace import Laid, read_session, runs_of
from assay.harnesses.plugin_eval import PlatformRun
from assay.items import item_at
from assay.items.copy import copy_item
from assay.model import WITH, WITHOUT
from support.claude import PLUGIN, STREAMS

ITEM = item_at(PLUGIN / "skills/commit")


@pytest.fixture
def laid(tmp_path):
    plugin = tmp_path / "plugin/0"
    return Laid.of(tmp_path, plugin, "my-plug", ITEM, copy_item(ITEM, plugin))


def run_of(laid, stream, **more):
    """A run of the platform's whose trace is the recorded stream, in a room of the test's own."""
    trace = laid.room / f"{stream}.jsonl"
    text = (STREAMS / f"{stream}.jsonl").read_text("utf-8")
    trace.write_text(text.replace("/room", laid.room.as_posix()), "utf-8")
    return {"tracePath": str(trace), "durationSeconds": 3, **more}


def test_clean_arms_are_proven_and_leave_their_transcripts(laid):
    loaded = read_session(run_of(laid, "fires"), WITH, laid, frozenset({"commit"}))
    bare = read_session(run_of(laid, "without"), WITHOUT, laid, frozenset({"commit"}))
    assert (loaded.fault, bare.fault) == (None, None)
    assert loaded.transcript.tool_calls[0].name == "Skill"
    assert loaded.transcript.duration_s == 3


@pytest.mark.parametrize(
    ("stream", "arm", "kind", "seen"),
    [
        ("without", WITH, "item-missing", "did not list the skill 'commit'"),
        ("fires", WITHOUT, "contaminated", "the plugin 'my-plug'"),
    ],
)
def test_an_arm_that_is_not_what_it_should_be_is_named(laid, stream, arm, kind, seen):
    fault = read_session(run_of(laid, stream), arm, laid, frozenset()).fault
    assert (fault.kind, seen in fault.message) == (kind, True)


def test_a_session_elsewhere_and_an_operators_own_skill_contaminate(laid):
    run = run_of(laid, "fires")
    elsewhere = Laid(laid.room / "other", laid.plugin, "my-plug", ITEM, laid.copy, laid.digest)
    assert "the folder" in read_session(run, WITH, elsewhere, frozenset()).fault.message
    assert "'verify'" in read_session(run, WITH, laid, frozenset({"verify"})).fault.message


@pytest.mark.parametrize("run", [{}, {"tracePath": "/nowhere/trace.jsonl"}, {"tracePath": 3}])
def test_without_a_trace_there_is_no_session(laid, run):
    assert read_session(run, WITH, laid, frozenset()) is None


def test_a_contaminated_run_loses_its_score(laid):
    grader = {"name": "g", "passed": True, "weight": 1, "explanation": "", "withOnly": False}
    scored = {"score": 1, "turns": 2, "costUsd": 0.1, "error": None, "graders": [grader]}
    arms = {"with": [run_of(laid, "fires", **scored)], "without": [run_of(laid, "sub_agent_fires", **scored)]}
    case = {
        "dir": "evals/commit/a",
        "graders": [{"name": "g", "type": "regex", "weight": 1, "config": {}}],
        "arms": arms,
    }
    document = {"schemaVersion": 1, "cases": [case]}
    sessions = tuple(read_session(run, arm, laid, frozenset()) for arm, run in runs_of(document))
    trials = trials_of(PlatformRun(document, "evals/commit/", sessions), "r", ITEM)
    (clean, _), (spoilt, left) = trials
    assert (clean.score, clean.activation.fired, clean.usage.cost_usd) == (1, True, 0.1)
    assert (spoilt.outcome, spoilt.score, spoilt.fault.kind) == ("error", None, "contaminated")
    assert left is not None
