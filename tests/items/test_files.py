"""The digest of an item is its content: the same on every machine, another after every edit."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import CannotRun
from assay.items import item_at
from assay.items.files import digest_files, item_files

HEAD = "---\nname: s\ndescription: d\n---\n"


def skill(folder: Path, files: dict[str, bytes] | None = None) -> Path:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(HEAD, "utf-8")
    for name, content in (files or {}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def names(folder: Path) -> list[str]:
    return [name for name, _ in item_files(folder)]


def test_line_ends_of_the_checkout_do_not_count(tmp_path: Path) -> None:
    one = skill(tmp_path / "one" / "s", {"a.md": b"x\ny\n"})
    other = skill(tmp_path / "other" / "s", {"a.md": b"x\r\ny\r\n"})
    assert item_at(one).digest == item_at(other).digest


def test_line_ends_within_a_binary_file_count(tmp_path: Path) -> None:
    one = skill(tmp_path / "one", {"a.png": b"\0\n"})
    other = skill(tmp_path / "other", {"a.png": b"\0\r\n"})
    assert item_at(one).digest != item_at(other).digest


def test_the_digest_is_the_same_on_every_machine(tmp_path: Path) -> None:
    folder = skill(tmp_path / "s", {"references/a.md": b"a\n"})
    assert item_at(folder).digest == "sha256:23e29cf082512cddd64ec91935a8934f757e3ccb3059094c80ec8f1360388872"


@pytest.mark.parametrize("change", ["edit", "add", "rename", "swap"])
def test_every_change_of_content_is_another_digest(tmp_path: Path, change: str) -> None:
    folder = skill(tmp_path / "s", {"a.md": b"a", "b.md": b"b"})
    before = item_at(folder).digest
    if change == "edit":
        (folder / "a.md").write_bytes(b"c")
    elif change == "add":
        (folder / "c.md").write_bytes(b"")
    elif change == "rename":
        (folder / "a.md").rename(folder / "c.md")
    else:
        (folder / "a.md").write_bytes(b"b")
        (folder / "b.md").write_bytes(b"a")
    assert item_at(folder).digest != before


def test_junk_and_what_is_about_the_item_are_not_of_it(tmp_path: Path) -> None:
    junk = [".git/HEAD", ".DS_Store", "scripts/__pycache__/a.py", "scripts/a.pyc", "node_modules/x/index.js"]
    about = ["evals/baseline.json", "evals/fires/prompt.md"]
    kept = ["scripts/run.py", ".hidden"]
    folder = skill(tmp_path / "s", dict.fromkeys([*junk, *about, *kept], b""))
    assert names(folder) == [".hidden", "SKILL.md", "scripts/run.py"]


def test_the_evals_of_a_plugins_skills_are_not_of_the_plugin(tmp_path: Path) -> None:
    about = ["skills/s/evals/x.md", "wiki/skill-impact.md"]
    kept = ["skills/evals/SKILL.md", "skills/s/SKILL.md"]
    assert names(skill(tmp_path / "p", dict.fromkeys([*about, *kept], b""))) == ["SKILL.md", *kept]


def test_a_link_inside_the_item_is_the_file_it_leads_to(tmp_path: Path) -> None:
    linked = skill(tmp_path / "one", {"a.md": b"a"})
    (linked / "b.md").symlink_to("a.md")
    plain = skill(tmp_path / "two", {"a.md": b"a", "b.md": b"a"})
    assert item_at(linked).digest == item_at(plain).digest


@pytest.mark.parametrize(
    ("target", "message"),
    [("../secret", "leads out of the item"), ("gone", "a link to nothing"), (".", "a folder that holds it")],
)
def test_a_link_that_leads_elsewhere_is_refused(tmp_path: Path, target: str, message: str) -> None:
    (tmp_path / "secret").write_text("s", "utf-8")
    folder = skill(tmp_path / "s")
    (folder / "link").symlink_to(target)
    with pytest.raises(CannotRun, match=message):
        item_at(folder)


@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=3), st.binary(max_size=20).filter(lambda b: b"\0" not in b)
    )
)
def test_crlf_never_counts_in_text(
    tmp_path_factory: pytest.TempPathFactory, contents: dict[str, bytes]
) -> None:
    folder = tmp_path_factory.mktemp("item")
    for name, content in contents.items():
        (folder / name).write_bytes(content.replace(b"\r\n", b"\n"))
    before = digest_files(item_files(folder))
    for name, content in contents.items():
        (folder / name).write_bytes(content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    assert digest_files(item_files(folder)) == before
