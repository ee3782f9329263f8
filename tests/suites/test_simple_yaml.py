"""The fast reader of simple frontmatter says what YAML proper says, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.suites import yaml12
from assay.suites.simple_yaml import read_simple

PIECES = (
    "a", "name", "true", "null", "~", "12", "012", "1.5", "0x1f", "x y", "a-b", "a--b", "- a", "a: b", "a #b", "#", "[a]",
    "[a, b]", "[a,b]", "[a, 1]", "[]", "[yes, null]", "{a: b}", '"q"', '"a b: #"', '"\\n"', "'q'", "'it''s'", "'", '"',
    "|", ">", "&a", "*a", "!t", "%", "@", "é", "\t", " ", "", "a ", ", ", "a,b", "a, b", "(x)", "a/b.c", "No", "1e3", "-",
)  # fmt: skip
keys = st.sampled_from(["a", "bc", "x_y", "null", "true", "A", "1", "a b", "<<", "'q'", ""])
lines = st.builds(
    lambda key, colon, parts, end: f"{key}{colon}{''.join(parts)}{end}",
    keys,
    st.sampled_from([": ", ":", ":  ", " : "]),
    st.lists(st.sampled_from(PIECES), max_size=3),
    st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n", "\n ", ""]),
)


def proper(text, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(yaml12, "read_simple", lambda text: None)
        return yaml12.read_yaml(text, 3)


@given(st.lists(lines, max_size=4).map("".join))
def test_it_agrees_with_yaml_or_leaves_it(text):
    found = read_simple(text)
    if found is not None:
        with pytest.MonkeyPatch.context() as patch:
            document = proper(text, patch)
        assert repr(found) == repr(document.value)
        assert document.duplicates == ()
        simple = yaml12.read_yaml(text, 3)
        assert {key: simple.line(key) for key in found} == {key: document.line(key) for key in found}
        assert (simple.line(), simple.line("none")) == (document.line(), document.line("none"))


def test_it_takes_what_frontmatter_mostly_is():
    text = "type: regex\npattern: 'a #b'\nflags: \"i\"\n\nweight: 2\ntags: [smoke, a-b]\ndescription: A case, of x (y)\r\n"
    assert read_simple(text) == {
        "type": "regex",
        "pattern": "a #b",
        "flags": "i",
        "weight": 2,
        "tags": ["smoke", "a-b"],
        "description": "A case, of x (y)",
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "a: b\n c\n",
        "a: b\na: c\n",
        "a: |\n  b\n",
        "a: b #c\n",
        "a: b: c\n",
        "a:\n- b\n",
        "a: b\n---\n",
    ],
)
def test_it_leaves_the_rest(text):
    assert read_simple(text) is None
