import json

import pytest
from inline_snapshot import snapshot

from assay.errors import SuiteError
from assay.suites.triggers import load_triggers


def write(tmp_path, value):
    text = value if isinstance(value, str) else json.dumps(value, indent=1)
    (tmp_path / "triggers.json").write_text(text, "utf-8")
    return tmp_path


def test_no_file_is_no_trigger(tmp_path):
    assert load_triggers(tmp_path) == {}


def test_cases_by_skill(tmp_path):
    cases = [
        {"query": "commit this", "should_trigger": True},
        {"query": "bake", "should_trigger": False, "note": "food"},
    ]
    found = load_triggers(write(tmp_path, {"description": "d", "skills": {"commit": {"cases": cases}}}))
    assert [(c.query, c.should_trigger, c.skill, c.note) for c in found["commit"]] == [
        ("commit this", True, "commit", None),
        ("bake", False, "commit", "food"),
    ]


def test_all_problems_at_once(tmp_path):
    value = {
        "skils": 1,
        "skills": {
            "a": {"cases": [{"query": "x", "should_trigger": True}]},
            "b": {
                "cases": [{"query": "", "should_trigger": False}, {"query": "x", "should_trigger": "no"}, 3]
            },
            "c": {},
            "d": {"cases": [{"query": "x", "should_trigger": False, "reason": "r", "note": 1}]},
            "e": {"cases": []},
        },
    }
    with pytest.raises(SuiteError) as caught:
        load_triggers(write(tmp_path, value))
    assert [str(problem).partition("/")[2] for problem in caught.value.problems] == snapshot(
        [
            "triggers.json:2: unknown key 'skils'; did you mean 'skills'? The keys are description, skills",
            "triggers.json:4: 'a' needs at least one case with `should_trigger: false`",
            "triggers.json:15: `query` is a text",
            "triggers.json:20: `should_trigger` is true or false, not 'no'",
            "triggers.json:22: a case is an object with `query` and `should_trigger`",
            "triggers.json:25: 'c' needs a list of `cases`",
            "triggers.json:31: unknown key 'reason'. The keys are query, should_trigger, note",
            "triggers.json:32: `note` is a text",
            "triggers.json:36: 'e' needs at least one case with `should_trigger: false`",
        ]
    )


@pytest.mark.parametrize("text", ["", "[]", "{", '{"skills": []}'])
def test_what_is_no_triggers_file_is_refused(tmp_path, text):
    with pytest.raises(SuiteError):
        load_triggers(write(tmp_path, text))
