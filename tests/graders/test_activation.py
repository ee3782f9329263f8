"""Whether an item fired, told from a transcript."""

from pathlib import Path

import pytest

from assay.graders.activation import activation_of
from assay.model import Activation, Item, Sight, ToolCall, Transcript


def item(kind, name="commit"):
    return Item(kind, name, Path("x"), "sha256:x", "")


def transcript(*calls, tools=("Skill", "Task")):
    return Transcript("", tool_calls=calls, sight=Sight(tools=tools))


def skill(name, parent=None):
    return ToolCall("Skill", {"skill": name}, parent=parent)


def agent(kind, tool="Agent"):
    return ToolCall(tool, {"subagent_type": kind, "prompt": "commit"})


@pytest.mark.parametrize("name", ["commit", "my-plug:commit", "/commit"])
def test_a_skill_fires_by_any_of_its_names(name):
    assert activation_of(transcript(skill(name)), item("skill")) == Activation(1, True, False)


@pytest.mark.parametrize("name", ["commits", "commit:other", "my-plug:recommit", ""])
def test_another_name_is_another_skill(name):
    assert activation_of(transcript(skill(name)), item("skill")) == Activation(0, False, False)


def test_fired_and_fired_first_are_apart():
    calls = (ToolCall("Read", {}), skill("using-superpowers"), skill("commit"), skill("commit"))
    assert activation_of(transcript(*calls), item("skill")) == Activation(2, False, False)
    assert activation_of(transcript(*calls[:1], *calls[2:]), item("skill")) == Activation(2, True, False)


def test_a_sub_agent_that_fires_it_is_seen():
    fired = activation_of(transcript(agent("general"), skill("commit", parent="1")), item("skill"))
    assert fired == Activation(1, False, True)


@pytest.mark.parametrize("tool", ["Agent", "Task"])
def test_agents_fire_under_either_name_of_the_tool(tool):
    reviewer = item("agent", "reviewer")
    assert activation_of(transcript(agent("my-plug:reviewer", tool)), reviewer).fired
    assert not activation_of(transcript(skill("reviewer")), reviewer).fired


def test_a_plugin_fires_by_any_of_its_parts():
    plugin = item("plugin", "my-plug")
    assert activation_of(transcript(skill("my-plug:commit"), agent("my-plug:reviewer")), plugin).calls == 2
    assert not activation_of(transcript(skill("other:commit")), plugin).fired


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (transcript(skill("commit")), None),
        (transcript(skill("commit")), item("prompt")),
        (transcript(tools=("Read",)), item("skill")),
        (Transcript("x"), item("skill")),
    ],
)
def test_what_cannot_be_told_is_unknown(given, what):
    assert activation_of(given, what) is None
