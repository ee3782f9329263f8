"""Trial of the readers on suites that people published. They are not part of this repository.

Runs where `shared/data/public-suites` lies beside the checkout; skipped, and said, elsewhere.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from assay.errors import SuiteError
from assay.suites.cases_document import cases_document
from assay.suites.check_path import check_path
from assay.suites.json_file import read_json
from assay.suites.plugin_eval import load_cases
from assay.suites.recognise import recognise
from assay.suites.results import read_result
from assay.suites.skill_creator import read_evals
from assay.suites.trigger_set import read_trigger_set

SUITES = Path(__file__).parents[2].parent / "shared" / "data" / "public-suites"
if not SUITES.is_dir():
    SUITES = Path(__file__).parents[3].parent / "shared" / "data" / "public-suites"
if not SUITES.is_dir():
    pytest.skip("the public suites are not beside this checkout", allow_module_level=True)

ROWS = list(csv.DictReader((SUITES / "_shapes.tsv").read_text("utf-8").splitlines(), delimiter="\t"))
SHAPES = {row["file"]: row for row in ROWS}
ORACLES = sorted(path.stem for path in (SUITES / "_oracle").glob("*.json"))
REFUSED = {
    "answer-key.json": "its keys are",
    "app_config.json": "its keys are",
    "meta.json": "its keys are",
    "names-the-chain.json": "samples",
    "snapshots/results.json": "the answers of a run without grades",
}


@pytest.mark.parametrize("file", SHAPES)
def test_every_file_is_read_or_refused_with_a_reason(file):
    path, shape = SUITES / file, SHAPES[file]
    kind = recognise(read_json(path).value).kind
    if kind == "evals":
        assert_evals(path, shape)
    elif kind == "triggers":
        assert_triggers(path, shape)
    elif kind in ("unrecognised", "samples"):
        reason = next(reason for end, reason in REFUSED.items() if file.endswith(end))
        with pytest.raises(SuiteError, match=reason):
            read_result(path)
    else:
        found = read_result(path)
        assert found.cases
        assert any(found.score(arm) is not None for arm in found.arms)


def assert_evals(path, shape):
    found = read_evals(path)
    assert len(found.cases) == int(shape["items"])
    assert found.checks == int(shape["checks"])
    assert Counter(case.should_trigger for case in found.triggers) == labels(shape)
    written = sum(len(case.graders) for case in found.cases)
    assert written + len(found.lost) >= found.checks


def assert_triggers(path, shape):
    found = read_trigger_set(path)
    assert len(found.cases) == int(shape["items"])
    assert found.lost == ()
    if shape["should_trigger"]:
        assert Counter(case.should_trigger for case in found.cases) == labels(shape)


def labels(shape) -> Counter:
    """How many items should fire: a skill's name means yes, None no."""
    counted = Counter()
    for label in filter(None, shape["should_trigger"].split(", ")):
        value, _, count = label.rpartition(":")
        counted[value not in ("False", "None")] += int(count)
    return counted


@pytest.mark.parametrize("file", SHAPES)
def test_check_has_an_answer_for_every_file(file):
    found = check_path(SUITES / file).findings
    assert all(one.message and (one.mend or one.code in ("LOAD", "J01", "J02")) for one in found)
    kind = recognise(read_json(SUITES / file).value).kind
    if kind in ("evals", "triggers"):
        assert [one for one in found if one.severity == "error"] == []


TOLD = {
    "_unattributed": {
        ("L04", "evals/no-destroy/graders/id67156522566-criteria-shadows-body.md", 3),
        ("L06", "evals/no-destroy/graders/id69609507363-max0-no-min.md", None),
    },
    "febradc-github__yolo-dag": {
        ("L03", "evals/integration-conflict/graders/criteria.md", 1),
        ("L05", "evals/integration-conflict/case.yaml", 5),
        ("L05", "evals/integration-conflict/case.yaml", 6),
        ("L05", "evals/integration-conflict/case.yaml", 7),
        ("LOAD", "evals/integration-conflict/case.yaml", 1),
        ("LOAD", "evals/integration-conflict/case.yaml", None),
    },
    "coderabbitai__skills": {("L08", "evals/routing-ready-for-pr/case.yaml", None)},
    "IniZio__groundwork": {("L05", "evals/spec-comprehension/stop-gate/case-01-pacing-budget/case.yaml", 5)},
    "jimador__brigade": {("L14", "evals/packet-is-model-neutral/graders/no-long-step.md", None)},
}


@pytest.mark.parametrize("suite", TOLD)
def test_check_tells_what_is_wrong_with_a_suite(suite):
    found = {(one.code, one.path, one.line) for one in check_path(SUITES / suite).findings}
    assert TOLD[suite] <= found


@pytest.mark.parametrize("suite", ORACLES)
def test_plugin_eval_suites_are_read_as_the_platform_reads_them(suite):
    theirs = json.loads((SUITES / "_oracle" / f"{suite}.json").read_text("utf-8"))
    ours = cases_document(load_cases(SUITES / suite, only_under="evals", shown=""))
    keys = ("name", "source", "promptMarkdown", "runsPerCase", "timeoutSeconds", "maxTurns", "graders")

    def by_dir(cases):
        return {case["dir"].rpartition("evals/")[2]: {key: case[key] for key in keys} for case in cases}

    assert by_dir(ours["cases"]) == by_dir(theirs["cases"])
