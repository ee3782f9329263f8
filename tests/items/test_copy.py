"""A copied item lies where a client looks for it, without what is not of it."""

from pathlib import Path

import pytest

from assay.items import find_item, item_at
from assay.items.copy import copy_item

HEAD = "---\nname: commit\ndescription: d\n---\n"


def write(path: Path, text: str = HEAD) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def files_below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_skill_is_copied_with_its_files_but_without_its_evals(tmp_path: Path) -> None:
    write(tmp_path / "registry/skills/commit/SKILL.md")
    write(tmp_path / "registry/skills/commit/references/why.md")
    write(tmp_path / "registry/skills/commit/evals/fires/prompt.md")
    item = find_item(tmp_path, "commit")
    copy = copy_item(item, tmp_path / "plugin")
    assert files_below(tmp_path / "plugin") == [
        "skills/commit/SKILL.md",
        "skills/commit/references/why.md",
    ]
    assert item_at(copy).digest == item.digest


@pytest.mark.parametrize(("kind", "place"), [("command", "commands"), ("agent", "agents")])
def test_a_file_is_copied_to_its_place(tmp_path: Path, kind: str, place: str) -> None:
    write(tmp_path / "registry" / place / "commit.md")
    item = find_item(tmp_path, f"{kind}:commit")
    assert item_at(copy_item(item, tmp_path / "plugin")).digest == item.digest
    assert files_below(tmp_path / "plugin") == [f"{place}/commit.md"]


def test_a_plugin_is_copied_whole_with_its_manifest_where_clients_look(tmp_path: Path) -> None:
    write(tmp_path / "tools/plugin.json", '{"name": "tools"}')
    write(tmp_path / "tools/skills/commit/SKILL.md")
    copy_item(find_item(tmp_path, "tools"), tmp_path / "plugin")
    assert files_below(tmp_path / "plugin") == [
        ".claude-plugin/plugin.json",
        "plugin.json",
        "skills/commit/SKILL.md",
    ]


def test_a_link_is_copied_as_the_file_it_leads_to(tmp_path: Path) -> None:
    write(tmp_path / "skills/commit/SKILL.md")
    (tmp_path / "skills/commit/more.md").symlink_to("SKILL.md")
    copy = copy_item(find_item(tmp_path, "commit"), tmp_path / "plugin")
    assert not (copy / "more.md").is_symlink()
    assert (copy / "more.md").read_text("utf-8") == HEAD


def test_a_prompt_has_no_place_in_a_plugin(tmp_path: Path) -> None:
    prompt = item_at(write(tmp_path / "greet.md"))
    with pytest.raises(ValueError, match="a prompt has no place in a plugin"):
        copy_item(prompt, tmp_path / "plugin")
