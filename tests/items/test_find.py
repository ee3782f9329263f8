"""Items are found by name in the places of the spec, or by path."""

import json
from pathlib import Path

import pytest

from assay.errors import CannotRun, UsageError
from assay.items import find_item, item_at

HEAD = "---\nname: commit\ndescription: Writes a commit message.\n---\n\nSay why.\n"


def write(path: Path, text: str = HEAD) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="")
    return path


@pytest.mark.parametrize("base", ["", "registry/"])
@pytest.mark.parametrize(
    ("place", "kind"),
    [("skills/commit/SKILL.md", "skill"), ("commands/commit.md", "command"), ("agents/commit.md", "agent")],
)
def test_an_item_is_found_in_each_place_and_its_twin(
    tmp_path: Path, base: str, place: str, kind: str
) -> None:
    write(tmp_path / base / place)
    item = find_item(tmp_path, "commit")
    assert (item.kind, item.name, item.text) == (kind, "commit", HEAD)
    assert item.description == "Writes a commit message."
    assert item.unloadable is None


def test_two_items_of_one_name_cannot_run_and_both_places_are_named(tmp_path: Path) -> None:
    write(tmp_path / "skills/commit/SKILL.md")
    write(tmp_path / "registry/commands/commit.md")
    with pytest.raises(CannotRun, match=r"skills/commit/ and registry/commands/commit\.md") as told:
        find_item(tmp_path, "commit")
    assert told.value.exit_code == 3


def test_no_item_of_the_name_names_every_place_looked_in(tmp_path: Path) -> None:
    with pytest.raises(CannotRun) as told:
        find_item(tmp_path, "commit")
    for place in ("skills/commit/", "commands/commit.md", "agents/commit.md"):
        assert place in str(told.value)
        assert f"registry/{place}" in str(told.value)


@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_name_is_a_usage_error(tmp_path: Path, name: str) -> None:
    write(tmp_path / "skills/SKILL.md")
    with pytest.raises(UsageError, match="name is empty"):
        find_item(tmp_path, name)


def test_the_kind_can_be_said_with_the_name(tmp_path: Path) -> None:
    write(tmp_path / "skills/commit/SKILL.md")
    write(tmp_path / "commands/commit.md")
    assert find_item(tmp_path, "command:commit").kind == "command"
    assert find_item(tmp_path, "skill:commit").kind == "skill"


def test_a_plugin_is_found_by_the_name_in_its_manifest(tmp_path: Path) -> None:
    write(tmp_path / ".claude-plugin/plugin.json", json.dumps({"name": "tools", "description": "Tools."}))
    write(tmp_path / "skills/commit/SKILL.md")
    plugin = find_item(tmp_path, "tools")
    assert (plugin.kind, plugin.name, plugin.description) == ("plugin", "tools", "Tools.")
    assert "# skills/commit/SKILL.md" in plugin.text
    assert "Say why." in plugin.text


def test_a_plugin_with_the_manifest_at_its_top_is_found_below_plugins(tmp_path: Path) -> None:
    write(tmp_path / "plugins/tools/plugin.json", json.dumps({"name": "tools"}))
    assert find_item(tmp_path, "tools").root == tmp_path / "plugins/tools"


def test_a_skill_is_meant_before_the_plugin_of_the_same_name(tmp_path: Path) -> None:
    write(tmp_path / "plugin.json", json.dumps({"name": "commit"}))
    write(tmp_path / "skills/commit/SKILL.md")
    assert find_item(tmp_path, "commit").kind == "skill"
    assert find_item(tmp_path, "plugin:commit").kind == "plugin"


def test_the_project_itself_may_be_the_skill(tmp_path: Path) -> None:
    write(tmp_path / "commit" / "SKILL.md")
    assert find_item(tmp_path / "commit", "commit").kind == "skill"


def test_items_are_found_by_path(tmp_path: Path) -> None:
    write(tmp_path / ".claude/skills/commit/SKILL.md")
    write(tmp_path / "prompts/greet.md", "Greet.")
    assert find_item(tmp_path, ".claude/skills/commit").kind == "skill"
    prompt = find_item(tmp_path, "prompt:prompts/greet.md")
    assert (prompt.kind, prompt.name, prompt.text) == ("prompt", "greet", "Greet.")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere.md", r"there is no prompt at .*nowhere\.md"),
        ("empty", r"empty is neither a skill \(SKILL\.md\) nor a plugin"),
        ("skills/commit/SKILL.md", "is a file of a skill: give its folder"),
    ],
)
def test_a_path_that_is_no_item_says_what_was_expected(tmp_path: Path, path: str, message: str) -> None:
    (tmp_path / "empty").mkdir()
    write(tmp_path / "skills/commit/SKILL.md")
    with pytest.raises(CannotRun, match=message):
        item_at(tmp_path / path)


def test_a_skill_folder_without_its_file_cannot_run(tmp_path: Path) -> None:
    (tmp_path / "skills/commit").mkdir(parents=True)
    with pytest.raises(CannotRun, match=r"there is no SKILL\.md in .*skills/commit"):
        find_item(tmp_path, "commit")


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    (tmp_path / "commands").mkdir()
    (tmp_path / "commands/commit.md").write_bytes(b"caf\xe9")
    with pytest.raises(UsageError, match=r"commit\.md is not UTF-8 text \(byte 3\)"):
        find_item(tmp_path, "commit")


def test_a_skill_that_would_not_load_says_so_with_its_line(tmp_path: Path) -> None:
    write(tmp_path / "skills/commit/SKILL.md", "---\nname: commit\ndescription: Use it: always\n---\nText.\n")
    unloadable = find_item(tmp_path, "commit").unloadable
    assert unloadable is not None
    assert "skills/commit/SKILL.md:3: the frontmatter is not YAML" in unloadable
    assert "put a text that holds `: ` in quotes" in unloadable


def test_a_command_needs_no_frontmatter(tmp_path: Path) -> None:
    write(tmp_path / "commands/commit.md", "Commit it.")
    assert find_item(tmp_path, "commit").unloadable is None


def test_a_broken_manifest_would_not_load(tmp_path: Path) -> None:
    write(tmp_path / "tools/.claude-plugin/plugin.json", "{\n  name: 1\n}")
    unloadable = find_item(tmp_path, "tools").unloadable
    assert unloadable is not None
    assert "plugin.json:2: not JSON" in unloadable
