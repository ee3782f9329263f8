"""Which tree a path means, as the platform was asked."""

from __future__ import annotations

import json

import pytest

from assay.errors import UsageError
from assay.suites.check_path import check_path
from assay.suites.plugin_eval import load_cases
from assay.suites.target import searched

CASES = ("evals/a", "custom/e", "custom/sub/f", "x/custom/g", "qa/evals/h", "skills/s/evals/i")
EVALS = ["evals/a", "qa/evals/h", "skills/s/evals/i"]
NOTHING = object()


@pytest.fixture
def plugin(tmp_path):
    for case in CASES:
        (tmp_path / case / "graders").mkdir(parents=True)
        (tmp_path / case / "prompt.md").write_text("hi", "utf-8")
        (tmp_path / case / "graders" / "g.md").write_text("---\ntype: regex\npattern: hello\n---\n", "utf-8")
    return tmp_path


def manifest(plugin, evals):
    (plugin / ".claude-plugin").mkdir(exist_ok=True)
    value = {"name": "probe"} if evals is NOTHING else {"name": "probe", "experimental": {"evals": evals}}
    (plugin / ".claude-plugin" / "plugin.json").write_text(json.dumps(value), "utf-8")


def found(path, eval_dir=None):
    where = searched(path, eval_dir)
    return [case.id for case in load_cases(where.start, where.root, only_under=where.only_under).cases]


@pytest.mark.parametrize(
    ("evals", "path", "eval_dir", "cases"),
    [
        (NOTHING, ".", None, EVALS),
        (NOTHING, "evals", None, ["evals/a"]),
        (NOTHING, "evals/a/prompt.md", None, ["evals/a"]),
        (NOTHING, "custom", None, []),
        ("custom", ".", None, ["custom/e", "custom/sub/f"]),
        ("./custom/", ".", None, ["custom/e", "custom/sub/f"]),
        ("qa/evals", ".", None, ["qa/evals/h"]),
        ("custom", "custom/sub", None, ["custom/sub/f"]),
        ("custom", ".", "evals", EVALS),
        ("skills/s/evals", ".", None, EVALS),
        ("../x", ".", None, EVALS),
        (5, ".", None, EVALS),
        (NOTHING, ".", "custom", ["custom/e", "custom/sub/f"]),
        (NOTHING, ".", "x/custom", ["x/custom/g"]),
        (NOTHING, "custom", "custom", ["custom/e", "custom/sub/f"]),
    ],
)
def test_the_platforms_answers(plugin, evals, path, eval_dir, cases):
    manifest(plugin, evals)
    assert found(plugin / path, eval_dir) == cases


@pytest.mark.parametrize(
    ("evals", "path", "eval_dir", "words"),
    [
        ("nope", ".", None, "is no folder"),
        ("custom", "evals", None, "holds no case"),
        (NOTHING, ".", "../x", "must stay inside the plugin"),
        (NOTHING, ".", "skills/s/evals", "must not lie in the plugin's skills/"),
        (NOTHING, ".", "/".join("abcdefghi"), "at most 200 characters and 8 names"),
    ],
)
def test_what_the_platform_finds_nothing_in(plugin, evals, path, eval_dir, words):
    manifest(plugin, evals)
    with pytest.raises(UsageError, match=words):
        found(plugin / path, eval_dir)


def test_a_manifest_that_is_ignored_is_told(plugin):
    manifest(plugin, "skills/s/evals")
    told = [str(one) for one in check_path(plugin).findings if one.code == "S09"]
    assert told == [
        ".claude-plugin/plugin.json: warning [S09] experimental.evals 'skills/s/evals' is ignored: it must not lie "
        "in the plugin's skills/, which is loaded; evals/ is searched; name a folder of the plugin that it does not "
        "load, or none"
    ]


def test_a_manifest_that_is_no_json_changes_nothing(plugin):
    (plugin / "plugin.json").write_text("{", "utf-8")
    assert found(plugin) == EVALS


def test_without_a_plugin_ids_begin_above_evals(plugin):
    assert found(plugin / "qa" / "evals" / "h") == ["evals/h"]
    assert found(plugin / "x") == []
