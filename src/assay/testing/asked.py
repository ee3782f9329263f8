"""What a request to a model holds, told the same for the Anthropic and the OpenAI wire."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.model import JSON

_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>\s*", re.DOTALL)
_LISTING = re.compile(r"^- ([\w.-]+(?::[\w./-]+)?): ", re.MULTILINE)
_SKILLS = "skills are available for use with the Skill tool"
_AGENTS = "Available agent types for the Agent tool"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request. Texts are joined by newlines; reminders of the client's are not part of a prompt."""

    model: str
    stream: bool
    prompt: str
    """The last message that a person typed (or that a sub-agent was started with)."""
    system: str
    text: str
    """Everything: system, messages, tool calls and results."""
    tools: tuple[str, ...]
    skills: tuple[str, ...]
    """Skills the client lists, as it names them (`plugin:name`)."""
    agents: tuple[str, ...]
    results: tuple[str, ...]
    """Tool results since the prompt, oldest first."""
    turn: int
    """How many answers the model has given since the prompt."""

    @property
    def is_judge(self) -> bool:
        """No tools, and a question to be answered by PASS or FAIL."""
        return not self.tools and "PASS" in self.prompt and "FAIL" in self.prompt


def read_request(body: JSON) -> Asked:
    """The request body of `/v1/messages` or `/v1/chat/completions`."""
    messages = [message for message in body.get("messages", ()) if isinstance(message, dict)]
    system = "\n".join(
        [
            *_texts(body.get("system")),
            *_joined(m for m in messages if m.get("role") in ("system", "developer")),
        ]
    )
    said = [m for m in messages if m.get("role") not in ("system", "developer")]
    start = max((n for n, message in enumerate(said) if _is_typed(message)), default=0)
    after = said[start + 1 :]
    everything = "\n".join([system, *_joined(said)])
    return Asked(
        model=str(body.get("model", "")),
        stream=bool(body.get("stream")),
        prompt=_prompt(said[start]) if said else "",
        system=system,
        text=everything,
        tools=tuple(_tool_name(tool) for tool in body.get("tools") or ()),
        skills=_listed(everything, _SKILLS),
        agents=_listed(everything, _AGENTS),
        results=tuple(result for message in after for result in _results(message)),
        turn=sum(message.get("role") == "assistant" for message in after),
    )


def _joined(messages: Iterable[JSON]) -> list[str]:
    return ["\n".join(_texts(message.get("content"))) for message in messages]


def _texts(content: JSON) -> list[str]:
    """Every text in a message's content, tool calls as JSON-like text included."""
    if content is None:
        return []
    if isinstance(content, str):
        return [content]
    if isinstance(content, dict):
        content = [content]
    found: list[str] = []
    for block in content:
        if block.get("type") == "tool_use":
            found.append(f"{block.get('name')} {block.get('input')}")
        elif block.get("type") == "tool_result":
            found.extend(_texts(block.get("content")))
        else:
            found.append(str(block.get("text", "")))
    return found


def _is_typed(message: JSON) -> bool:
    """A user message that is not just the answer to a tool call."""
    if message.get("role") != "user":
        return False
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return not any(block.get("type") == "tool_result" for block in blocks) and bool(_prompt(message))


def _prompt(message: JSON) -> str:
    return _REMINDER.sub("", "\n".join(_texts(message.get("content")))).strip()


def _results(message: JSON) -> list[str]:
    content = message.get("content")
    if message.get("role") == "tool":
        return ["\n".join(_texts(content))]
    blocks = content if isinstance(content, list) else []
    return ["\n".join(_texts(b.get("content"))) for b in blocks if b.get("type") == "tool_result"]


def _tool_name(tool: JSON) -> str:
    return str(tool.get("name") or tool.get("function", {}).get("name", ""))


def _listed(text: str, heading: str) -> tuple[str, ...]:
    """The names in the client's list that follows a heading, up to the next paragraph that is none."""
    names: list[str] = []
    for part in text.split(heading)[1:]:
        body = part.partition("\n")[2].strip("\n").split("\n\n")[0]
        names.extend(_LISTING.findall(body))
    return tuple(dict.fromkeys(names))
