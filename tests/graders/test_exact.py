import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from assay.graders import Bench, build
from assay.model import GraderSpec, Transcript


def grade(expected: str, output: str):
    return build(GraderSpec("exact", "exact", config={"expected": expected}), Bench()).grade(
        Transcript(output)
    )


@pytest.mark.parametrize(
    ("expected", "output"),
    [
        ("a\nb", "a  \r\nb\n\n"),
        ('{"a": 1, "b": [2]}', '{"b":[2.0],"a":1}'),
        ("1", "1.0"),
        ("1e2", " 100\n"),
    ],
)
def test_the_same_value_written_otherwise_passes(expected, output):
    assert grade(expected, output).passed is True


@pytest.mark.parametrize(
    ("expected", "output"),
    [
        ("a", "A"),
        ("a", " a"),
        ("a b", "a  b"),
        ("1", "true"),
        ("[1, 2]", "[2, 1]"),
        ('{"a": null}', "{}"),
        ("{}", "```json\n{}\n```"),
        ("yes", ""),
    ],
)
def test_another_value_fails(expected, output):
    assert grade(expected, output).passed is False


def test_a_failure_says_where_the_texts_part():
    told = [
        grade("one\ntwo\nthree", "one\ntwo!\nthree").explanation,
        grade("one", "one two").explanation,
        grade("one", "").explanation,
    ]
    assert told == snapshot(
        [
            "line 2: expected 'two', found 'two!'",
            "line 1: expected 'one', found 'one two'",
            "the output is empty",
        ]
    )


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda v: st.lists(v) | st.dictionaries(st.text(), v),
    )
)
def test_json_is_equal_however_it_is_written(value):
    import json

    assert grade(json.dumps(value, indent=3), json.dumps(value, ensure_ascii=True, sort_keys=True)).passed
