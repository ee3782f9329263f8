"""`assay all`: every suite once, a failure only where one could not run."""

import json
from pathlib import Path

import pytest

from assay.cli import main
from assay.schemas import validate
from assay.schemas.skill_eval import from_document

RULES = """
- {case: "*", item_contains: HELPS, say: "fix: it", cost_usd: 0.01}
- {item_contains: LOST, fail: usage_limit}
- {say: "done", cost_usd: 0.01}
"""


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def item(project: Path, name: str, words: str, suite: str = "evals/{name}") -> None:
    write(project / "skills" / name / "SKILL.md", f"---\nname: {name}\ndescription: d\n---\n{words}\n")
    folder = project / suite.format(name=name) / "a"
    write(folder / "prompt.md", "Commit.\n")
    write(folder / "graders" / "says.md", "---\ntype: regex\n---\nfix\n")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("EVALS", "EVALS_MODEL", "EVALS_MAX_COST_USD"):
        monkeypatch.delenv(name, raising=False)
    write(tmp_path / "rules.yaml", RULES)
    item(tmp_path, "commit", "HELPS")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def _on(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALS", "1")


def run_all(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(["all", "--harness", "scripted:rules.yaml", "--quiet", *arguments])
    assert isinstance(end.value.code, int)
    return end.value.code


@pytest.mark.parametrize("value", [None, "", "0", "yes"])
def test_without_evals_1_it_says_that_it_skipped(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    if value is not None:
        monkeypatch.setenv("EVALS", value)
    assert run_all() == 0
    assert capsys.readouterr().out == (
        "assay all: skipped, since it costs money: set EVALS=1 to run every suite\n"
    )
    assert not (project / ".assay").exists()


@pytest.mark.usefixtures("_on")
def test_every_suite_runs_once_and_is_named_a_smoke_test(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    item(project, "tdd-flow", "useless")
    item(project, "own", "HELPS", "skills/{name}/evals")
    write(project / "evals" / "golden" / "G-001-x.md", "not for here")
    write(project / "evals" / "README.md", "about")
    assert run_all() == 0
    assert capsys.readouterr().out == (
        "smoke test (--runs 1): shows that suites run, not whether items help\n"
        "commit                   higher: with 1.00, without 0.00, $0.02\n"
        "tdd-flow                 no-signal: with 0.00, without 0.00, $0.01\n"
        "own                      higher: with 1.00, without 0.00, $0.01\n"
    )


@pytest.mark.usefixtures("_on")
def test_a_suite_that_could_not_run_fails_and_the_others_still_run(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    item(project, "broken", "x")
    write(project / "evals" / "broken" / "a" / "prompt.md", "---\nnope: 1\n---\nx\n")
    item(project, "lost", "LOST")
    write(project / "evals" / "orphan" / "a" / "prompt.md", "x\n")
    assert run_all() == 3
    out = capsys.readouterr().out
    assert "commit                   higher" in out
    assert out.count("COULD NOT RUN") == 3
    assert "lost                     COULD NOT RUN: no case has a score on both arms" in out
    assert "orphan                   COULD NOT RUN: no item is called 'orphan'" in out


@pytest.mark.usefixtures("_on")
def test_model_and_ceiling_come_from_the_environment(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_all("--json") == 0
    first = json.loads(capsys.readouterr().out)
    validate(first, "eval-all-1")
    result = from_document(first["suites"][0]["result"])
    assert (first["runs"], result.model, result.max_cost_usd) == (1, "default", 0.5)
    monkeypatch.setenv("EVALS_MODEL", "haiku")
    monkeypatch.setenv("EVALS_MAX_COST_USD", "0.2")
    run_all("--json")
    result = from_document(json.loads(capsys.readouterr().out)["suites"][0]["result"])
    assert (result.model, result.max_cost_usd) == ("haiku", 0.2)
    run_all("--json", "--model", "opus", "--max-cost-usd", "0.3")
    result = from_document(json.loads(capsys.readouterr().out)["suites"][0]["result"])
    assert (result.model, result.max_cost_usd) == ("opus", 0.3)


@pytest.mark.usefixtures("_on")
@pytest.mark.parametrize(("ceiling", "told"), [("much", "is not a number"), ("0", "more than 0 dollars")])
def test_a_ceiling_that_is_none_is_a_usage_error(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    ceiling: str,
    told: str,
) -> None:
    monkeypatch.setenv("EVALS_MAX_COST_USD", ceiling)
    assert run_all() == 2
    assert told in capsys.readouterr().err


@pytest.mark.usefixtures("_on")
def test_no_suite_at_all_could_not_run(
    tmp_path_factory: pytest.TempPathFactory, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_all("--project", str(tmp_path_factory.mktemp("empty"))) == 3
    assert "there is no ablation suite under" in capsys.readouterr().err


@pytest.mark.usefixtures("_on")
def test_the_suite_directly_under_evals_belongs_to_the_plugin(
    tmp_path_factory: pytest.TempPathFactory, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin = tmp_path_factory.mktemp("plugin")
    write(plugin / ".claude-plugin" / "plugin.json", '{"name": "tools"}')
    write(plugin / "rules.yaml", RULES)
    write(plugin / "evals" / "fires" / "prompt.md", "x\n")
    write(plugin / "evals" / "fires" / "graders" / "g.md", "---\ntype: regex\n---\nfix\n")
    assert run_all("--project", str(plugin)) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("tools                    no-signal")
