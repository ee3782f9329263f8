"""No bytes, YAML or JSON make a reader raise anything but its documented error; reading twice gives the same."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import SuiteError
from assay.suites.check import check_suite
from assay.suites.check_json import check_json
from assay.suites.check_path import check_path
from assay.suites.json_file import parse_json
from assay.suites.plugin_eval import load_cases
from assay.suites.recognise import recognise
from assay.suites.results import read_result
from assay.suites.skill_creator import read_evals
from assay.suites.trigger_set import read_trigger_set

tmp = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
GRADER = b"---\ntype: regex\npattern: hello\n---\n"

PIECES = (
    b"---\n", b"---", b"\n", b": ", b"- ", b"{", b"}", b"[", b"]", b"&a ", b"*a", b"|\n", b">-\n  ", b"'", b'"',
    b"type: regex\n", b"pattern: ", b"name: ", b"graders:\n", b"execution:\n  prompt: hi\n", b"max_turns: 3\n",
    b'schema_version: "1.1"\n', b"weight: ", b"<<: ", b"tags: [a]\n", b"target: {source: file, path: x}\n",
    b"\xff\xfe", b"\xef\xbb\xbf", b"\x00", b"\r\n", b"\t", b"\\", b"#", b"!t ", b"%YAML\n", b"9" * 400, b".inf",
    b"(?i)", b"type: llm\n", b"type: tool_used\ntool: Skill\n", b"min: 0\nmax: 0\n", b"((",
    b"type: file_exists\npath: ../x\n", b"type: tool_order\nbefore: a\nafter: {tool: b}\n", b"env: {A: b}\n",
)  # fmt: skip
pieces = st.sampled_from(PIECES)
texts = st.lists(pieces | st.binary(max_size=6), max_size=12).map(b"".join)

WORDS = (
    "evals", "cases", "prompt", "query", "should_trigger", "assertions", "expectations", "type", "value", "id", "name",
    "contains", "regex", "expected_output", "passed", "schemaVersion", "arms", "with", "runs", "result", "graders",
    "run_summary", "with_skill", "pass_rate", "mean", "metadata", "skills", "results", "pass", "fail", "score", "(",
)  # fmt: skip
words = st.sampled_from(WORDS)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | words | st.text(max_size=5),
    lambda parts: (
        st.lists(parts, max_size=3) | st.dictionaries(words | st.text(max_size=3), parts, max_size=4)
    ),
    max_leaves=25,
)


def lay(root: Path, prompt: bytes, grader: bytes, case: bytes | None) -> None:
    (root / "c" / "graders").mkdir(parents=True, exist_ok=True)
    (root / "c" / "prompt.md").write_bytes(prompt)
    (root / "c" / "graders" / "g.md").write_bytes(grader)
    (root / "c" / "case.yaml").unlink(missing_ok=True)
    if case is not None:
        (root / "c" / "case.yaml").write_bytes(case)


@tmp
@given(prompt=texts, grader=texts | st.just(GRADER), case=st.none() | texts)
def test_any_bytes_are_a_case_or_a_refusal(tmp_path, prompt, grader, case):
    lay(tmp_path, prompt, grader, case)
    loaded = load_cases(tmp_path, shown="")
    assert len(loaded.cases) + len(loaded.refused) == 1
    assert all(problem.message and problem.path.startswith("c/") for problem in loaded.problems)
    assert load_cases(tmp_path, shown="") == loaded
    found = check_suite(tmp_path, shown="")
    assert bool(loaded.refused) == any(one.code in ("LOAD", "L12", "L20") for one in found)


@tmp
@given(data=texts | st.binary(max_size=40))
@pytest.mark.parametrize("read", [read_evals, read_trigger_set, read_result])
def test_any_bytes_are_a_value_or_a_suite_error(tmp_path, read, data):
    path = tmp_path / "x.json"
    path.write_bytes(data)
    with suppress(SuiteError):
        read(path)
    assert isinstance(check_json(path), list)


@tmp
@given(value=values)
def test_any_json_is_read_or_refused(tmp_path, value):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(value), "utf-8")
    for read in (read_evals, read_trigger_set, read_result):
        first = refusal = None
        try:
            first = read(path, shown="x.json")
        except SuiteError as error:
            refusal = str(error)
            assert refusal
        try:
            assert read(path, shown="x.json") == first
        except SuiteError as error:
            assert str(error) == refusal  # noqa: PT017 - the second refusal has to be the first
    assert all(str(one) for one in check_json(path, "x.json"))


@given(values)
def test_whatever_is_recognised_has_items_or_a_reason(value):
    found = recognise(value)
    assert found.reason if found.kind == "unrecognised" else not found.reason
    assert bool(found.items) == (found.kind in ("evals", "triggers"))


@given(st.binary(max_size=60))
def test_json_bytes(data):
    with suppress(SuiteError):
        parse_json(data, "x.json")
    with suppress(SuiteError):
        parse_json(data, "x.jsonl", lines=True)


@pytest.mark.slow
def test_ten_thousand_cases(tmp_path):
    for number in range(10_000):
        folder = tmp_path / f"g{number % 100}" / f"c{number}" / "graders"
        folder.mkdir(parents=True)
        (folder / "g.md").write_bytes(GRADER)
        (folder.parent / "prompt.md").write_bytes(b"hi")
    loaded = load_cases(tmp_path)
    assert (len(loaded.cases), loaded.problems) == (10_000, ())
    assert check_suite(tmp_path) == []


STALLS = {
    "blank lines after an opening": "---" + "\n" * 300_000,
    "openings without end": "---\n" + "--\n" * 300_000,
    "spaces in a heading": "---\nid: G-001\n---\n##" + " " * 20_000 + "x" + " " * 20_000 + "y",
    "a fence in an item": "---\nid: G-001\n---\n## Expected\n- a\n  ```\n" + "  x\n" * 50_000,
    "blank lines in an item": "---\nid: G-001\n---\n## Expected\n- a" + "\n" * 300_000 + "x",
}


@pytest.mark.parametrize("text", STALLS.values(), ids=STALLS)
def test_texts_made_to_stall_a_reader_do_not(tmp_path, text):
    """Each took minutes and more with patterns that try again from every place."""
    for name in ("a/prompt.md", "a/graders/g.md", "golden/G-001.md"):
        (tmp_path / "evals" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "evals" / name).write_text(text, "utf-8")
    assert check_path(tmp_path).findings
