"""`assay cases`, on the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import assay

SRC = str(Path(assay.__file__).parent.parent)


def cases(cwd, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "assay", "cases", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1", "PYTHONPATH": SRC},
        check=False,
    )


@pytest.fixture
def plugin(tmp_path):
    files = {
        "plugin.json": "{}",
        "evals/a/prompt.md": "Say hi",
        "evals/a/graders/g.md": "---\ntype: regex\npattern: hi\nweight: 2\n---\n",
        "evals/b/prompt.md": "Say \x1b[31mho",
        "evals/b/graders/j.md": "---\ntype: llm\n---\nIs it polite?",
        "custom/c/prompt.md": "x",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_json_has_the_platforms_keys(plugin):
    done = cases(plugin, "--json")
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert document["errors"] == []
    assert document["cases"][0] == {
        "name": "a",
        "dir": "evals/a",
        "source": "prose",
        "promptMarkdown": "Say hi",
        "runsPerCase": 3,
        "timeoutSeconds": 300,
        "maxTurns": 10,
        "graders": [
            {
                "name": "g",
                "type": "regex",
                "weight": 2,
                "config": {"target": "last_message", "pattern": "hi", "flags": "", "match": "contains"},
            }
        ],
    }
    assert document["cases"][1]["graders"][0]["graderMarkdown"] == "Is it polite?"


@pytest.mark.parametrize("path", ["evals/b", "evals/b/prompt.md"])
def test_a_case_keeps_its_name_wherever_one_points(plugin, path):
    document = json.loads(cases(plugin, path, "--json").stdout)
    assert [case["dir"] for case in document["cases"]] == ["evals/b"]


def test_for_people(plugin):
    done = cases(plugin)
    assert done.stdout == "evals/a  regex\nevals/b  llm\n"
    assert done.stderr == "2 cases, 0 refused\n"


def test_a_refused_case_has_file_and_line_and_exit_2(plugin):
    (plugin / "evals/a/graders/g.md").write_text("---\ntype: regex\nweight: 0\npattern: x\n---\n", "utf-8")
    done = cases(plugin)
    assert done.returncode == 2
    assert "evals/a/graders/g.md:3: weight has to be above 0, and is 0" in done.stderr
    document = json.loads(cases(plugin, "--json").stdout)
    assert document["errors"] == [
        {
            "dir": "evals/a",
            "file": "evals/a/graders/g.md",
            "line": 3,
            "message": "weight has to be above 0, and is 0",
        }
    ]


def test_control_characters_do_not_reach_the_terminal(plugin):
    folder = plugin / "evals" / "esc\x1b[31m"
    folder.mkdir()
    (folder / "prompt.md").write_text("hi", "utf-8")
    done = cases(plugin)
    assert "\x1b" not in done.stdout + done.stderr
    assert "evals/esc\\x1b[31m/" in done.stderr


def test_nothing_there(tmp_path):
    done = cases(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no case here" in done.stderr
    assert cases(tmp_path, "nowhere").returncode == 2
