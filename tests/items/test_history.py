"""Items as git holds them."""

import subprocess
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.items import item_at
from assay.items.history import resolve, restore, revision_holding

HEAD = "---\nname: commit\ndescription: d\n---\n"


def git(project: Path, *arguments: str) -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    told = subprocess.run(["git", *who, *arguments], cwd=project, check=True, capture_output=True, text=True)
    return told.stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    skill = tmp_path / "skills" / "commit"
    (skill / "references").mkdir(parents=True)
    (skill / "SKILL.md").write_text(HEAD, "utf-8")
    (skill / "references" / "why.md").write_bytes(b"\xff\0")
    (skill / "link.md").symlink_to("SKILL.md")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    return tmp_path


def test_the_commit_that_holds_the_item_is_named_only_without_changes(project: Path) -> None:
    skill = project / "skills" / "commit"
    (project / "unrelated").write_text("", "utf-8")
    assert revision_holding(project, skill) == git(project, "rev-parse", "HEAD")
    (skill / "new.md").write_text("", "utf-8")
    assert revision_holding(project, skill) is None


def test_outside_git_no_commit_holds_it(tmp_path: Path) -> None:
    assert revision_holding(tmp_path, tmp_path) is None


def test_an_item_is_restored_as_the_commit_holds_it(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    before = item_at(project / "skills/commit")
    (project / "skills/commit/SKILL.md").write_text("changed", "utf-8")
    folder = tmp_path_factory.mktemp("old")
    restored = restore(project, "HEAD", project / "skills" / "commit", folder)
    assert restored == folder / "skills/commit"
    assert item_at(restored).digest == before.digest
    assert (restored / "link.md").is_symlink()
    assert (project / "skills/commit/SKILL.md").read_text("utf-8") == "changed"


def test_a_project_may_lie_below_the_top_of_its_repository(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("old")
    restored = restore(project / "skills", "HEAD", project / "skills/commit", folder)
    assert restored == folder / "commit"
    assert (restored / "SKILL.md").read_text("utf-8") == HEAD


@pytest.mark.parametrize("revision", ["nope", "--all", "", "HEAD:skills"])
def test_a_revision_that_is_not_there_is_a_usage_error(project: Path, revision: str) -> None:
    with pytest.raises(UsageError, match="git knows no revision"):
        resolve(project, revision)


def test_a_revision_without_the_item_says_so(project: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="revision 'HEAD' holds no skills/other"):
        restore(project, "HEAD", project / "skills/other", tmp_path / "x")
