"""`JSON.stringify`, as JavaScript writes it."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.graders.javascript import stringify

NUMBERS = {
    "1.0": "1",
    "-0.0": "0",
    "0.1": "0.1",
    "1e-5": "0.00001",
    "1e-7": "1e-7",
    "1.5e-7": "1.5e-7",
    "1e16": "10000000000000000",
    "1e21": "1e+21",
    "1.25e21": "1.25e+21",
    "123456789012345680000": "123456789012345680000",
    "12345678901234567890": "12345678901234567000",
    "9007199254740993": "9007199254740992",
    "-1234.5": "-1234.5",
    "1e400": "null",
}


@pytest.mark.parametrize(("written", "expected"), NUMBERS.items())
def test_numbers(written, expected):
    assert stringify(json.loads(written)) == expected


def test_compact_in_the_order_received_without_ascii_escapes():
    value = {"b": [1, None, True], "a": 'é\n\u2028\x7f"\\/', "c": {}}
    assert stringify(value) == '{"b":[1,null,true],"a":"é\\n\u2028\x7f\\"\\\\/","c":{}}'


def test_keys_that_are_indices_come_first():
    assert stringify({"b": 1, "10": 2, "2": 3, "01": 4}) == '{"2":3,"10":2,"b":1,"01":4}'


def test_lone_surrogates_are_escaped():
    assert stringify("a\ud800") == '"a\\ud800"'


def test_depth_does_not_matter():
    value = []
    for _ in range(700):
        value = [value]
    assert stringify(value) == "[" * 701 + "]" * 701


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda parts: st.lists(parts, max_size=4) | st.dictionaries(st.text(), parts, max_size=4),
)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@settings(max_examples=1, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(json_values, min_size=60, max_size=300))
def test_agrees_with_node(values):
    texts = [json.dumps(value) for value in values]
    script = (
        "const t = JSON.parse(require('fs').readFileSync(0));"
        "process.stdout.write(JSON.stringify(t.map(x => JSON.stringify(JSON.parse(x)))))"
    )
    answer = subprocess.run(
        ["node", "-e", script], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    assert [stringify(json.loads(text)) for text in texts] == json.loads(answer.stdout)
