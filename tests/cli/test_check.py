"""`assay check`, on the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import assay

SRC = str(Path(assay.__file__).parent.parent)


def check(cwd, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "assay", "check", *arguments],
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
        "evals/a/prompt.md": "---\nexpected_outcome: polite\n---\nSay hi",
        "evals/a/graders/g.md": "---\ntype: regex\npattern: hello #there\n---\n",
        "evals/a/graders/j.md": "---\ntype: llm\n---\nIs it polite?",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_findings_with_place_code_and_mending(plugin):
    done = check(plugin)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "evals/a/graders/g.md:3: warning [L13] ` #` begins a comment: only `hello` is kept; "
        "put the value in single quotes",
        "evals/a/prompt.md:2: note [L25] no judge sees expected_outcome: it is documentation; "
        "write it into the criteria",
        "1 case: 0 errors, 1 warning, 1 note",
    ]


def test_strict_makes_warnings_errors(plugin):
    done = check(plugin, "--strict")
    assert done.returncode == 1
    assert "error [L13]" in done.stdout
    assert "note [L25]" in done.stdout


def test_json(plugin):
    document = json.loads(check(plugin, "--json").stdout)
    assert (document["errors"], document["warnings"], document["notes"]) == (0, 1, 1)
    assert document["findings"][0] == {
        "code": "L13",
        "severity": "warning",
        "file": "evals/a/graders/g.md",
        "line": 3,
        "message": "` #` begins a comment: only `hello` is kept",
        "mend": "put the value in single quotes",
    }


def test_errors_exit_1(plugin):
    (plugin / "evals/a/graders/g.md").write_text("---\ntype: regex\npattern: '('\n---\n", "utf-8")
    assert check(plugin).returncode == 1


def test_nothing_to_check_exits_2(tmp_path):
    done = check(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "nothing to check" in done.stderr


def test_every_kind_of_suite_is_looked_at(tmp_path):
    files = {
        "skills/x/evals/evals.json": '[{"prompt": "a", "assertions": ["b"]}]',
        "evals/triggers.json": '[{"query": "a", "should_trigger": true}]',
        "evals/baseline.json": "{}",
        "evals/commits/G-001-a.md": "---\nid: G-001\ntarget: skill:x\ngrader: assert\n---\n\n## Input\n\nhi\n\n"
        '## Expected\n\n- must contain "x"\n',
        "evals/commits/G-002-b.md": "---\nid: G-002\ntarget: skill:x\ngrader: assert\n---\n\n## Input\n\nhi\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    done = check(tmp_path)
    assert done.returncode == 0
    assert "[J03]" in done.stdout
    assert "commits/G-002: warning [LOAD]" in done.stdout
    assert done.stdout.splitlines()[-1].startswith(
        "golden suite commits, evals/triggers.json, skills/x/evals/evals.json: "
    )


def test_a_single_json_file(tmp_path):
    path = tmp_path / "evals.json"
    path.write_text('[{"prompt": "a", "assertions": [{"type": "strange"}]}]', "utf-8")
    assert "[J01] checks of type 'strange' are not known" in check(tmp_path, "evals.json").stdout


def test_pipes_in_place_of_files_are_named_and_never_waited_for(plugin):
    pipes = [
        "evals/a/graders/p.md",
        "evals/b/case.yaml",
        "evals/evals.json",
        "evals/features.yml",
        "evals/golden/G-002.md",
        "evals/thresholds.yml",
        "evals/triggers.json",
    ]
    (plugin / "evals/golden").mkdir()
    task = "---\nid: G-001\ntarget: skill:s\ngrader: exact\n---\n## Input\nx\n## Expected\ny\n"
    (plugin / "evals/golden/G-001.md").write_text(task, "utf-8")
    for name in pipes:
        (plugin / name).parent.mkdir(exist_ok=True)
        os.mkfifo(plugin / name)
    found = json.loads(check(plugin, "--json").stdout)["findings"]
    assert [one["file"] for one in found if one["message"] == "not a regular file"] == pipes


def test_a_sample_or_scaffold_that_is_a_pipe(plugin):
    (plugin / "evals/a/case.yaml").write_text(
        'schema_version: "1.1"\nname: a\ncontext: {scaffold_script: s.sh}\n', "utf-8"
    )
    (plugin / "evals/a/samples").mkdir()
    os.mkfifo(plugin / "evals/a/samples/g.json")
    os.mkfifo(plugin / "evals/a/s.sh")
    assert "evals/a/samples/g.json: error [S06] not a regular file" in check(plugin).stdout
