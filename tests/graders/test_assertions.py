import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from assay.graders import Bench, build
from assay.graders.assertion_grammar import NotAnAssertion, parse
from assay.graders.assertion_phrases import EXAMPLES
from assay.model import FileMade, GraderSpec, ToolCall, Transcript

DOCS = Path(__file__).parents[2] / "docs" / "assertions.md"
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def grade(text: str, transcript: Transcript):
    config = parse(text)
    if config["form"] == "schema":
        config["schema"] = SCHEMA
    return build(GraderSpec("check", "assert", config=config), Bench()).grade(transcript)


def passes(text: str, output: str = "", **left) -> bool | None:
    return grade(text, Transcript(output, **left)).passed


def rows():
    for line in DOCS.read_text("utf-8").splitlines():
        cells = re.findall(r"`([^`]+)`", line)
        if line.startswith("| `") and len(cells) == 3 and line.count("|") == 4:
            yield pytest.param(*cells, id=cells[0])


@pytest.mark.parametrize(("assertion", "good", "bad"), list(rows()))
def test_every_documented_row(assertion, good, bad):
    good, bad = (text.replace("\\n", "\n") for text in (good, bad))
    assert passes(assertion, good) is True
    assert passes(assertion, bad) is False


def test_the_documented_table_is_read_whole():
    assert len(list(rows())) == DOCS.read_text("utf-8").count("\n| `") - 8


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_that_errors_show_are_assertions(example):
    assert parse(example)["form"]


FILES = (FileMade("out/a.md", 5, "d", "text x"), FileMade("b.bin", 5, "d", None, "binary"))
CALLS = (
    ToolCall("Read", {"path": "a"}),
    ToolCall("Bash", {"command": "git commit -m x"}, parent="t1"),
    ToolCall("Bash", {"command": "ls"}),
)


@pytest.mark.parametrize(
    ("assertion", "passed"),
    [
        ("file: out/*.md", True),
        ("file `out/*.md` exists", True),
        ("creates the file `out/a.md`", True),
        ("file: *.md", False),
        ("file `**/*.md` exists", True),
        ("no_file: *.tmp", True),
        ("file `out/a.md` does not exist", False),
        ("file `*.tmp` must not exist", True),
        ('file `out/a.md` contains "x"', True),
        ('file `out/a.md` must not contain "x"', False),
        ("file out/a.md is at most 2 words", True),
        ("file `out/a.md` is not valid JSON", True),
        ('file `gone.md` contains "x"', False),
        ('file `gone.md` must not contain "x"', False),
        ('file `b.bin` contains "x"', False),
        ("tool: Read", True),
        ("tool `Read` used", True),
        ("uses the tool `Read`", True),
        ("must use the tool Grep", False),
        ("no_tool: Grep", True),
        ("no_tool: Bash", False),
        ("tool `Bash` not used", False),
        ("tool `Grep` must not be used", True),
        ("does not use the tool `Grep`", True),
        ("tool `Bash` used at most 2 times", True),
        ("tool Bash used once", False),
        ("tool Bash used twice", True),
        ("tool: Bash used with /git commit/", True),
        ("tool `Bash` used with /rm -rf/", False),
        ("tool `Read` used before tool `Bash`", True),
        ("tool `Bash` used before `Read`", False),
        ("tool `Bash` used before tool `Edit`", False),
    ],
)
def test_files_and_tools(assertion, passed):
    assert passes(assertion, "done", files=FILES, tool_calls=CALLS) is passed


@pytest.mark.parametrize(
    "text",
    [
        "- ",
        "is lovely",
        "weight: 3",
        "contains:",
        "must contain fix",
        "contain the gist",
        "words: many",
        "json: maybe",
        "matches /(/",
        "number: lots",
        "json_path: $.a.[",
        "JSON path $.a rhymes with b",
        "tool:",
        "at most words",
        "",
    ],
)
def test_what_is_no_assertion_is_refused(text):
    with pytest.raises(NotAnAssertion):
        parse(text)


def test_a_refusal_names_the_nearest_forms():
    with pytest.raises(NotAnAssertion) as caught:
        parse("should containing `x`")
    assert str(caught.value) == snapshot(
        'cannot read the assertion \'should containing `x`\'; the nearest forms are: must contain "x"; file `out.md` contains "x"; must not contain "x" (all of them: docs/assertions.md)'
    )


def test_a_failure_says_what_was_found():
    told = [
        grade('contains "x" and "y"', Transcript("x")).explanation,
        grade("at most 2 words", Transcript("one two three")).explanation,
        grade("number: 3 km", Transcript("it is 2 km or 4,000 m")).explanation,
        grade("json_path: $.a == 1", Transcript('{"a": 2}')).explanation,
        grade("valid JSON", Transcript("```json\n{}\n```")).explanation,
        grade("conforms to s.json", Transcript('{"name": 1}')).explanation,
        grade("file `x` contains 'y'", Transcript("")).explanation,
    ]
    assert told == snapshot(
        [
            "'y' is missing",
            "3 words",
            "the numbers found are 2 km, 4000 m",
            "is 2",
            "not JSON: it stands in a fence",
            "at $.name: 1 is not of type 'string'",
            "there is no file 'x'",
        ]
    )


def test_a_pattern_that_never_ends_is_a_fault_not_a_fail():
    found = grade("matches: /^(a|a)*$/", Transcript("a" * 40 + "b"))
    assert found.passed is None or found.passed is False
    assert (found.fault is not None) == (found.passed is None)


def test_a_schema_never_reaches_for_the_network():
    config = {**parse("conforms to s.json"), "schema": {"$ref": "http://127.0.0.1:9/s.json"}}
    found = build(GraderSpec("check", "assert", config=config), Bench()).grade(Transcript("1"))
    assert found.passed is None
    assert found.fault.kind == "grader"


@given(st.text(max_size=60))
def test_any_item_is_an_assertion_or_one_clean_refusal(text):
    try:
        config = parse(text)
    except NotAnAssertion:
        return
    assert config["form"]


@given(st.text(min_size=1, max_size=30), st.text(max_size=30))
def test_a_quoted_text_is_found_in_what_holds_it(wanted, around):
    quoted = '"' + wanted.replace("\\", "\\\\").replace('"', '\\"') + '"'
    assert passes(f"must contain {quoted}", around + wanted + around)
    assert not passes(f"must not contain {quoted}", around + wanted + around)


def test_bullets_are_counted_in_texts_of_blank_lines():
    text = "- one" + "\n" * 300_000 + "  * two\n-\n3. three\n- "
    assert passes("exactly 3 bullets", text)


@pytest.mark.parametrize(
    ("pattern", "output", "wanted", "words"),
    [
        (r"^\d+$", '"12"', True, "conforms"),
        (r"^\d+$", '"١٢"', False, "does not match"),
        ("(", '"12"', None, "a pattern of the schema is no regular expression"),
        (r"(a+)+\1b", '"' + "a" * 60 + '"', None, "took more than"),
    ],
)
def test_patterns_of_a_schema_are_javascripts_with_a_time_out(pattern, output, wanted, words):
    config = {**parse("conforms to `s.json`"), "schema": {"pattern": pattern}}
    said = build(GraderSpec("check", "assert", config=config), Bench()).grade(Transcript(output))
    assert said.passed is wanted
    assert words in said.explanation
