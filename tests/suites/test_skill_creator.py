"""`evals.json` in the shapes that authors write, and what becomes of each check."""

from __future__ import annotations

import json

import pytest

from assay.errors import SuiteError
from assay.graders import Bench, build
from assay.model import FileMade, Transcript
from assay.suites import load_suite
from assay.suites.skill_creator import read_evals


def evals(tmp_path, value, name="evals.json"):
    path = tmp_path / name
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1), "utf-8")
    return read_evals(path, shown="evals.json")


def one(tmp_path, **item):
    return evals(tmp_path, {"skill_name": "s", "evals": [{"id": 1, "prompt": "Do it.", **item}]})


def only_grader(tmp_path, check):
    [case] = one(tmp_path, assertions=[check]).cases
    [grader] = case.graders
    return grader


@pytest.mark.parametrize(
    ("check", "name", "criteria"),
    [
        ("It is polite", "It is polite", "It is polite"),
        ({"id": "a1", "text": "It is polite"}, "a1", "It is polite"),
        ({"id": "a1", "description": "It is polite"}, "a1", "It is polite"),
        ({"name": "polite", "description": "It is polite"}, "polite", "It is polite"),
        ({"dimension": "tone", "pass_if": "It is polite"}, "tone", "It is polite"),
        ({"type": "semantic", "value": "It is polite"}, "It is polite", "It is polite"),
        ({"type": "llm_judge", "rubric": "It is polite"}, "rubric", "It is polite"),
    ],
)
def test_prose_becomes_a_rubric_expectation(tmp_path, check, name, criteria):
    grader = only_grader(tmp_path, check)
    assert (grader.name, grader.type, grader.config) == (name, "rubric", {"criteria": criteria})


@pytest.mark.parametrize(
    ("check", "passes", "fails"),
    [
        ({"type": "contains", "value": "Hi"}, "Hi there", "hi there"),
        ({"type": "contains", "value": "Hi", "ignore_case": True}, "hi there", "ho"),
        ({"type": "not_contains", "value": "```yaml"}, "x", "```yaml"),
        ({"name": "n", "type": "does_not_contain", "target": "output", "value": "skip"}, "x", "skip it"),
        ({"type": "code_contains", "check": "gate.NewGate("}, "g := gate.NewGate(", "gate"),
        ({"type": "code_count", "check": "a.b()", "min_count": 2}, "a.b()\na.b()", "a.b() aXb()"),
        ({"type": "regex", "value": "^doc:", "flags": "m"}, "x\ndoc: y", "x doc:"),
        ({"type": "not_regex", "value": "^doc:"}, "x", "doc: y"),
        ({"type": "max_words", "value": 2}, "one two", "one two three"),
        ({"type": "valid_json"}, '{"a": 1}', "{"),
    ],
)
def test_a_typed_check_becomes_that_grader(tmp_path, check, passes, fails):
    grader = build(only_grader(tmp_path, check), Bench())
    assert grader.grade(Transcript(passes)).passed is True
    assert grader.grade(Transcript(fails)).passed is False


def test_artifacts_become_file_checks(tmp_path):
    found = one(tmp_path, required_artifacts=["./plan.md", "reviews/*.json"])
    graders = [build(spec, Bench()) for spec in found.cases[0].graders]
    left = Transcript(
        "", files=(FileMade("plan.md", 1, "sha256:0"), FileMade("reviews/a.json", 1, "sha256:0"))
    )
    assert [grader.grade(left).passed for grader in graders] == [True, True]
    assert [grader.grade(Transcript("")).passed for grader in graders] == [False, False]


