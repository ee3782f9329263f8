"""`assay show FILE` and `assay gate` on results of other tools."""

from __future__ import annotations

import json

import pytest

from assay.cli import cli
from assay.cli.result_file import result_file
from assay.errors import SuiteError
from assay.foreign import read_result


def run(passed):
    return {
        "score": int(passed),
        "passed": passed,
        "error": None,
        "graders": [{"name": "g", "passed": passed, "weight": 1, "withOnly": False}],
    }


AGGREGATE = {
    "schemaVersion": 1,
    "claudeVersion": "2.1.328",
    "startedAt": "2026-09-12T01:06:04.181Z",
    "costUsd": 0.25,
    "partial": False,
    "suite": {"modelOverride": "haiku", "plugins": [{"name": "probe\x1b[2J"}]},
    "cases": [
        {
            "name": "first",
            "dir": "evals/first",
            "graders": [{"name": "g", "type": "regex", "weight": 1, "config": {}}],
            "arms": {"with": [run(True), run(True)], "without": [run(False), run(True)]},
        }
    ],
}


@pytest.fixture
def aggregate(tmp_path):
    path = tmp_path / "aggregate-result.json"
    path.write_text(json.dumps(AGGREGATE), "utf-8")
    return path


def test_a_platform_result_for_people(aggregate):
    document, text = result_file(aggregate)
    assert document == AGGREGATE
    assert "\x1b" not in text
    lines = text.splitlines()
    assert lines[0].endswith(
        "(aggregate-result, claude-plugin-eval@2.1.328, model haiku, 2026-09-12T01:06:04.181Z)"
    )
    assert lines[3].split() == ["evals/first", "1.00", "×2", "0.50", "×2"]
    assert lines[-1] == "with the item against without: +0.50"


def test_show_needs_no_store_for_a_file(aggregate, capsys):
    assert cli.main(["show", str(aggregate), "--json"], standalone_mode=False) == 0
    assert json.loads(capsys.readouterr().out) == AGGREGATE


def test_our_own_document_is_shown_too(aggregate, tmp_path):
    path = tmp_path / "own.json"
    path.write_text(json.dumps(read_result(aggregate, "probe").to_document()), "utf-8")
    document, text = result_file(path)
    assert document["schema"] == "skill-eval/1"
    assert text.startswith("probe: the model scored higher with it: +0.50")


@pytest.mark.parametrize("value", [{"evals": [{"prompt": "x", "assertions": ["y"]}]}, {"a": 1}, []])
def test_what_is_no_result(tmp_path, value):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(value), "utf-8")
    with pytest.raises(SuiteError, match="not a result"):
        result_file(path)
