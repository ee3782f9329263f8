"""Trigger sets in all their shapes."""

from __future__ import annotations

import json

import pytest

from assay.errors import SuiteError
from assay.suites.trigger_set import read_trigger_set


def read(tmp_path, value):
    path = tmp_path / "trigger_eval.json"
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1), "utf-8")
    return read_trigger_set(path, shown="t.json")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([{"query": "q", "should_trigger": True}], ("q", True, None, None)),
        ([{"query": "q", "should_trigger": False, "note": "near miss"}], ("q", False, None, "near miss")),
        ([{"query": "q", "should_trigger": "peer-review", "why": "w"}], ("q", True, "peer-review", "w")),
        ([{"query": "q", "should_trigger": None}], ("q", False, None, None)),
        ([{"query": "q", "should_trigger": "none"}], ("q", False, None, None)),
        ([{"query": "q", "should_trigger": "true"}], ("q", True, None, None)),
        (
            {
                "about": "x",
                "evals": [{"query": "q", "should_trigger": True, "expect_skill": "ask", "why": "w"}],
            },
            ("q", True, "ask", "w"),
        ),
        (
            {"version": 1, "cases": [{"query": "q", "should_trigger": True, "target": "scan"}]},
            ("q", True, "scan", None),
        ),
        ({"cases": [{"prompt": "q", "expect": "map", "route": "not x"}]}, ("q", True, "map", "not x")),
        ({"cases": [{"prompt": "q", "expect": None}]}, ("q", False, None, None)),
        (
            {"skills": {"commit": {"cases": [{"query": "q", "should_trigger": False, "note": "n"}]}}},
            ("q", False, "commit", "n"),
        ),
    ],
)
def test_shapes(tmp_path, value, expected):
    [case] = read(tmp_path, value).cases
    assert (case.query, case.should_trigger, case.skill, case.note) == expected


def test_a_label_that_cannot_be_read_is_said_and_the_rest_kept(tmp_path):
    items = [
        {"query": "a", "should_trigger": 1},
        {"query": "b", "should_trigger": True},
        {"should_trigger": True},
    ]
    found = read(tmp_path, items)
    assert [case.query for case in found.cases] == ["b"]
    assert [str(problem) for problem in found.lost] == [
        "t.json:4: should_trigger has to be true, false, the name of a skill, or null",
        "t.json:10: the item has no query",
    ]


@pytest.mark.parametrize("value", [[], {}, [{"prompt": "x", "assertions": ["y"]}], {"skills": {"a": 5}}])
def test_what_is_no_set_is_refused(tmp_path, value):
    with pytest.raises(SuiteError, match="not a trigger set"):
        read(tmp_path, value)