def test_commands_keep_their_arguments(tmp_path):
    check = {"check": "gates", "cmd": ["python", "x.py"], "expect_exit": 1, "expect_substring": "no"}
    grader = only_grader(tmp_path, check)
    assert (grader.name, grader.type) == ("gates", "command")
    assert grader.config == {"command": ["python", "x.py"], "expect_exit": 1, "expect_substring": "no"}


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        ({"type": "file_unchanged", "path": "README.md"}, "checks of type 'file_unchanged' are not known"),
        ({"type": "llm_judge", "advisory": True, "rubric": "x"}, "an advisory check"),
        ({"type": "regex", "value": "("}, "invalid regular expression: unterminated group"),
        ({"type": "contains"}, "does not say what to look for"),
        ({"type": "command", "command": "rm -rf /"}, "a command has to be a list of arguments"),
        ({"check": "x", "cmd": ["y"], "retired": "2026-01-01"}, "its author has retired the check"),
        ({"weight": 2}, "the check has no text"),
        (5, "a check has to be a text or a mapping"),
        ("  ", "the check is empty"),
    ],
)
def test_what_cannot_be_kept_is_said_with_its_line(tmp_path, check, reason):
    found = one(tmp_path, expectations=["fine", check])
    assert [grader.name for grader in found.cases[0].graders] == ["fine"]
    assert found.checks == 2
    [lost] = found.lost
    assert lost.path == "evals.json"
    assert lost.line >= 9
    assert reason in lost.message


def test_both_official_words_are_read(tmp_path):
    found = one(tmp_path, assertions=["a"], expectations=["b"])
    assert [grader.name for grader in found.cases[0].graders] == ["a", "b"]


def test_an_expected_output_alone_is_judged_and_said(tmp_path):
    found = one(tmp_path, expected_output="A list of three.")
    assert found.cases[0].graders[0].config == {"criteria": "A list of three."}
    assert [problem.message for problem in found.adapted] == [
        "no check of its own: the answer is judged against expected_output"
    ]


@pytest.mark.parametrize("container", ["evals", "cases", "tests", "testCases"])
@pytest.mark.parametrize("query", ["prompt", "question", "input", "query"])
def test_containers_and_words_for_the_prompt(tmp_path, container, query):
    items = [{"id": "a", query: "Do it.", "expected_behavior": ["x"]}]
    assert evals(tmp_path, {container: items}).cases[0].prompt == "Do it."
    assert evals(tmp_path, items).cases[0].prompt == "Do it."


def test_ids_stay_unique_and_titles_are_found(tmp_path):
    items = [
        {"id": 1, "eval_name": "first", "prompt": "x", "assertions": ["a", "a"]},
        {"id": "1", "name": "second", "prompt": "x", "assertions": ["a"]},
        {"name": "third", "prompt": "x", "assertions": ["a"]},
        {"prompt": "x", "assertions": ["a"]},
    ]
    found = evals(tmp_path, items)
    assert [(case.id, case.name) for case in found.cases] == [
        ("1", "first"),
        ("1 (2)", "second"),
        ("third", "third"),
        ("3", "3"),
    ]
    assert [grader.name for grader in found.cases[0].graders] == ["a", "a (2)"]
    assert found.cases[0].notes["raw"] == items[0]


def test_a_label_in_evals_is_a_trigger_case_as_well(tmp_path):
    found = one(tmp_path, should_trigger=False, assertions=["x"])
    assert [(case.query, case.should_trigger) for case in found.triggers] == [("Do it.", False)]


