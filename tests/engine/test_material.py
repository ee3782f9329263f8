"""A trial's key holds the content of what its case lays before the agent."""

import pytest

from assay.engine.material import material_digest
from assay.engine.plan import Plan
from assay.harnesses.scripted import ScriptedHarness
from assay.model import WITHOUT, Case, Location, Settings


def case_of(folder, plugins=(), **settings):
    return Case(
        "c", "c", "x", (), Location("c"), folder=folder, settings=Settings(**settings), plugins=plugins
    )


def key_of(case):
    (trial,) = Plan((case,), {WITHOUT: lambda _: None}, 1, None).trials(ScriptedHarness())
    return trial.key


@pytest.fixture
def folder(tmp_path):
    case = tmp_path / "evals" / "c"
    for name in ("graders/g.md", "docs/a.md", "make.sh", "seed.txt", "old.jsonl"):
        (case / name).parent.mkdir(parents=True, exist_ok=True)
        (case / name).write_text(name, "utf-8")
    (tmp_path / "plugin").mkdir()
    (tmp_path / "plugin/x.md").write_text("x", "utf-8")
    return case


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        ({"add_dirs": ("docs",)}, "docs/a.md"),
        ({"history_file": "old.jsonl"}, "old.jsonl"),
        ({"scaffold_script": "make.sh"}, "make.sh"),
        ({"scaffold_script": "make.sh"}, "seed.txt"),
        ({"plugins": ("../../plugin",)}, "../../plugin/x.md"),
    ],
)
def test_a_change_of_what_the_agent_is_given_is_another_trial(folder, given, changed):
    case = case_of(folder, **given)
    before = key_of(case)
    assert key_of(case) == before
    (folder / changed).write_text("other", "utf-8")
    assert key_of(case) != before


def test_graders_and_files_that_no_run_sees_change_nothing(folder):
    case = case_of(folder, scaffold_script="make.sh")
    before = key_of(case)
    (folder / "graders/g.md").write_text("other", "utf-8")
    assert key_of(case) == before


def test_a_case_that_names_nothing_costs_nothing(folder):
    assert material_digest(case_of(folder)) is None
    assert material_digest(case_of(None, add_dirs=("docs",))) is None


def test_a_missing_folder_is_told_by_the_harness_not_here(folder):
    assert material_digest(case_of(folder, add_dirs=("gone",))) is not None
