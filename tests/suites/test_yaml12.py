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
        ("? [x, 1]\n: 1", {"x,1": 1}),
        ("true: a\nnull: b", {"true": "a", "null": "b"}),
        ("!!int word", "word"),
        ("!!float 5", 5),
        ('!!int "5"', "5"),
        ("!x 5", "5"),
        ("!x", None),
        ("!", ""),
        ("9" * 5000, math.inf),
        ("12345678901234567890", 12345678901234567000),
        ("9007199254740993", 9007199254740992),
        ("0x1F_F", "0x1F_F"),
        ("-0o7", -7),
        ("1__0", "1__0"),
        ("a\u2028b\x85c\x01", "a\u2028b\x85c\x01"),
        ('"\x7f"', "\x7f"),
        ("a\x85\x7f\U000f0000\U00100000", "a\x85\x7f\U000f0000\U00100000"),
        ("<<: x", {"<<": "x"}),
        ('"<<": {a: 1}', {"a": 1}),
        ("<<: [{a: 1}, {a: 2, b: 3}]", {"a": 1, "b": 3}),
        ("a: [x,\n y\n]", {"a": ["x", "y"]}),
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
        ("a: {x: y,\nz: w}", 2),
        ('a: "b"# c', 1),
        ("a: |# c\n  b", 1),
        ("a: &x\n  b: *x", 1),
        ("&a [*a]", 1),
        ("a: 1\n---\nb: 2", 2),
        ("a: \0", 1),
        ("[" * 100_000, 1),
    ],
)
def test_bad_yaml_names_its_line(text, line):
    with pytest.raises(YamlError) as caught:
        read_yaml(text)
    assert caught.value.line == line


def test_aliases_that_multiply_past_all_bounds_are_refused():
    rows = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]
    assert len(read_yaml("\n".join(rows[:12])).value) == 12
    with pytest.raises(YamlError, match="more than 1,000,000 values, with what aliases repeat") as caught:
        read_yaml("\n".join(rows))
    assert caught.value.line == 18


@given(st.text(max_size=60))
def test_any_text_is_a_value_or_one_clean_error(text):
    with suppress(YamlError):
        read_yaml(text)
