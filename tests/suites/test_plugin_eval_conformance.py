"""Parity with the platform's loader, on the recorded probes and, where the CLI is installed, asked live.

`set1` and `set2` are folders with the answers of Claude Code 2.1.328; `more.json` holds three further sets,
asked of the same version, as texts (their names would not survive every file system's checkout).
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from assay.suites.cases_document import cases_document
from assay.suites.plugin_eval import load_cases

PROBES = Path(__file__).parent.parent / "fixtures" / "plugin_eval_probes"
KEYS = ("name", "dir", "source", "promptMarkdown", "runsPerCase", "timeoutSeconds", "maxTurns", "graders")

READ_OTHERWISE = {
    "evals/y099": "a plain text that begins with a comma: libyaml refuses it",
    "evals/z018": "`! 5`, the non-specific tag",
    "evals/z067": "a flow mapping with an empty key",
    "evals/z069": "an anchor that holds itself",
    "evals/z105": "surrogate escapes in double quotes, outside of JSON",
    "evals/z134": "a block whose text begins with a tab",
    "evals/z136": "a block whose text begins with a tab",
    "evals/z150": "a comment right behind an opening bracket",
    "evals/z156": "`[-]`",
    "evals/z161": "`[:a]`",
    "evals/z162": "`[a:]`",
}
"""Corners of YAML where libyaml and the platform's reader differ, each found by asking both."""


def refused_by(stderr: str) -> set[str]:
    lines = [line for line in stderr.splitlines() if line.startswith("✗ ")]
    return {line.removeprefix("✗ ").partition(": ")[0].removesuffix("/case.yaml") for line in lines}


def document(root: Path):
    return cases_document(load_cases(root, only_under="evals", shown=""))


def assert_same(ours, cases, refused):
    expected = {case["dir"]: {key: case[key] for key in KEYS} for case in cases}
    got = {case["dir"]: {key: case[key] for key in KEYS} for case in ours["cases"]}
    assert {
        error["dir"] for error in ours["errors"]
    } - READ_OTHERWISE.keys() == refused - READ_OTHERWISE.keys()
    differ = {name for name in expected.keys() | got.keys() if got.get(name) != expected.get(name)}
    assert differ - READ_OTHERWISE.keys() == set()
    assert [case["dir"] for case in ours["cases"] if case["dir"] in expected] == [
        case["dir"] for case in cases if case["dir"] in got
    ]


@pytest.mark.parametrize("probes", ["set1", "set2"])
def test_recorded_probes(probes, tmp_path):
    answer = json.loads((PROBES / f"{probes}.expected.json").read_text("utf-8"))
    refused = refused_by((PROBES / f"{probes}.expected.stderr.txt").read_text("utf-8"))
    # The prompt of 1 MiB is not kept as a file.
    ours = document(PROBES / probes)
    assert_same(ours, answer["cases"], refused - {"evals/a32-big"})
    assert all(error["message"] and error["file"].startswith(error["dir"]) for error in ours["errors"])


@pytest.mark.parametrize("probes", ["set3", "set4", "set5"])
def test_further_probes(probes, tmp_path):
    answer = json.loads((PROBES / "more.json").read_text("utf-8"))[probes]
    for name, content in answer["files"].items():
        data = base64.b64decode(content["base64"]) if isinstance(content, dict) else content.encode("utf-8")
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    assert_same(document(tmp_path), answer["cases"], set(answer["refused"]))
