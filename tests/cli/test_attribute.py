"""`assay attribute` on two stored runs and a real git history: the missing mixes are run, and only those."""

import json
import subprocess
from pathlib import Path

import pytest

from assay.cli import main

HEAD = "---\nname: commit\ndescription: Writes a commit message.\n---\n"
RULES = """
- {case: a, item_contains: GOOD, say: "fix: it", cost_usd: 0.01}
- {say: "done", cost_usd: 0.01}
"""
RUN = ["--harness", "scripted:rules.yaml", "--quiet", "--max-cost-usd", "9"]


def git(project: Path, *arguments: str) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", *who, *arguments], cwd=project, check=True, capture_output=True)


def keep(project: Path) -> None:
    git(project, "add", ".")
    git(project, "commit", "-qm", "kept")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    write(folder / "skills/commit/SKILL.md", f"{HEAD}PLAIN\n")
    write(folder / "rules.yaml", RULES)
    write(folder / ".gitignore", ".assay/\n")
    for case in ("a", "b"):
        write(folder / f"evals/commit/{case}/prompt.md", f"Commit {case}.\n")
        write(folder / f"evals/commit/{case}/graders/g.md", "---\ntype: regex\n---\nfix\n")
    git(folder, "init", "-q")
    keep(folder)
    monkeypatch.chdir(folder)
    return folder


def assay(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    assert isinstance(end.value.code, int)
    return end.value.code


def ran(capsys: pytest.CaptureFixture[str], *more: str) -> str:
    assert assay("run", "commit", *RUN, "--runs", "4", "--json", *more) == 0
    return str(json.loads(capsys.readouterr().out)["run"])


def test_the_difference_is_split_among_item_suite_and_model(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = ran(capsys, "--model", "small")
    write(project / "skills/commit/SKILL.md", f"{HEAD}GOOD\n")
    write(project / "evals/commit/b/graders/g.md", "---\ntype: regex\n---\ndone\n")
    keep(project)
    second = ran(capsys, "--model", "large")
    assert assay("attribute", first, second, *RUN, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    shares = {share["name"]: share for share in found["shares"]}
    assert (found["schema"], found["scores"], found["runs"]) == ("attribution/1", [0.0, 1.0], 4)
    assert {name: share["effect"] for name, share in shares.items()} == {
        "item": pytest.approx(0.5),
        "suite": pytest.approx(0.5),
        "model": pytest.approx(0.0),
    }
    assert shares["item"]["interval"][0] > 0.2
    assert (shares["model"]["before"], shares["model"]["now"]) == ("small", "large")
    assert found["trials"] == 8 * 8
    assert found["reused"] >= 2 * 8, "what the two runs had paid for"
    assert found["spent_usd"] == pytest.approx(0.01 * (found["trials"] - found["reused"]))
    assert assay("attribute", first, second, *RUN) == 0
    told = capsys.readouterr().out
    assert told.startswith("commit: 0.00 became 1.00 (+1.00,")
    assert "model    +0.00" in told
    assert "64 trials, 64 of them from the store, $0.00" in told


def test_runs_that_differ_in_nothing_are_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = ran(capsys), ran(capsys, "--fresh")
    assert assay("attribute", first, second, *RUN) == 2
    assert "only in luck" in capsys.readouterr().err


def test_what_no_commit_holds_cannot_be_run_again(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(project / "skills/commit/SKILL.md", f"{HEAD}never kept\n")
    first = ran(capsys)
    write(project / "skills/commit/SKILL.md", f"{HEAD}GOOD\n")
    second = ran(capsys)
    assert assay("attribute", first, second, *RUN) == 3
    assert f"no commit holds commit as {first} ran it" in capsys.readouterr().err


def test_a_harness_that_is_not_that_of_the_run_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = ran(capsys)
    write(project / "skills/commit/SKILL.md", f"{HEAD}GOOD\n")
    second = ran(capsys)
    assert assay("attribute", first, second, "--harness", "command:true", "--quiet") == 3
    assert "name what it ran on with --harness or --harness-before" in capsys.readouterr().err


def test_models_are_those_of_the_runs(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert assay("attribute", "x", "y", *RUN, "--model", "m") == 2
    assert "those of the two runs" in capsys.readouterr().err
