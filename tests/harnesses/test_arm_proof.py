"""What an arm could see decides whether its trial counts."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay.errors import TrialFailed
from assay.harnesses.arm_proof import operators_names, prove
from assay.harnesses.claude_arm import build_arm, plugin_name
from assay.items import item_at
from support.claude import PLUGIN, STREAMS, told_case, trial_of

SKILL = PLUGIN / "skills/commit"


def init_of(name, room):
    text = (STREAMS / f"{name}.jsonl").read_text("utf-8").splitlines()[0]
    return json.loads(text.replace("/room", room.as_posix()))


@pytest.fixture
def loaded(tmp_path):
    """An arm with the skill and what the client listed on it."""
    return build_arm(trial_of(told_case(), item_at(SKILL)), tmp_path / "1", PLUGIN), init_of(
        "fires", tmp_path / "1"
    )


@pytest.fixture
def bare(tmp_path):
    return build_arm(trial_of(told_case(), None), tmp_path / "2", PLUGIN), init_of("without", tmp_path / "2")


def fault(arm, init, operators=frozenset()):
    with pytest.raises(TrialFailed) as caught:
        prove(init, arm, operators)
    return caught.value.fault


def test_clean_arms_are_proven(loaded, bare):
    for arm, init in (loaded, bare):
        prove(init, arm, frozenset())


@pytest.mark.parametrize(
    ("name", "place"),
    [("command", "commands/release.md"), ("agent_target", "agents/reviewer.md"), ("sub_agent_fires", "")],
)
def test_commands_agents_and_plugins_are_found_in_their_lists(tmp_path, name, place):
    arm = build_arm(trial_of(told_case(), item_at(PLUGIN / place)), tmp_path, PLUGIN)
    prove(init_of(name, tmp_path), arm, frozenset())


def test_an_item_that_is_not_listed_is_missing(loaded):
    arm, init = loaded
    init["skills"] = [name for name in init["skills"] if name != "my-plug:commit"]
    told = fault(arm, init)
    assert told.kind == "item-missing"
    assert "did not list the skill 'commit'" in told.message


def test_an_item_that_cannot_be_loaded_says_why(loaded):
    arm, init = loaded
    init["plugins"] = []
    init["skills"] = init["slash_commands"] = init["agents"] = []
    told = fault(replace(arm, item=replace(arm.item, unloadable="SKILL.md:2: not YAML")), init)
    assert (told.kind, "SKILL.md:2: not YAML" in told.message) == ("item-missing", True)


def test_the_item_on_the_other_arm_contaminates_it(bare, loaded):
    arm, init = bare
    for key in ("skills", "plugins"):
        init[key] = loaded[1][key]
    told = fault(arm, init)
    assert told.kind == "contaminated"
    assert "'my-plug'" in told.message
    assert "without" in told.message


def test_a_skill_of_the_operators_contaminates_either_arm(loaded, bare):
    for arm, init in (loaded, bare):
        init["skills"].append("commit")
        told = fault(arm, init, frozenset({"commit"}))
        assert (told.kind, "'commit' of the operator" in told.message) == ("contaminated", True)


@pytest.mark.parametrize(
    ("key", "value", "seen"),
    [
        ("plugins", [{"name": "spy", "path": "/home/someone/spy"}], "spy"),
        ("agents", ["spy:agent"], "spy:agent"),
        ("slash_commands", ["spy:command"], "spy:command"),
        ("mcp_servers", [{"name": "notes", "status": "connected"}], "notes"),
        ("cwd", "/home/someone/project", "/home/someone/project"),
        ("memory_paths", {"auto": "/home/someone/.claude/memory"}, "/home/someone"),
    ],
)
def test_anything_else_of_another_place_is_named(bare, key, value, seen):
    arm, init = bare
    init[key] = init[key] + value if key in ("plugins", "agents", "slash_commands") else value
    told = fault(arm, init)
    assert (told.kind, seen in told.message) == ("contaminated", True)


def test_a_copy_that_the_agent_changed_does_not_count(loaded):
    arm, init = loaded
    (arm.copy / "SKILL.md").write_text("other", "utf-8")
    assert fault(arm, init).kind == "contaminated"


def test_a_client_that_lists_nothing_proves_nothing(bare):
    assert fault(bare[0], None).kind == "harness"


def test_names_of_the_operator_and_of_the_project(tmp_path):
    home, project = tmp_path / "home", tmp_path / "project"
    (home / ".claude/skills/mine").mkdir(parents=True)
    (home / ".claude/skills/mine/SKILL.md").write_text("x", "utf-8")
    (project / ".claude/commands/deep").mkdir(parents=True)
    (project / ".claude/commands/deep/ship.md").write_text("x", "utf-8")
    (project / ".claude/agents").mkdir()
    (project / ".claude/agents/verify.md").write_text("x", "utf-8")
    assert operators_names(project, {"HOME": str(home)}) == {"mine", "ship"}
    assert operators_names(project, {"CLAUDE_CONFIG_DIR": str(home / ".claude")}) == {"mine", "ship"}


def test_a_plugin_gives_the_item_its_name(tmp_path):
    assert plugin_name(item_at(SKILL), tmp_path) == "my-plug"
    assert plugin_name(item_at(PLUGIN), tmp_path) == "my-plug"
    alone = tmp_path / "skills" / "alone"
    alone.mkdir(parents=True)
    (alone / "SKILL.md").write_text("---\nname: alone\ndescription: x\n---\n", "utf-8")
    assert plugin_name(item_at(alone), tmp_path) == "local"
    assert plugin_name(item_at(alone), PLUGIN) == "my-plug"


def test_an_item_without_a_plugin_gets_a_neutral_one(tmp_path):
    alone = tmp_path / "skills" / "alone"
    alone.mkdir(parents=True)
    (alone / "SKILL.md").write_text("---\nname: alone\ndescription: x\n---\n", "utf-8")
    arm = build_arm(trial_of(told_case(), item_at(alone)), tmp_path / "room", tmp_path)
    manifest = json.loads(Path(arm.plugins[0], ".claude-plugin/plugin.json").read_text("utf-8"))
    assert (manifest["name"], arm.full_name) == ("local", "local:alone")
