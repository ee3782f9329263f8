"""Both harnesses on one scripted model: the same grades, scores, deltas and trigger rate."""

import shutil
from dataclasses import replace
from importlib.util import find_spec
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
JUDGED = () if find_spec("assay.graders.judge") else ("llm", "baseline")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """(platform's records, ours) of the whole suite."""
    project = tmp_path_factory.mktemp("project")
    plugin = Path(shutil.copytree(PLUGIN, project / "plugin"))
    item = item_at(plugin)
    cases = [
        replace(case, graders=tuple(spec for spec in case.graders if spec.type not in JUDGED))
        for case in load_cases(SUITE).cases
    ]
    given = {"allow_tools": ("Write",), "scaffold": True}
    with ScriptedServer(load_rules(STREAMS / "server.yaml")) as server:
        ours = run_natively(server, project, item, cases, **given)
        theirs = run_on_platform(server, project, item, SUITE, tmp_path_factory.mktemp("room"), **given)
    return theirs, ours


def test_every_case_ran_on_both_arms_of_both(runs):
    theirs, ours = runs
    assert theirs.keys() == ours.keys()
    assert len(ours) == 2 * len(load_cases(SUITE).cases) >= 24


def test_the_same_grades(runs):
    def told(record):
        return {
            grade.name: (grade.passed, grade.scored, grade.weight, grade.trigger)
            for grade in record.grades
            if grade.type not in JUDGED
        }

    theirs, ours = runs
    assert {key: told(record) for key, record in ours.items()} == {
        key: told(record) for key, record in theirs.items()
    }


@pytest.mark.skipif(bool(JUDGED), reason="needs the judges' graders")
def test_the_same_scores(runs):
    theirs, ours = runs
    assert {key: record.score for key, record in ours.items()} == {
        key: record.score for key, record in theirs.items()
    }


def test_the_same_trigger_rate(runs):
    def triggers(records):
        return [
            grade.passed
            for key, record in sorted(records.items())
            if record.arm == WITH
            for grade in sorted(record.grades, key=lambda grade: grade.name)
            if grade.trigger
        ]

    theirs, ours = runs
    assert triggers(theirs) == triggers(ours)
    assert set(triggers(ours)) == {True, False}


def test_the_same_cost_of_the_agents(runs):
    theirs, ours = runs
    costs = {key: (record.usage.cost_usd, theirs[key].usage.cost_usd) for key, record in ours.items()}
    finished = {key: pair for key, pair in costs.items() if pair[0] is not None}
    assert len(finished) == len(costs) - 2  # a run that was killed at its time-out reports no cost
    assert all(pair[0] == pytest.approx(pair[1]) for pair in finished.values())
