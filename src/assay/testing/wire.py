"""Answers of a model as they go on the wire: Anthropic (streamed and plain) and OpenAI chat completions."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assay.model import JSON
    from assay.testing.asked import Asked
    from assay.testing.rules import Failure, Turn

_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model says: text, tool calls as (id, name, input), and the usage it reports."""

    id: str
    model: str
    text: str | None
    calls: tuple[tuple[str, str, Mapping[str, JSON]], ...]
    usage: Mapping[str, int]

    @property
    def stop_reason(self) -> str:
        return "tool_use" if self.calls else "end_turn"


def answer_of(turn: Turn, asked: Asked, number: int, usage: Mapping[str, int]) -> Answer:
    """What a turn says to a request; `number` makes its ids unique."""
    calls = tuple(
        (f"toolu_{number:06d}_{position}", *call.resolve(asked)) for position, call in enumerate(turn.call)
    )
    text = turn.say
    if turn.judge is not None:
        found = re.search(turn.judge.after, asked.prompt)
        evidence = asked.prompt[found.end() :] if found else asked.prompt
        text = "PASS" if re.search(turn.judge.passes, evidence) else "FAIL"
    return Answer(f"msg_{number:06d}", asked.model, text, calls, {**usage, **turn.usage})


def anthropic_message(answer: Answer) -> JSON:
    """The plain form of an answer on the Anthropic wire."""
    text: list[JSON] = [{"type": "text", "text": answer.text}] if answer.text is not None else []
    calls = [
        {"type": "tool_use", "id": id_, "name": name, "input": dict(given)}
        for id_, name, given in answer.calls
    ]
    return {
        "id": answer.id,
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [*text, *calls],
        "stop_reason": answer.stop_reason,
        "stop_sequence": None,
        "usage": dict(answer.usage),
    }


def anthropic_stream(answer: Answer) -> Iterator[bytes]:
    """The same as server-sent events."""
    message = anthropic_message(answer)
    blocks = message.pop("content")
    start = {**message, "content": [], "stop_reason": None, "usage": {**answer.usage, "output_tokens": 1}}
    yield _event("message_start", {"message": start})
    for index, block in enumerate(blocks):
        yield from _block_events(index, block)
    delta = {"stop_reason": answer.stop_reason, "stop_sequence": None}
    yield _event("message_delta", {"delta": delta, "usage": dict(answer.usage)})
    yield _event("message_stop", {})


def _block_events(index: int, block: JSON) -> Iterator[bytes]:
    if block["type"] == "text":
        opened: JSON = {"type": "text", "text": ""}
        delta: JSON = {"type": "text_delta", "text": block["text"]}
    else:
        opened = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"], ensure_ascii=False)}
    yield _event("content_block_start", {"index": index, "content_block": opened})
    yield _event("content_block_delta", {"index": index, "delta": delta})
    yield _event("content_block_stop", {"index": index})


def _event(kind: str, fields: Mapping[str, JSON]) -> bytes:
    body = json.dumps({"type": kind, **fields}, ensure_ascii=False)
    return f"event: {kind}\ndata: {body}\n\n".encode("utf-8", "surrogatepass")


def openai_completion(answer: Answer) -> JSON:
    """The plain form of an answer of OpenAI chat completions."""
    calls = [
        {"id": id_, "type": "function", "function": {"name": name, "arguments": json.dumps(dict(given))}}
        for id_, name, given in answer.calls
    ]
    message = {"role": "assistant", "content": answer.text} | ({"tool_calls": calls} if calls else {})
    sent, made = answer.usage.get("input_tokens", 0), answer.usage.get("output_tokens", 0)
    return {
        "id": answer.id,
        "object": "chat.completion",
        "created": 0,
        "model": answer.model,
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": {"prompt_tokens": sent, "completion_tokens": made, "total_tokens": sent + made},
    }


def error_body(failure: Failure) -> JSON:
    """The body of an HTTP error, readable by clients of either wire."""
    kind = failure.type or _ERROR_TYPES.get(failure.status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": failure.message}}
