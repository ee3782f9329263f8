"""An edit is read without touching the project, and put in the item's place without touching anything else."""

import subprocess
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.items import find_item
from assay.items.edit import edited, swap_in
from assay.items.history import revision_with
from assay.model import Item

OLD = "---\nname: commit\ndescription: d\n---\nold\n"
NEW = OLD.replace("old", "new")


def git(project: Path, *arguments: str) -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    told = subprocess.run(["git", *who, *arguments], cwd=project, check=True, capture_output=True, text=True)
    return told.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "repo" / "project"
    skill = folder / "skills" / "commit"
    (skill / "evals" / "fires").mkdir(parents=True)
    (skill / "SKILL.md").write_text(OLD, "utf-8")
    (skill / "gone.md").write_text("g", "utf-8")
    (skill / "evals" / "fires" / "prompt.md").write_text("p", "utf-8")
    (folder / "other.md").write_text("o\n", "utf-8")
    git(tmp_path / "repo", "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "old")
    return folder


def state(project: Path) -> dict[str, bytes]:
    files = (path for path in project.rglob("*") if path.is_file())
    return {path.relative_to(project).as_posix(): path.read_bytes() for path in files}


def make_change(project: Path) -> None:
    (project / "skills/commit/SKILL.md").write_text(NEW, "utf-8")
    (project / "skills/commit/gone.md").unlink()
    (project / "skills/commit/added.md").write_text("a\n", "utf-8")
    git(project, "add", ".")


def edit_by(kind: str, project: Path) -> str:
    """The same change as a revision, a patch or a folder; the project is left as it was."""
    make_change(project)
    outside = project.parent.parent
    if kind == "revision":
        git(project, "commit", "-qm", "new")
        revision = git(project, "rev-parse", "HEAD").strip()
        git(project, "reset", "-q", "--hard", "HEAD~1")
        return revision
    if kind == "patch":
        (outside / "e.patch").write_text(git(project, "diff", "--cached"), "utf-8")
    elif kind == "relative patch":
        (outside / "e.patch").write_text(git(project, "diff", "--cached", "--relative"), "utf-8")
    elif kind == "folder":
        subprocess.run(["cp", "-r", str(project / "skills/commit"), str(outside / "commit")], check=True)
    else:
        subprocess.run(["cp", "-r", str(project), str(outside / "checkout")], check=True)
    git(project, "reset", "-q", "--hard")
    places = {"folder": "commit", "checkout": "checkout"}
    return str(outside / places.get(kind, "e.patch"))


KINDS = ["revision", "patch", "relative patch", "folder", "checkout"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_edit_is_the_same_however_it_is_given(project: Path, tmp_path: Path, kind: str) -> None:
    edit = edit_by(kind, project)
    before = state(project)
    item = find_item(project, "commit")
    changed = edited(project, item, edit, tmp_path / "work")
    assert state(project) == before
    assert (changed.name, changed.kind, changed.text) == ("commit", "skill", NEW)
    make_change(project)
    assert changed.digest == find_item(project, "commit").digest


def test_swapping_in_changes_only_what_is_of_the_item(project: Path, tmp_path: Path) -> None:
    edit = edit_by("folder", project)
    item = find_item(project, "commit")
    changed = edited(project, item, edit, tmp_path / "work")
    kept = swap_in(item, changed, project / ".assay" / "replaced")
    assert find_item(project, "commit").digest == changed.digest
    assert sorted(state(project / "skills/commit")) == ["SKILL.md", "added.md", "evals/fires/prompt.md"]
    assert kept is not None
    assert (kept / "gone.md").read_text("utf-8") == "g"
    assert swap_in(find_item(project, "commit"), changed, project / ".assay") is None


def test_links_stay_links_and_what_did_not_change_is_not_written(project: Path, tmp_path: Path) -> None:
    skill = project / "skills" / "commit"
    (skill / "link.md").symlink_to("SKILL.md")
    (skill / "same.md").write_text("s", "utf-8")
    git(project, "add", ".")
    git(project, "commit", "-qm", "link")
    before = (skill / "same.md").stat().st_ino
    item = find_item(project, "commit")
    swap_in(item, edited(project, item, edit_by("revision", project), tmp_path / "work"), tmp_path / "kept")
    assert (skill / "SKILL.md").read_text("utf-8") == NEW
    assert (skill / "link.md").is_symlink()
    assert (skill / "same.md").stat().st_ino == before


def test_what_was_there_can_be_put_back(project: Path, tmp_path: Path) -> None:
    before = state(project)
    item = find_item(project, "commit")
    changed = edited(project, item, edit_by("folder", project), tmp_path / "work")
    kept = swap_in(item, changed, tmp_path / "kept")
    assert kept is not None
    back = Item("skill", "commit", kept, item.digest, OLD)
    swap_in(find_item(project, "commit"), back, tmp_path / "kept")
    assert state(project) == before


def test_an_item_of_one_file_is_replaced_by_a_file(project: Path, tmp_path: Path) -> None:
    (project / "commands").mkdir()
    (project / "commands" / "ship.md").write_text("old", "utf-8")
    (tmp_path / "ship.md").write_text("new", "utf-8")
    item = find_item(project, "ship")
    swap_in(item, edited(project, item, str(tmp_path / "ship.md"), tmp_path / "work"), tmp_path / "kept")
    assert (project / "commands" / "ship.md").read_text("utf-8") == "new"


def test_a_patch_that_changes_anything_else_is_refused(project: Path, tmp_path: Path) -> None:
    make_change(project)
    (project / "other.md").write_text("changed\n", "utf-8")
    (tmp_path / "e.patch").write_text(git(project, "diff", "HEAD"), "utf-8")
    with pytest.raises(UsageError, match=r"has to change skills/commit and nothing else: project/other\.md"):
        edited(project, find_item(project, "commit"), str(tmp_path / "e.patch"), tmp_path / "work")


def test_a_patch_that_moves_a_file_out_of_the_item_is_refused(project: Path, tmp_path: Path) -> None:
    git(project, "mv", "skills/commit/gone.md", "gone.md")
    (tmp_path / "e.patch").write_text(git(project, "diff", "HEAD", "-M"), "utf-8")
    git(project, "reset", "-q", "--hard")
    assert "rename from" in (tmp_path / "e.patch").read_text("utf-8")
    with pytest.raises(UsageError, match=r"and nothing else: project/gone\.md"):
        edited(project, find_item(project, "commit"), str(tmp_path / "e.patch"), tmp_path / "work")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("not a diff", "is no patch"),
        ("--- a/skills/commit/SKILL.md\n+++ b/skills/commit/SKILL.md\n@@ -1 +1 @@\n-x\n+y\n", "does not fit"),
    ],
)
def test_a_patch_that_cannot_be_applied_says_why(project: Path, tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "e.patch").write_text(text, "utf-8")
    with pytest.raises(UsageError, match=told):
        edited(project, find_item(project, "commit"), str(tmp_path / "e.patch"), tmp_path / "work")


def test_the_folder_of_an_edit_may_have_any_name(project: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "SKILL.md").write_text(OLD, "utf-8")
    changed = edited(project, find_item(project, "commit"), str(tmp_path / "other"), tmp_path / "work")
    assert changed.name == "commit"


def test_a_file_is_no_edit_of_a_folder(project: Path, tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("x", "utf-8")
    with pytest.raises(UsageError, match=r"cannot be an edit of .*skills/commit: folder and file"):
        edited(project, find_item(project, "commit"), str(tmp_path / "x.md"), tmp_path / "work")


def test_what_is_no_edit_at_all_names_what_was_tried(project: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="git knows no revision 'nope'"):
        edited(project, find_item(project, "commit"), "nope", tmp_path / "work")


def test_the_commit_that_held_an_item_is_found(project: Path) -> None:
    first = git(project, "rev-parse", "HEAD").strip()
    make_change(project)
    git(project, "commit", "-qm", "new")
    skill = project / "skills/commit"
    assert revision_with(project, skill, lambda revision: revision == first) == first
    assert revision_with(project, skill, lambda _: False) is None
