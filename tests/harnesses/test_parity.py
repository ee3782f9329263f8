"""Both harnesses on one scripted model: the same grades, scores, deltas and trigger rate."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assay.items import item_at
from assay.model import WITH
from assay.suites.plugin_eval import load_cases
from assay.testing import ScriptedServer, load_rules
from support.claude import FIXTURES, PLUGIN, STREAMS
from support.real_claude import needs_claude, run_natively, run_on_platform

pytestmark = [pytest.mark.claude, needs_claude()]

SUITE = FIXTURES / "parity_suite"


@pytest.fixture
def runs(tmp_path):
    """(platform's records, ours) of the whole suite."""
    item = item_at(Path(shutil.copytree(PLUGIN, tmp_path / "project/plugin")))
    given = {"allow_tools": ("Write",), "scaffold": True}
    project, room = tmp_path / "project", tmp_path / "room"
    with ScriptedServer(load_rules(STREAMS / "server.yaml")) as server, ThreadPoolExecutor() as pool:
        theirs = pool.submit(run_on_platform, server, project, item, SUITE, room, **given)
        ours = run_natively(server, project, item, load_cases(SUITE).cases, **given)
        return theirs.result(), ours


def grades(record):
    return {grade.name: (grade.passed, grade.scored, grade.weight, grade.trigger) for grade in record.grades}


def triggers(records):
    return [
        grade.passed
        for _, record in sorted(records.items())
        if record.arm == WITH
        for grade in sorted(record.grades, key=lambda grade: grade.name)
        if grade.trigger
    ]


def test_the_same_grades_scores_trigger_rate_and_cost(runs):
    """One test, since what it looks at takes half a minute to make."""
    theirs, ours = runs
    assert theirs.keys() == ours.keys()
    assert len(ours) == 2 * len(load_cases(SUITE).cases) >= 24
    assert {key: grades(record) for key, record in ours.items()} == {
        key: grades(record) for key, record in theirs.items()
    }
    assert {key: record.score for key, record in ours.items()} == {
        key: record.score for key, record in theirs.items()
    }
    assert triggers(theirs) == triggers(ours)
    assert set(triggers(ours)) == {True, False}
    activations = {key: record.activation for key, record in ours.items()}
    assert activations == {key: record.activation for key, record in theirs.items()}
    costs = {key: (record.usage.cost_usd, theirs[key].usage.cost_usd) for key, record in ours.items()}
    finished = {key: pair for key, pair in costs.items() if pair[0] is not None}
    assert len(finished) == len(costs) - 2  # a run that was killed at its time-out reports no cost
    assert all(pair[0] == pytest.approx(pair[1]) for pair in finished.values())


def test_the_suite_covers_what_the_platform_knows():
    cases = load_cases(SUITE).cases
    specs = [spec for case in cases for spec in case.graders]
    assert {spec.type for spec in specs} == {
        *("regex", "tool_used", "tool_order", "file_exists", "llm", "baseline")
    }
    assert {spec.arm for spec in specs} == {None, "both", "with-only"}
    assert {spec.weight for spec in specs} > {1, 0.5}
    sources = {
        spec.config.get(key)
        for spec in specs
        for key in ("target", "focus")
        if key in spec.config
        if isinstance(spec.config[key], str)
    }
    assert sources >= {"last_message", "trace", "files"}
    settings = [case.settings for case in cases]
    for name in (
        "scaffold_script",
        "history_file",
        "add_dirs",
        "append_system_prompt",
        "env",
        "allowed_tools",
        "disallowed_tools",
    ):
        assert [one for one in settings if getattr(one, name)], name
