"""JavaScript regular expressions answer as `new RegExp` does, and stop."""

from __future__ import annotations

from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.graders import js_regex

_spec = spec_from_file_location("js_regex_probes", Path(__file__).parent / "js_regex_probes.py")
probes = module_from_spec(_spec)
_spec.loader.exec_module(probes)


@pytest.mark.parametrize(("pattern", "flags", "text", "expected"), probes.PROBES)
def test_answers_as_javascript_does(pattern, flags, text, expected):
    if expected is None:
        with pytest.raises(js_regex.InvalidPattern):
            js_regex.compile(pattern, flags)
        with pytest.raises(js_regex.InvalidPattern):
            js_regex.check(pattern, flags)
    else:
        regex = js_regex.compile(pattern, flags)
        js_regex.check(pattern, flags)
        assert regex.count(text) == expected
        if "y" not in flags:
            assert regex.test(text) == (expected > 0)


@pytest.mark.parametrize(("pattern", "text"), probes.RUNAWAYS)
def test_a_runaway_ends(pattern, text):
    regex = js_regex.compile(pattern, timeout_s=0.05)
    for ask in (regex.test, regex.count):
        with suppress(js_regex.MatchTimeout):
            assert not ask(text)


def test_a_backreference_that_blows_up_is_stopped_and_says_so():
    with pytest.raises(js_regex.MatchTimeout, match=r"took more than 0\.05 s on 201 characters"):
        js_regex.compile(r"^(?:(a)|\1a)*\1b$", timeout_s=0.05).test("a" * 200 + "c")


def test_a_count_of_many_slow_matches_ends_as_one_match_does():
    slow = js_regex.compile("(a+)+b|c", "", 0.2)
    with pytest.raises(js_regex.MatchTimeout, match="took more than"):
        slow.count(("a" * 22 + "c") * 100_000)


def test_the_reason_of_a_refusal_names_the_place():
    with pytest.raises(js_regex.InvalidPattern, match=r"^range out of order in character class at offset 4$"):
        js_regex.compile("[b-a]")


@given(st.text(), st.text(alphabet="dgimsuvyx", max_size=3), st.text())
def test_no_pattern_raises_anything_else(pattern, flags, text):
    with suppress(js_regex.InvalidPattern):
        assert js_regex.compile(pattern, flags, timeout_s=0.5).count(text) >= 0
