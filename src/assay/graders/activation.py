"""Whether an item fired in one trial: the model called it, which is more than having it loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.model import Activation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.model import Item, ToolCall, Transcript

SKILL_TOOLS = frozenset({"Skill"})
AGENT_TOOLS = frozenset({"Agent", "Task"})
"""The client renamed the one to the other; some versions list one and call the other."""
_NAME_KEYS = ("skill", "command", "subagent_type")


def activation_of(transcript: Transcript, item: Item | None) -> Activation | None:
    """What the transcript says; None without an item, and where nothing was offered that could fire it."""
    tools = AGENT_TOOLS if item is not None and item.kind == "agent" else SKILL_TOOLS
    if item is None or item.kind in ("prompt", "feature") or transcript.sight is None:
        return None
    if item.kind == "plugin":
        tools = SKILL_TOOLS | AGENT_TOOLS
    if not tools & frozenset(transcript.sight.tools):
        return None
    firing = [call for call in transcript.tool_calls if call.name in SKILL_TOOLS | AGENT_TOOLS]
    ours = [call for call in firing if call.name in tools and _is_of(call, item)]
    return Activation(
        calls=len(ours),
        first=bool(ours) and firing[0] is ours[0],
        by_sub_agent=any(call.parent is not None for call in ours),
    )


def _is_of(call: ToolCall, item: Item) -> bool:
    """Whether a call names the item, with or without its plugin's name; of a plugin, any of its parts."""
    name = _called(call)
    plugin, colon, bare = name.rpartition(":")
    if item.kind == "plugin":
        return bool(colon) and plugin == item.name
    return bare == item.name


def _called(call: ToolCall) -> str:
    given: Mapping[str, object] = call.input if isinstance(call.input, dict) else {}
    return next((str(given[key]).lstrip("/") for key in _NAME_KEYS if given.get(key)), "")
