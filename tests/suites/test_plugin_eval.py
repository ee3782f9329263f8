"""What the recorded probes cannot hold: links, pipes, sizes, names, places in files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.errors import SuiteError
from assay.suites import load_suite
from assay.suites.plugin_eval import load_cases
from assay.suites.walk import find_cases

GRADER = "---\ntype: regex\npattern: hi\n---\n"


def write(root: Path, **files: str | bytes) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))


def a_case(root: Path, folder: str, prompt: str | bytes = "hi", grader: str | bytes = GRADER) -> None:
    write(root, **{f"{folder}/prompt.md": prompt, f"{folder}/graders/g.md": grader})


def told(root: Path) -> list[str]:
    return [str(problem) for problem in load_cases(root, shown="").problems]


def test_a_suite_is_its_cases_by_path(tmp_path):
    a_case(tmp_path, "b")
    a_case(tmp_path, "group/a", "---\nmax_turns: 4\ntags: [smoke]\nruns: 7\n---\nDo it.\n")
    suite = load_suite(tmp_path, name="demo")
    assert (suite.kind, suite.name, [case.id for case in suite.cases]) == (
        "ablation",
        "demo",
        ["b", "group/a"],
    )
    case = suite.cases[1]
    assert (case.prompt, case.settings.max_turns, case.tags, case.runs) == ("Do it.", 4, ("smoke",), 7)
    assert case.folder == tmp_path / "group" / "a"
    assert suite.cases[0].runs is None


def test_problems_are_told_all_at_once_with_their_lines(tmp_path):
    a_case(tmp_path, "a", "---\nname: x\nmax_turns: 0\ntags: smoke\n---\nhi")
    a_case(tmp_path, "b", grader="---\ntype: regex\n\npattern: 5\nfoo: 1\n---\n")
    with pytest.raises(SuiteError) as caught:
        load_suite(tmp_path, name="demo")
    prefix = tmp_path.as_posix()
    assert [str(problem).removeprefix(prefix) for problem in caught.value.problems] == [
        "/a/prompt.md:3: execution.max_turns has to be from 1 to 200, and is 0",
        "/a/prompt.md:4: tags has to be a list of texts, and is a text",
        "/b/graders/g.md:4: pattern has to be a text, and is a number; put it in quotes",
        "/b/graders/g.md:5: foo is not a key of a regex grader; it has type, name, weight, arm, target, "
        "pattern, flags, match",
    ]


def test_places_in_case_yaml(tmp_path):
    text = 'schema_version: "1.1"\nname: x\nexecution:\n  prompt: hi\n  max_turns: no\ngraders:\n'
    write(
        tmp_path, **{"a/case.yaml": text + "- {type: regex, name: g, pattern: x}\n- type: llm\n  name: h\n"}
    )
    assert told(tmp_path) == [
        "a/case.yaml:5: execution.max_turns has to be a whole number from 1 to 200, and is a text",
        "a/case.yaml:8: grader 2: criteria is missing; a llm grader needs it",
    ]


def test_an_empty_folder_is_no_suite(tmp_path):
    with pytest.raises(SuiteError, match="no case here"):
        load_suite(tmp_path, name="demo")


def test_order_of_entries_changes_nothing(tmp_path, monkeypatch):
    for name in ("c", "a", "b/x", "b/y"):
        a_case(tmp_path, name)
    write(tmp_path, **{"a/graders/f.md": GRADER, "a/graders/h.md": GRADER})
    before = load_cases(tmp_path)
    scandir = os.scandir

    class Reversed:
        def __init__(self, path):
            with scandir(path) as entries:
                self._entries = sorted(entries, key=lambda entry: entry.name, reverse=True)

        def __enter__(self):
            return iter(self._entries)

        def __exit__(self, *_):
            return None

    monkeypatch.setattr(os, "scandir", Reversed)
    assert load_cases(tmp_path) == before


def test_line_ends_and_a_bom_change_nothing_but_themselves(tmp_path):
    prompt, grader = "---\nmax_turns: 4\n---\nhi", "---\ntype: regex\npattern: |-\n  a\n  b\n---\n"
    a_case(tmp_path / "lf", "c", prompt, grader)
    a_case(tmp_path / "crlf", "c", prompt.replace("\n", "\r\n"), grader.replace("\n", "\r\n"))
    a_case(tmp_path / "bom", "c", "\ufeff" + prompt, "\ufeff" + grader)
    suites = [load_suite(tmp_path / name, name="s") for name in ("lf", "crlf", "bom")]
    assert len({suite.digest for suite in suites}) == 1


def test_files_over_the_cap_are_refused(tmp_path):
    a_case(tmp_path, "big", "x" * 1_048_577)
    a_case(tmp_path, "fits", "x" * 1_048_576)
    assert told(tmp_path) == ["big/prompt.md: larger than 1,048,576 bytes"]


def test_a_pipe_is_refused_at_once(tmp_path):
    a_case(tmp_path, "a")
    (tmp_path / "a" / "prompt.md").unlink()
    os.mkfifo(tmp_path / "a" / "prompt.md")
    assert told(tmp_path) == ["a/prompt.md: not a regular file"]


def test_links_stay_inside(tmp_path):
    suite = tmp_path / "suite"
    a_case(suite, "z/real")
    a_case(tmp_path, "outside/c")
    (suite / "again").symlink_to("z/real")
    (suite / "out").symlink_to("../outside")
    (suite / "loop").symlink_to(".")
    (suite / "dangling").symlink_to("nowhere")
    found = find_cases(suite)
    assert [case.dir for case in found.cases] == ["again"]
    assert found.problems == [
        ("dangling", "a link to what does not exist"),
        ("loop", "a link to its own folder or one above it: not followed"),
        ("out", "a link that leads out of the suite: not followed; copy what it leads to"),
    ]


def test_a_prompt_that_links_to_nothing_is_refused(tmp_path):
    a_case(tmp_path, "a")
    (tmp_path / "a" / "prompt.md").unlink()
    (tmp_path / "a" / "prompt.md").symlink_to("nowhere")
    assert told(tmp_path) == ["a/prompt.md: a link to what does not exist"]


def test_folders_that_the_platform_never_enters(tmp_path):
    for name in ("node_modules", ".claude", "results", "mocks", ".git", ".hidden", "Results"):
        a_case(tmp_path, f"g/{name}/c")
    assert [case.dir for case in find_cases(tmp_path).cases] == ["g/.hidden/c", "g/Results/c"]


def test_too_deep_is_said(tmp_path):
    a_case(tmp_path, "/".join(f"d{n}" for n in range(16)))
    a_case(tmp_path, "/".join(f"e{n}" for n in range(17)))
    found = find_cases(tmp_path)
    assert [case.dir.count("/") for case in found.cases] == [15]
    assert [reason for _, reason in found.problems] == [
        "more than 16 folders below the target: not searched; move the suite higher"
    ]


def test_more_graders_than_the_platform_takes(tmp_path):
    a_case(tmp_path, "a")
    for number in range(256):
        write(tmp_path, **{f"a/graders/h{number}.md": "no frontmatter"})
    assert told(tmp_path) == ["a/graders: has 257 .md files; the platform reads at most 256"]


def test_odd_names_are_names(tmp_path):
    a_case(tmp_path, "new\nline")
    a_case(tmp_path, "esc\x1b[31m")
    assert [case.id for case in load_cases(tmp_path).cases] == ["esc\x1b[31m", "new\nline"]


def test_a_folder_that_cannot_be_read_is_said(tmp_path, monkeypatch):
    a_case(tmp_path, "a")
    (tmp_path / "closed").mkdir()
    scandir = os.scandir

    def refuse(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert told(tmp_path) == ["closed: cannot be read: Permission denied"]
