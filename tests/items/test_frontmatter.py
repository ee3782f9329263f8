"""The head of a SKILL.md is read as clients do: unknown keys pass, what breaks it has a line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.items.frontmatter import read_head

GOOD = "---\nname: commit\ndescription: Writes.\n---\nBody.\n"


@pytest.mark.parametrize(
    "text", [GOOD, "\ufeff" + GOOD, GOOD.replace("\n", "\r\n"), GOOD.replace("---\n", "--- \n")]
)
def test_bom_crlf_and_spaces_change_nothing(text: str) -> None:
    head = read_head(text, "SKILL.md")
    assert (head.name, head.description, head.unloadable, head.advice) == ("commit", "Writes.", None, ())


def test_unknown_keys_never_fail() -> None:
    text = GOOD.replace("---\nBody", "context: fork\nmetadata:\n  a: 1\nallowed-tools: [Read]\n---\nBody")
    assert read_head(text, "SKILL.md").unloadable is None


def test_a_yaml_word_is_still_a_name() -> None:
    assert read_head("---\nname: no\ndescription: 1.50\n---\n", "SKILL.md").name == "no"
    assert read_head("---\nname: no\ndescription: 1.50\n---\n", "SKILL.md").description == "1.50"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "SKILL.md:1: no frontmatter"),
        ("\n" + GOOD, "SKILL.md:1: no frontmatter"),
        ("---\nname: a\n", "SKILL.md:1: the frontmatter is not closed"),
        ("---\nname: a\ndescription: b: c\n---\n", "SKILL.md:3: the frontmatter is not YAML"),
        ("---\n- a\n---\n", "SKILL.md:2: the frontmatter is not a mapping"),
        ("---\n---\n", "SKILL.md:2: the frontmatter is not a mapping"),
        ("---\ndescription: d\n---\n", "SKILL.md:1: `name` is missing"),
        ("---\nname: a\ndescription:\n---\n", "SKILL.md:3: `description` is empty or not a text"),
        ("---\nname: a\ndescription: [b]\n---\n", "SKILL.md:3: `description` is empty or not a text"),
    ],
)
def test_what_would_not_load_says_where_and_why(text: str, told: str) -> None:
    assert str(read_head(text, "SKILL.md").unloadable).startswith(told)


@pytest.mark.parametrize(
    ("name", "is_good"),
    [
        *[("a", True), ("a-b2", True), ("größe", True), ("a" * 64, True)],
        *[("A", False), ("a--b", False), ("-a", False), ("a" * 65, False), ("a_b", False)],
    ],
)
def test_names_against_the_standard_are_advice(name: str, is_good: bool) -> None:
    head = read_head(f"---\nname: {name}\ndescription: d\n---\n", "SKILL.md")
    assert head.unloadable is None
    assert (head.advice == ()) is is_good


def test_a_long_description_is_advice_with_its_line() -> None:
    head = read_head(f"---\nname: a\ndescription: {'x' * 1025}\n---\n", "SKILL.md")
    assert [str(problem) for problem in head.advice] == [
        "SKILL.md:3: the description has 1025 characters; the standard allows 1024"
    ]


@given(st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    head = read_head(f"---\n{text}\n---\n", "SKILL.md")
    assert head.unloadable is not None or (head.name and head.description)
