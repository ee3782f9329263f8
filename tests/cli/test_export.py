"""`assay export`, on the command line."""

from __future__ import annotations

import json

import pytest

from assay.cli import cli
from assay.errors import UsageError
from assay.suites import load_suite


def export(*arguments):
    return cli.main(["export", *map(str, arguments)], standalone_mode=False)


@pytest.fixture
def suite(tmp_path):
    files = {
        "s/a/case.yaml": 'schema_version: "1.1"\nname: a\ncontext: {scaffold_script: s.sh}\n',
        "s/a/prompt.md": "Say hi",
        "s/a/s.sh": "echo hi\n",
        "s/a/graders/g.md": "---\ntype: regex\npattern: hi\n---\n",
        "evals.json": '[{"id": 1, "prompt": "x", "assertions": ["a", {"type": "contains", "value": "b"}]}]',
        "evals/commits/G-001-a.md": "---\nid: G-001\ntarget: skill:x\ngrader: rubric\n---\n\n## Input\n\nhi\n\n"
        "## Expected\n\n- It greets\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_a_folder_with_its_files(suite):
    assert export(suite / "s", "--to", "plugin-eval", "--out", suite / "out") == 0
    assert (suite / "out/a/s.sh").read_text() == "echo hi\n"
    assert load_suite(suite / "out", name="s").digest == load_suite(suite / "s", name="s").digest
    assert sorted(path.name for path in suite.iterdir()) == ["evals", "evals.json", "out", "s"]


def test_evals_become_a_folder(suite, capsys):
    assert export(suite / "evals.json", "--to", "plugin-eval", "--out", suite / "out") == 0
    assert [spec.type for spec in load_suite(suite / "out", name="s").cases[0].graders] == ["llm", "regex"]
    assert "adapted: 1: grader 'a' of type rubric is written as llm" in capsys.readouterr().err


@pytest.mark.parametrize("source", ["evals", "evals/commits"])
def test_golden_tasks_become_evals(suite, source, capsys):
    assert export(suite / source, "--to", "skill-creator", "--out", suite / "out.json") == 0
    document = json.loads((suite / "out.json").read_text("utf-8"))
    assert document["evals"][0]["expectations"] == ["It greets"]


def test_nothing_is_overwritten(suite):
    with pytest.raises(UsageError, match="is there already"):
        export(suite / "s", "--to", "plugin-eval", "--out", suite / "s")


def test_a_result_from_a_file(suite):
    trials = {"with": [[1, 1]], "without": [[0, 1]]}
    case = {"name": "a", "with": 1, "without": 0, "delta": 1, "verdict": "improved", "trigger_rate": None}
    document = {
        "schema": "skill-eval/1", "item": "x", "with": 1, "without": 0, "delta": 1, "verdict": "improved",
        "trigger_rate": None, "cost_usd": 0, "max_cost_usd": 2, "partial": False, "partial_reason": None,
        "curtailed": False, "model": "m", "model_reported": None, "judge_model": None,
        "run": "eval-x-20261130T120000Z", "date": "2026-11-30", "cases": [{**case, "trials": trials}],
    }  # fmt: skip
    (suite / "r.json").write_text(json.dumps(document), "utf-8")
    assert export(suite / "r.json", "--to", "benchmark", "--out", suite / "b.json") == 0
    assert json.loads((suite / "b.json").read_text("utf-8"))["run_summary"]["delta"]["pass_rate"] == "+1.00"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere", "--to", "plugin-eval"), "does not exist"),
        (("nowhere", "--to", "benchmark"), "no file is called 'nowhere'"),
    ],
)
def test_what_is_not_there(suite, monkeypatch, arguments, words):
    monkeypatch.chdir(suite)
    with pytest.raises(UsageError, match=words):
        export(*arguments, "--out", "out")