def test_what_assay_does_not_do_is_said(tmp_path):
    found = one(tmp_path, assertions=["x"], stage_files=True, files=["a.md"], force_skill_invocation=True)
    assert [problem.message.partition(":")[0] for problem in found.lost] == [
        "stage_files",
        "force_skill_invocation",
        "the file 'a.md' is not there",
    ]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([], "its list is empty"),
        ({}, "its keys are none"),
        (5, "neither a list nor a mapping"),
        ({"evals": [1]}, "what is no mapping"),
        ({"evals": [{"id": 1}]}, "its items have no query, prompt, question or input; their keys are id"),
        ([{"query": "x", "should_trigger": True}], "it holds triggers"),
        ({"evals": [{"prompt": " ", "assertions": ["a"]}]}, "the item has no prompt"),
    ],
)
def test_what_is_no_set_of_evals_is_refused_with_a_reason(tmp_path, value, reason):
    with pytest.raises(SuiteError, match=reason):
        evals(tmp_path, value)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"evals": [}', r"evals\.json:1: not JSON"),
        (b'{\n"a": NaN}', "NaN is not JSON"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"", "not JSON"),
    ],
)
def test_what_is_no_json_is_refused(tmp_path, data, reason):
    path = tmp_path / "evals.json"
    path.write_bytes(data)
    with pytest.raises(SuiteError, match=reason):
        read_evals(path, shown="evals.json")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_of_windows_are_read(tmp_path, encoding):
    path = tmp_path / "evals.json"
    path.write_text('[\r\n{"prompt": "é", "assertions": ["ü"]}]', encoding)
    assert read_evals(path).cases[0].prompt == "é"


def test_one_object_a_line(tmp_path):
    path = tmp_path / "prompts.jsonl"
    path.write_text(
        '{"prompt": "a", "must_contain": ["x", "y"]}\n\n{"prompt": "b", "must_not_contain": ["z"]}\n'
    )
    found = read_evals(path)
    assert [[grader.type for grader in case.graders] for case in found.cases] == [
        ["contains"] * 2,
        ["contains"],
    ]
    path.write_text('{"prompt": "a", "must_contain": ["x"]}\n\n{"prompt": \n')
    with pytest.raises(SuiteError, match=r"prompts\.jsonl:3: not JSON"):
        read_evals(path)


def test_a_folder_with_evals_is_a_suite(tmp_path):
    evals(tmp_path, [{"id": 1, "prompt": "x", "assertions": ["a"]}, {"id": 2, "prompt": "no check"}])
    for root in (tmp_path, tmp_path / "evals.json"):
        suite = load_suite(root, name="s")
        assert (suite.root, [case.id for case in suite.cases]) == (tmp_path, ["1"])


def test_files_are_found_in_the_skill_or_beside_the_evals(tmp_path):
    skill = tmp_path / "skill"
    for name in ("evals/files/sales.csv", "evals/files/deep/b.txt", "fixtures/c.md", "evals/d.md"):
        (skill / name).parent.mkdir(parents=True, exist_ok=True)
        (skill / name).write_text(name, "utf-8")
    names = ["evals/files/sales.csv", "files/deep", "fixtures", "d.md"]
    path = skill / "evals" / "evals.json"
    path.write_text(json.dumps([{"prompt": "x", "assertions": ["a"], "files": names}]), "utf-8")
    found = read_evals(path)
    assert found.lost == ()
    [case] = found.cases
    assert [file.path for file in case.files] == ["deep/b.txt", "evals/d.md", "fixtures/c.md", "sales.csv"]
    before = case.input_digest
    (skill / "fixtures" / "c.md").write_text("changed", "utf-8")
    assert read_evals(path).cases[0].input_digest != before


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (["../outside.md"], "leads out of the skill's folder"),
        (["missing.md"], "is not there"),
        (["link.md"], "leads out of the skill's folder"),
        ("a.md", "has to be a list of paths"),
        ([5], "has to be a list of paths"),
    ],
)
def test_files_that_cannot_be_given_are_said(tmp_path, files, reason):
    (tmp_path / "outside.md").write_text("x", "utf-8")
    (tmp_path / "skill").mkdir()
    (tmp_path / "skill" / "link.md").symlink_to("../outside.md")
    found = evals(tmp_path / "skill", [{"prompt": "x", "assertions": ["a"], "files": files}])
    assert found.cases[0].files == ()
    assert reason in found.lost[0].message


def test_a_folder_that_holds_the_evals_gives_away_no_oracle(tmp_path):
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "a.md").write_text("x", "utf-8")
    found = evals(tmp_path / "evals", [{"prompt": "x", "assertions": ["a"], "files": ["evals"]}])
    assert [file.path for file in found.cases[0].files] == ["evals/a.md"]
