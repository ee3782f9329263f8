import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.suites.yaml12 import YamlError, read_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("off", "off"),
        ("TRUE", True),
        ("~", None),
        ("", None),
        ("012", 12),
        ("0o14", 12),
        ("0x1F", 31),
        ("+5", 5),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("2026-11-30", "2026-11-30"),
        ("1e5", 1e5),
        (".5", 0.5),
        ("1.", 1.0),
        (".inf", math.inf),
        ("!weird word", "word"),
        ("!!binary aGk=", "aGk="),
        ("key:\tvalue", {"key": "value"}),
        ("1: a", {"1": "a"}),
        ("0x1F: a", {"31": "a"}),
        ("{a: 1, b: [x, 2]}", {"a": 1, "b": ["x", 2]}),
    ],
)
def test_scalars_are_read_as_yaml_1_2(text, value):
    assert read_yaml(text).value == value


def test_merge_keys_are_followed_and_own_keys_win():
    text = "base: &b {x: 1, y: 2}\nit:\n  <<: *b\n  y: 3\n"
    assert read_yaml(text).value["it"] == {"x": 1, "y": 3}


def test_the_last_of_two_equal_keys_counts_and_is_told():
    document = read_yaml("a: 1\nb: 2\na: 3\n", first_line=10)
    assert document.value == {"a": 3, "b": 2}
    assert document.duplicates == ((("a",), 12),)


def test_lines_are_those_of_the_file():
    document = read_yaml("a: 1\nb:\n  - x\n  - c: 2\n", first_line=2)
    assert document.line("b") == 3
    assert document.line("b", 1, "c") == 5
    assert document.line("b", 1, "missing") == 5


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: [1\nb: 2", 2),
        ("a: 1\n\tb: 2", 2),
        ("a: 1\n b: 2", 2),
        ("? [x]\n: 1", 1),
        ("&a [*a]", 1),
        ("a: 1\n---\nb: 2", 2),
        ("a: \0", 1),
        ("[" * 100_000, 1),
        ("a: 1\nb: " + "9" * 5000, 2),
        ("!!int word", 1),
        ("!!float word", 1),
    ],
)
def test_bad_yaml_names_its_line(text, line):
    with pytest.raises(YamlError) as caught:
        read_yaml(text)
    assert caught.value.line == line


def test_aliases_do_not_multiply_the_work():
    rows = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]
    assert len(read_yaml("\n".join(rows)).value) == 60


@given(st.text(max_size=60))
def test_any_text_is_a_value_or_one_clean_error(text):
    with suppress(YamlError):
        read_yaml(text)
