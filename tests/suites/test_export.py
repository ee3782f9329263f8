"""Suites written for other tools: what they read back, and what is said of the rest."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.graders import Bench, build
from assay.model import Case, FileGiven, GraderSpec, Location, Settings, Target, Transcript
from assay.suites.export_plugin_eval import export_plugin_eval
from assay.suites.export_skill_creator import export_skill_creator
from assay.suites.frontmatter import trim
from assay.suites.plugin_eval import load_cases
from assay.suites.skill_creator import read_evals

PROBES = Path(__file__).parent.parent / "fixtures" / "plugin_eval_probes"


def lay(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8", newline="")


def meaning(case: Case):
    graders = sorted(
        (spec.name, spec.type, spec.weight, json.dumps(spec.config, sort_keys=True)) for spec in case.graders
    )
    return case.name, case.prompt, case.settings, case.runs, case.tags, case.plugins, graders


def a_case(*graders: GraderSpec, prompt: str = "Do it.", **more) -> Case:
    return Case("a", "a", prompt, graders, Location("a/prompt.md"), **more)


@pytest.mark.parametrize("probes", ["set1", "set2"])
def test_a_suite_comes_back_as_it_was(probes, tmp_path):
    cases = [
        case for case in load_cases(PROBES / probes, only_under="evals").cases if "\0" not in case.prompt
    ]
    cases = [
        case for case in cases if all(0 < spec.weight < 1e300 for spec in case.graders) and not case.plugins
    ]
    done = export_plugin_eval(tuple(cases))
    lay(tmp_path, done.files)
    back = load_cases(tmp_path)
    assert back.problems == ()
    assert sorted(map(repr, map(meaning, back.cases))) == sorted(map(repr, map(meaning, cases)))
    assert done.lost == []


words = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=30)
regexes = st.fixed_dictionaries(
    {
        "target": st.sampled_from(["last_message", "trace", {"source": "file", "path": "a b: c"}]),
        "pattern": words,
        "flags": st.sampled_from(["", "i"]),
        "match": st.sampled_from(["contains", "not_contains", "count:3"]),
    }
)
judges = st.fixed_dictionaries({"criteria": words, "focus": st.sampled_from(["last_message", "files"])})
tools = st.fixed_dictionaries({"tool": words}, optional={"min": st.integers(0, 5), "input_match": words})
graders = st.one_of(
    st.builds(lambda config, weight: ("regex", config, weight), regexes, st.sampled_from([1, 0.5, 3])),
    st.builds(lambda config: ("llm", config, 1), judges),
    st.builds(lambda config: ("tool_used", config, 1), tools),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(graders, min_size=1, max_size=3), words, words.filter(bool))
def test_whatever_a_suite_says_comes_back(found, prompt, name):
    specs = [
        GraderSpec(f"g {n}: {name}", kind, weight, config) for n, (kind, config, weight) in enumerate(found)
    ]
    text = trim(prompt) or "x"
    run = Settings(max_turns=7, allowed_tools=("Read", "Bash(git:*)"), env={"EVAL_A": name}, model=name)
    case = Case("g/a", name, text, tuple(specs), Location("p"), settings=run, tags=(name,), runs=2)
    with tempfile.TemporaryDirectory() as folder:
        done = export_plugin_eval((case,))
        lay(Path(folder), done.files)
        back = load_cases(Path(folder))
    assert back.problems == ()
    assert meaning(back.cases[0]) == meaning(case)
    assert back.cases[0].id == "g/a"


@pytest.mark.parametrize(
    ("kind", "config", "passes", "fails"),
    [
        ("contains", {"value": "a.b*"}, "x a.b* y", "x acb* y"),
        ("contains", {"value": "Hi", "case_sensitive": False}, "hi", "ho"),
        ("contains", {"value": "no", "negate": True}, "yes", "no"),
        ("exact", {"expected": "42 (ok)"}, " 42 (ok)\n", "42"),
        ("assert", {"form": "contains", "subject": "output", "texts": ["x+"], "negated": True}, "x", "x+"),
    ],
)
def test_what_the_platform_has_no_word_for_becomes_a_pattern(tmp_path, kind, config, passes, fails):
    done = export_plugin_eval((a_case(GraderSpec("g", kind, config=config)),))
    lay(tmp_path, done.files)
    [spec] = load_cases(tmp_path).cases[0].graders
    assert spec.type == "regex"
    grader = build(spec, Bench())
    assert grader.grade(Transcript(passes)).passed is True
    assert grader.grade(Transcript(fails)).passed is False
    assert done.adapted == [f"a: grader 'g' of type {kind} is written as regex"]


def test_what_does_not_fit_is_listed():
    rubric, command = GraderSpec("r", "rubric", config={"criteria": "x"}), GraderSpec("c", "command")
    target = Target("skill", "x")
    first = a_case(rubric, command, weight=2, target=target, files=(FileGiven("f", Path("f"), "sha256:0"),))
    second = Case("b", "b", "hi", (command,), Location("b"))
    done = export_plugin_eval((first, second))
    assert [line.partition(":")[0] for line in done.lost] == ["a", "a", "a", "a", "b", "b"]
    assert done.lost[-1] == "b: no grader of it has a counterpart, so the case is not written"
    assert not any(name.startswith("b/") for name in done.files)


def test_files_of_a_case_are_named_to_be_copied(tmp_path):
    settings_ = Settings(scaffold_script="s.sh", add_dirs=("d",))
    baseline = GraderSpec("b", "baseline", config={"baseline_file": "r.jsonl", "criteria": "x"})
    case = a_case(baseline, settings=settings_, folder=tmp_path)
    done = export_plugin_eval((case,))
    assert [(name, target) for _, name, target in done.copies] == [
        ("s.sh", "a/s.sh"),
        ("r.jsonl", "a/r.jsonl"),
    ]
    lay(tmp_path / "out", done.files)
    back = load_cases(tmp_path / "out").cases[0]
    assert (back.settings.scaffold_script, back.settings.add_dirs, back.prompt) == ("s.sh", ("d",), "Do it.")


def test_names_that_are_no_file_names(tmp_path):
    graders_ = tuple(
        GraderSpec(name, "llm", config={"criteria": "x"}) for name in ("a/b", "a?b", "../x", "é")
    )
    cases = tuple(
        Case(name, "n", "hi", graders_, Location("p")) for name in ("../../up", "x y", "x:y", "X-Y")
    )
    done = export_plugin_eval(cases)
    assert all(".." not in name.split("/") and not name.startswith("/") for name in done.files)
    lay(tmp_path, done.files)
    back = load_cases(tmp_path)
    assert (len(back.cases), back.problems) == (4, ())
    assert {spec.name for spec in back.cases[0].graders} == {"a/b", "a?b", "../x", "é"}


def test_evals_json_is_what_skill_creator_reads(tmp_path):
    specs = (
        GraderSpec("r", "rubric", config={"criteria": "It is polite."}),
        GraderSpec(
            "m", "regex", 2, {"pattern": "a", "flags": "i", "match": "not_contains", "target": "last_message"}
        ),
        GraderSpec("t", "tool_used", config={"tool": "Skill", "min": 0, "max": 0, "arm": "both"}),
        GraderSpec("f", "file_exists", config={"path": "*.md", "exists": True}),
    )
    case = a_case(
        *specs, tags=("smoke",), runs=5, settings=Settings(max_turns=3), notes={"expected_outcome": "y"}
    )
    done = export_skill_creator((case,), "tidy")
    assert done.document == {
        "skill_name": "tidy",
        "evals": [
            {
                "id": 1,
                "name": "a",
                "prompt": "Do it.",
                "expected_output": "y",
                "files": [],
                "expectations": [
                    "It is polite.",
                    "The answer does not match /a/i",
                    "The agent did not call Skill",
                    "A file that matches *.md was created",
                ],
            }
        ],
    }
    assert done.lost == (
        "a: the weight 2 of grader 'm'",
        "a: its max_turns",
        "a: its 5 runs",
        "a: its tags smoke",
    )
    assert len(done.adapted) == 3
    path = tmp_path / "evals.json"
    path.write_text(json.dumps(done.document), "utf-8")
    assert len(read_evals(path).cases[0].graders) == 4
