"""Provider models against real HTTP on the loopback that speaks each provider's wire."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from assay.errors import CannotRun, TrialFailed, UsageError
from assay.models import Message, Request, open_model
from assay.models.prices import Price
from assay.models.providers import Access

pytest.importorskip("pydantic_ai", reason="the extra `models` is not installed")

SCHEMA = {"type": "object", "properties": {"met": {"type": "boolean"}}, "required": ["met"]}
MODELS = {
    "anthropic": "anthropic:claude-haiku-4-5",
    "openai": "openai:gpt-5-mini",
    "google-gla": "google-gla:gemini-2.5-flash",
}


def anthropic_reply(text: str, tool: bool) -> dict[str, Any]:
    block = {"type": "tool_use", "id": "t", "name": "answer", "input": {"met": True}}
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-4-5-20251001",
        "content": [block if tool else {"type": "text", "text": text}],
        "stop_reason": "tool_use" if tool else "end_turn",
        "usage": {"input_tokens": 100, "output_tokens": 20},
    }


def openai_reply(text: str, tool: bool) -> dict[str, Any]:
    call = {"id": "t", "type": "function", "function": {"name": "answer", "arguments": '{"met": true}'}}
    message = {
        "role": "assistant",
        "content": None if tool else text,
        **({"tool_calls": [call]} if tool else {}),
    }
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-5-mini-2026-01-01",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if tool else "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def google_reply(text: str, tool: bool) -> dict[str, Any]:
    part = {"functionCall": {"name": "answer", "args": {"met": True}}} if tool else {"text": text}
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120},
        "modelVersion": "gemini-2.5-flash-001",
        "responseId": "r",
    }


REPLIES = {"anthropic": anthropic_reply, "openai": openai_reply, "google-gla": google_reply}


@dataclass
class Wire:
    """Answers every request by `status`, `headers` and `body`; keeps what was asked."""

    url: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    hangs: threading.Event | None = None
    asked: list[Any] = field(default_factory=list)


@pytest.fixture
def wire() -> Iterator[Wire]:
    state = Wire()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            state.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            if state.hangs:
                state.hangs.wait(30)
            content = json.dumps(state.body).encode()
            self.send_response(state.status)
            for name, value in {"Content-Type": "application/json", **state.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    yield state
    if state.hangs:
        state.hangs.set()
    server.shutdown()
    server.server_close()


def opened(provider, wire, tmp_path, **access):
    urls = {provider: wire.url}
    return open_model(MODELS[provider], folder=tmp_path, access=Access(base_urls=urls, **access))


def ask(model, text="Say hi.", **settings):
    return model.complete(Request((Message("system", "Be brief."), Message("user", text)), **settings))


@pytest.mark.parametrize("provider", MODELS)
def test_answer_comes_with_usage_cost_and_the_model_that_gave_it(provider, wire, tmp_path):
    wire.body = REPLIES[provider]("hello", tool=False)
    model = opened(provider, wire, tmp_path)
    answer = ask(model, max_tokens=77)
    model.close()
    assert answer.text == "hello"
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (100, 20)
    assert answer.usage.cache_read_tokens is None
    assert answer.usage.cost_usd is not None
    assert 0 < answer.usage.cost_usd < 0.001
    assert answer.model != MODELS[provider]
    assert answer.model.startswith(MODELS[provider].split(":")[1])
    sent = json.dumps(wire.asked)
    assert "Be brief." in sent
    assert "Say hi." in sent
    assert "77" in sent


@pytest.mark.parametrize("provider", MODELS)
def test_schema_goes_out_and_its_answer_comes_back_as_json(provider, wire, tmp_path):
    wire.body = REPLIES[provider]("", tool=True)
    model = opened(provider, wire, tmp_path)
    answer = ask(model, schema=SCHEMA)
    model.close()
    assert json.loads(answer.text) == {"met": True}
    assert '"met"' in json.dumps(wire.asked)


@pytest.mark.parametrize("provider", MODELS)
@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (401, "invalid key", "auth"),
        (403, "not allowed", "auth"),
        (429, "slow down", "rate_limit"),
        (429, "You exceeded your current quota (insufficient_quota)", "usage_limit"),
        (400, "Your credit balance is too low", "usage_limit"),
        (400, "no such parameter", "setup"),
        (404, "no such model", "setup"),
        (500, "oops", "server"),
        (503, "try later", "server"),
        (529, "Overloaded", "overloaded"),
    ],
)
def test_error_becomes_its_kind_of_fault_after_one_request(provider, status, message, kind, wire, tmp_path):
    wire.status = status
    wire.headers = {"Retry-After": "7"} if status == 429 else {}
    wire.body = {"error": {"message": message, "type": "some_error", "code": status}}
    model = opened(provider, wire, tmp_path)
    with pytest.raises(TrialFailed) as failed:
        ask(model)
    model.close()
    assert failed.value.fault.kind == kind
    assert message in failed.value.fault.message
    assert failed.value.fault.retry_after_s == (7 if status == 429 else None)
    assert len(wire.asked) == 1


@pytest.mark.parametrize("provider", MODELS)
def test_no_answer_in_time_is_an_api_timeout(provider, wire, tmp_path):
    wire.hangs = threading.Event()
    model = opened(provider, wire, tmp_path)
    with pytest.raises(TrialFailed) as failed:
        ask(model, timeout_s=0.5)
    model.close()
    assert failed.value.fault.kind == "api_timeout"


@pytest.mark.parametrize("provider", MODELS)
def test_refused_connection_is_a_network_fault(provider, wire, tmp_path):
    wire.url = "http://127.0.0.1:9"
    model = opened(provider, wire, tmp_path)
    with pytest.raises(TrialFailed) as failed:
        ask(model)
    model.close()
    assert failed.value.fault.kind == "network"


@pytest.mark.parametrize("provider", MODELS)
def test_body_that_is_no_answer_is_the_servers_fault(provider, wire, tmp_path):
    wire.body = {"hello": "world"}
    model = opened(provider, wire, tmp_path)
    with pytest.raises(TrialFailed) as failed:
        ask(model)
    model.close()
    assert failed.value.fault.kind in ("server", "empty")


def test_many_threads_share_one_model(wire, tmp_path):
    wire.body = anthropic_reply("hello", tool=False)
    model = opened("anthropic", wire, tmp_path)
    texts: list[str] = []
    threads = [threading.Thread(target=lambda: texts.append(ask(model).text)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    model.close()
    assert texts == ["hello"] * 16


def test_own_price_beats_the_list(wire, tmp_path):
    wire.body = anthropic_reply("hello", tool=False)
    model = opened("anthropic", wire, tmp_path, prices={"claude-haiku-4-5": Price(input=10_000, output=0)})
    assert ask(model).usage.cost_usd == 1.0
    model.close()


def test_missing_key_names_its_variable_and_is_never_taken_from_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not for the library to read")
    with pytest.raises(CannotRun, match="set ANTHROPIC_API_KEY"):
        open_model("anthropic:claude-haiku-4-5", folder=tmp_path)


def test_unknown_provider_lists_the_known(tmp_path):
    with pytest.raises(UsageError, match="anthropic:…, openai:…, google-gla:…"):
        open_model("acme:large", folder=tmp_path)


def test_grammar_is_refused_before_anything_is_sent(wire, tmp_path):
    model = opened("anthropic", wire, tmp_path)
    with pytest.raises(TrialFailed, match="only the embedded model follows a grammar"):
        ask(model, grammar='root ::= "x"')
    assert wire.asked == []
