"""docs/golden-tasks.md tells every key, and its example is a task."""

import re
from pathlib import Path

from assay.schemas.golden_eval import EXIT_CODES
from assay.suites import features, golden_task, thresholds
from assay.suites.golden import load_golden

PAGE = (Path(__file__).parents[2] / "docs" / "golden-tasks.md").read_text("utf-8")


def test_every_key_has_a_row():
    keys = [*golden_task._KEYS, *thresholds._KEYS, "per_suite", *features.KEYS]
    assert [key for key in keys if f"\n| `{key}` |" not in PAGE] == []


def test_every_exit_code_has_a_row():
    assert [code for code in {*EXIT_CODES.values(), 2, 130} if f"\n| {code} | " not in PAGE] == []


def test_the_example_is_a_task(tmp_path):
    example = re.search(r"## A task\n\n((?:    .*\n|\n)+)", PAGE)[1]
    task = "".join(line.removeprefix("    ") for line in example.splitlines(keepends=True))
    (tmp_path / "evals/commits").mkdir(parents=True)
    (tmp_path / "evals/commits/G-001-example.md").write_text(task, "utf-8")
    (suite,) = load_golden(tmp_path / "evals")
    assert [grader.config["form"] for grader in suite.cases[0].graders] == ["starts_with", "count"]
