"""The ledger: rows are appended, never edited, and read back whatever was put into them."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import Unusable, UsageError
from assay.store.ledger import Row, append_row, find_rejected, find_row, page_links

ROW = Row(
    date="2026-10-09",
    skill="commit",
    pr="#4300",
    pages="[commit-skipped-hook](patterns/commit-skipped-hook.md)",
    before="0.67 (without)",
    after="0.83",
    outcome="accepted",
    run="eval-commit-20261009T084444Z",
)
LINE = (
    "| 2026-10-09 | commit | #4300 | [commit-skipped-hook](patterns/commit-skipped-hook.md) "
    "| 0.67 (without) | 0.83 | accepted | <!-- run:eval-commit-20261009T084444Z -->"
)
TABLE = "| Date | Skill | PR | Pages cited | Score before | Score after | Outcome |\n|---|---|---|---|---|---|---|\n"


def test_a_new_ledger_has_a_title_and_the_table(tmp_path: Path) -> None:
    append_row(tmp_path / "wiki.md", ROW)
    assert (tmp_path / "wiki.md").read_text("utf-8") == f"# Skill impact\n\n{TABLE}{LINE}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TABLE, f"{TABLE}{LINE}\n"),
        (f"{TABLE}| a | b |", f"{TABLE}| a | b |\n{LINE}\n"),
        (f"# T\n\n{TABLE}| a |\n\nNotes.\n", f"# T\n\n{TABLE}| a |\n{LINE}\n\nNotes.\n"),
        ("Words.\n", f"Words.\n\n{TABLE}{LINE}\n"),
        ("Words.", f"Words.\n\n{TABLE}{LINE}\n"),
    ],
    ids=["empty table", "no last line end", "text behind the table", "no table", "no table, no line end"],
)
def test_a_row_goes_below_the_last_one_and_nothing_else_changes(
    tmp_path: Path, before: str, after: str
) -> None:
    path = tmp_path / "wiki.md"
    path.write_text(before, "utf-8")
    append_row(path, ROW)
    assert path.read_text("utf-8") == after


def test_line_ends_and_bom_of_the_file_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "wiki.md"
    path.write_bytes(("\ufeff" + TABLE.replace("\n", "\r\n")).encode())
    append_row(path, ROW)
    assert path.read_bytes() == ("\ufeff" + (TABLE + LINE + "\n").replace("\n", "\r\n")).encode()


def test_a_row_is_found_by_its_run(tmp_path: Path) -> None:
    append_row(tmp_path / "w.md", ROW)
    append_row(tmp_path / "w.md", replace(ROW, run="eval-commit-2", outcome="rejected: x; y"))
    assert find_row(tmp_path / "w.md", ROW.run) == ROW
    assert find_row(tmp_path / "w.md", "eval-commit-2") == replace(
        ROW, run="eval-commit-2", outcome="rejected: x; y"
    )
    assert find_row(tmp_path / "w.md", "eval-commit") is None
    assert find_row(tmp_path / "gone.md", ROW.run) is None


def test_a_rejected_edit_is_known_again_by_its_digest(tmp_path: Path) -> None:
    path = tmp_path / "w.md"
    rejected = replace(ROW, outcome="rejected: x", item_digest="sha256:a")
    append_row(path, rejected)
    append_row(path, replace(ROW, run="r2", item_digest="sha256:b"))
    assert path.read_text("utf-8").split("\n")[4].endswith(f"| <!-- item:sha256:a --> <!-- run:{ROW.run} -->")
    assert find_rejected(path, "commit", "sha256:a") == find_row(path, ROW.run) == rejected
    assert find_rejected(path, "commit", "sha256:b") is None, "it was accepted"
    assert find_rejected(path, "other", "sha256:a") is None


def test_pipes_and_line_ends_are_escaped() -> None:
    line = replace(ROW, pr="a|b\nc <!-- run:x -->").to_line()
    assert r"| a\|b<br>c &lt;!-- run:x --> |" in line


@given(st.text(), st.text())
def test_whatever_a_cell_holds_the_row_is_one_line_and_still_found(
    tmp_path_factory: pytest.TempPathFactory, pr: str, outcome: str
) -> None:
    path = tmp_path_factory.mktemp("ledger") / "w.md"
    append_row(path, replace(ROW, pr=pr, outcome=outcome))
    append_row(path, replace(ROW, run="next"))
    assert len(path.read_text("utf-8").split("\n")) == 7
    found = find_row(path, ROW.run)
    assert found is not None
    assert (found.skill, found.after, found.run) == (ROW.skill, ROW.after, ROW.run)


def test_a_line_that_is_no_row_is_unusable(tmp_path: Path) -> None:
    path = tmp_path / "w.md"
    path.write_text("\n| a | <!-- run:r -->\n", "utf-8")
    with pytest.raises(Unusable, match=r"w\.md:2 is not a row of 7 cells"):
        find_row(path, "r")


def pages(project: Path, *names: str) -> None:
    for name in names:
        path = project / "wiki" / "patterns" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", "utf-8")


def test_pages_are_relative_links(tmp_path: Path) -> None:
    pages(tmp_path, "a.md", "git/b c.md")
    assert (
        page_links(tmp_path, ["a.md", " git/b c"]) == "[a](patterns/a.md), [git/b c](patterns/git/b%20c.md)"
    )


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["a", "x", "y"], "no such page under wiki/patterns/: x, y"),
        (["../../secret"], "no such page under wiki/patterns/"),
        (["", " "], "--pages needs at least one page"),
    ],
)
def test_pages_that_are_not_there_are_all_named(tmp_path: Path, names: list[str], told: str) -> None:
    pages(tmp_path, "a.md")
    (tmp_path / "secret.md").write_text("", "utf-8")
    with pytest.raises(UsageError, match=told):
        page_links(tmp_path, names)


def test_nothing_is_written_into_a_merge_that_is_not_finished(tmp_path: Path) -> None:
    path = tmp_path / "wiki.md"
    text = f"{TABLE}| a |\n<<<<<<< HEAD\n{LINE}\n=======\n| b |\n>>>>>>> other\n"
    path.write_text(text, "utf-8")
    for work in (lambda: append_row(path, ROW), lambda: find_row(path, ROW.run)):
        with pytest.raises(Unusable, match=r"wiki\.md:4 is a mark of a merge that is not finished"):
            work()
    assert path.read_text("utf-8") == text
