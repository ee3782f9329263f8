"""Reads the event stream of a headless Claude Code run, whole: what was said, called, seen and spent.

Events of sub-agents count like any other. Nothing here decides whether a run is a fault
(`claude_faults`) or whether its arm was clean (`arm_proof`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.model import Sight, ToolCall, Transcript, Usage

if TYPE_CHECKING:
    from assay.model import JSON

SYNTHETIC = "<synthetic>"
"""The model that the client names for messages of its own, such as an API error."""
BUILT_IN = "builtin"
"""The path that the client gives for plugins it brings along."""


@dataclass(frozen=True, slots=True)
class Stream:
    """The events of one run and what they say. `init` and `result` are None where they never came."""

    trace: tuple[str, ...]
    init: JSON
    result: JSON
    output: str
    tool_calls: tuple[ToolCall, ...]
    api_error: JSON
    """The main conversation's last message, where it is the client's report of a failed request."""
    retrying: JSON
    """The last event, where it announces another try of a failed request."""
    answered: bool
    """Whether the model answered at all."""

    @property
    def sight(self) -> Sight | None:
        return None if self.init is None else _sight(self.init)

    @property
    def usage(self) -> Usage:
        """The whole run's, sub-agents included; None for what was not reported."""
        return _usage(self.result)

    @property
    def model_reported(self) -> str | None:
        """The model that did the work, as the run reports it."""
        used = _object(_object(self.result).get("modelUsage"))
        asked = _string(_object(self.init).get("model"))
        return asked if asked in used or not used else next(iter(used))

    @property
    def turns(self) -> int | None:
        return _whole(_object(self.result).get("num_turns"))

    @property
    def transcript(self) -> Transcript:
        """What the events alone tell of the run."""
        return Transcript(
            output=self.output,
            tool_calls=self.tool_calls,
            trace=self.trace,
            usage=self.usage,
            sight=self.sight,
            turns=self.turns,
            model_reported=self.model_reported,
        )


def parse_stream(stdout: bytes) -> Stream:
    """Read a whole stream; lines that are not JSON objects are no events and are left out."""
    lines, events = [], []
    for line in stdout.decode("utf-8", "replace").splitlines():
        event = _event(line)
        if event is not None:
            lines.append(line.strip())
            events.append(event)
    spoken = [event for event in events if event.get("type") == "assistant"]
    answers = [event for event in spoken if _message(event).get("model") != SYNTHETIC]
    results = [event for event in events if event.get("type") == "result"]
    return Stream(
        trace=tuple(lines),
        init=next((event for event in events if _is(event, "system", "init")), None),
        result=results[-1] if results else None,
        output=_last_message(answers),
        tool_calls=tuple(_tool_calls(events)),
        api_error=_api_error(spoken),
        retrying=events[-1] if events and _is(events[-1], "system", "api_retry") else None,
        answered=bool(answers),
    )


def _event(line: str) -> JSON:
    if not line.strip():
        return None
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) else None


def _is(event: JSON, kind: str, subtype: str) -> bool:
    return (event.get("type"), event.get("subtype")) == (kind, subtype)


def _message(event: JSON) -> JSON:
    return _object(event.get("message"))


def _blocks(event: JSON, kind: str) -> list[JSON]:
    content = _message(event).get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if kind == "text" else []
    return [block for block in _array(content) if _object(block).get("type") == kind]


def _object(value: JSON) -> dict[str, JSON]:
    return value if isinstance(value, dict) else {}


def _array(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else []


def _string(value: JSON) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: JSON) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _last_message(spoken: Sequence[JSON]) -> str:
    """The text blocks, joined by newlines, of the last assistant event that has text."""
    for event in reversed(spoken):
        texts = [_string(block.get("text")) or "" for block in _blocks(event, "text")]
        if any(texts):
            return "\n".join(texts)
    return ""


def _api_error(spoken: Sequence[JSON]) -> JSON:
    own = [event for event in spoken if not event.get("parent_tool_use_id")]
    return own[-1] if own and own[-1].get("is_api_error_message") else None


@dataclass(slots=True)
class _Results:
    """What came back from tool calls, by the call's id."""

    by_id: dict[str, tuple[str, bool]] = field(default_factory=dict)

    def add(self, event: JSON) -> None:
        for block in _blocks(event, "tool_result"):
            self.by_id[str(block.get("tool_use_id"))] = (
                _text(block.get("content")),
                bool(block.get("is_error")),
            )


def _tool_calls(events: Sequence[JSON]) -> Iterator[ToolCall]:
    results = _Results()
    for event in events:
        if event.get("type") == "user":
            results.add(event)
    for event in events:
        if event.get("type") != "assistant":
            continue
        for block in _blocks(event, "tool_use"):
            result, failed = results.by_id.get(str(block.get("id")), (None, None))
            yield ToolCall(
                name=str(block.get("name")),
                input=block.get("input"),
                id=_string(block.get("id")),
                parent=_string(event.get("parent_tool_use_id")),
                result=result,
                is_error=failed,
            )


def _text(content: JSON) -> str:
    if isinstance(content, list):
        return "\n".join(str(block.get("text", "")) for block in content if isinstance(block, dict))
    return "" if content is None else str(content)


def _sight(init: JSON) -> Sight:
    return Sight(
        skills=_names(init, "skills"),
        plugins=_names(init, "plugins"),
        tools=_names(init, "tools"),
        agents=_names(init, "agents"),
        commands=_names(init, "slash_commands"),
        mcp_servers=_names(init, "mcp_servers"),
        model=_string(init.get("model")),
        client=_string(init.get("claude_code_version")),
    )


def _names(init: JSON, key: str) -> tuple[str, ...]:
    return tuple(str(_object(one).get("name", one)) for one in _array(init.get(key)))


def _usage(result: JSON) -> Usage:
    if result is None:
        return Usage()
    models = [_object(model) for model in _object(result.get("modelUsage")).values()]
    cost = result.get("total_cost_usd")

    def total(key: str) -> int | None:
        counts = [count for count in (_whole(model.get(key)) for model in models) if count is not None]
        return sum(counts) if counts else None

    return Usage(
        input_tokens=total("inputTokens"),
        output_tokens=total("outputTokens"),
        cache_read_tokens=total("cacheReadInputTokens"),
        cache_write_tokens=total("cacheCreationInputTokens"),
        cost_usd=cost if isinstance(cost, (int, float)) else None,
    )
