"""`assay bisect` on a real git history: the commit is found, and what was paid for is not paid again."""

import json
import subprocess
from pathlib import Path

import pytest

from assay.cli import main

HEAD = "---\nname: commit\ndescription: Writes a commit message.\n---\n"
RULES = """
- {case: a, item_contains: SHAKY, say: ["fix: it", "done"], cost_usd: 0.01}
- {case: a, item_contains: GOOD, say: "fix: it", cost_usd: 0.01}
- {case: b, say: "fix: it", cost_usd: 0.01}
- {say: "done", cost_usd: 0.01}
"""


def git(project: Path, *arguments: str) -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    told = subprocess.run(["git", *who, *arguments], cwd=project, check=True, capture_output=True, text=True)
    return told.stdout.strip()


def commit(project: Path, words: str) -> str:
    path = project / "skills/commit/SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{HEAD}{words}\n", "utf-8")
    git(project, "add", ".")
    git(project, "commit", "-qm", words)
    return git(project, "rev-parse", "HEAD")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    for case in ("a", "b"):
        (folder / f"evals/commit/{case}/graders").mkdir(parents=True)
        (folder / f"evals/commit/{case}/prompt.md").write_text(f"Commit {case}.\n", "utf-8")
        (folder / f"evals/commit/{case}/graders/g.md").write_text("---\ntype: regex\n---\nfix\n", "utf-8")
    (folder / "rules.yaml").write_text(RULES, "utf-8")
    (folder / ".gitignore").write_text(".assay/\n", "utf-8")
    git(folder, "init", "-q")
    monkeypatch.chdir(folder)
    return folder


def bisect(*arguments: str) -> int:
    given = ["--harness", "scripted:rules.yaml", "--quiet", "--max-cost-usd", "9"]
    with pytest.raises(SystemExit) as end:
        main(["bisect", "commit", *given, *arguments])
    assert isinstance(end.value.code, int)
    return end.value.code


def test_the_commit_that_dropped_it_is_found_and_the_store_is_used(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = commit(project, "GOOD 1")
    for number in range(2, 6):
        commit(project, f"GOOD {number}")
    (project / "notes.md").write_text("not of the item", "utf-8")
    git(project, "add", ".")
    git(project, "commit", "-qm", "notes")
    guilty = commit(project, "the words were lost")
    for number in range(2, 5):
        commit(project, f"still lost {number}")
    assert bisect("--good", first, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["found"], found["is_shown"]) == ("bisect/1", guilty, True)
    assert found["p_drop"] < 0.001
    assert [look["is_good"] for look in found["looks"][:2]] == [True, False]
    between = found["looks"][2:]
    assert 2 <= len(between) <= 4, "halved, not walked"
    assert all(look["trials"] < 64 for look in between), "decided before the cap"
    assert found["spent_usd"] > 0.3
    assert bisect("--good", first) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"commit: it dropped with {guilty[:12]}")
    assert "$0.00" in told.splitlines()[-1]


def test_one_case_alone_may_be_looked_at(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, guilty = commit(project, "GOOD 1"), commit(project, "lost")
    assert bisect("--good", first, "--case", "a", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["found"], found["trials"]) == (guilty, 16)
    assert bisect("--good", first, "--case", "b") == 1
    assert "no drop is shown" in capsys.readouterr().out
    assert bisect("--good", first, "--case", "z") == 2
    assert "the cases are a, b" in capsys.readouterr().err


def test_a_version_that_is_like_neither_end_is_not_guessed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = commit(project, "GOOD 1")
    shaky, last = commit(project, "SHAKY GOOD"), commit(project, "lost")
    assert bisect("--good", first, "--case", "a", "--json") == 4
    found = json.loads(capsys.readouterr().out)
    assert (found["found"], found["suspects"]) == (None, [shaky, last])
    assert found["looks"][-1]["is_good"] is None


def test_a_merge_counts_as_one_commit(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = commit(project, "GOOD 1")
    git(project, "checkout", "-qb", "side")
    commit(project, "GOOD side")
    commit(project, "lost on the side")
    git(project, "checkout", "-q", "-")
    git(project, "merge", "-q", "--no-ff", "-m", "merge side", "side")
    merge = git(project, "rev-parse", "HEAD")
    assert bisect("--good", first, "--json") == 0
    assert json.loads(capsys.readouterr().out)["found"] == merge


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--good", "HEAD"), "nothing of 'commit' changed"),
        (("--good", "nowhere"), "git knows no revision 'nowhere'"),
        ((), "name the version that was good with --good"),
        (("--good", "HEAD", "--bad", "HEAD~1"), "does not lie before"),
    ],
)
def test_what_cannot_be_searched_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str
) -> None:
    commit(project, "GOOD 1")
    commit(project, "GOOD 2")
    assert bisect(*arguments) == 2
    assert told in capsys.readouterr().err


def test_the_ceiling_ends_the_search(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = commit(project, "GOOD 1")
    commit(project, "lost")
    assert bisect("--good", first, "--max-cost-usd", "0.2") == 3
    assert "the ceiling of $0.20 is reached" in capsys.readouterr().err
