"""A model server on loopback that answers by rules. What it logs holds no header, so no secret."""

from __future__ import annotations

import json
import threading
from collections import Counter
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from assay.testing.asked import Asked, read_request
from assay.testing.rules import Rule, Rules, Turn
from assay.testing.wire import answer_of, anthropic_message, anthropic_stream, error_body, openai_completion

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from assay.model import JSON

_UNSCRIPTED = Rule("unscripted", turns=(Turn(say="(no rule of the scripted server matched this request)"),))
_MAX_BODY = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Logged:
    """One request as the server saw it, without headers."""

    number: int
    method: str
    path: str
    rule: str | None = None
    turn: int | None = None
    asked: Asked | None = None
    body: JSON = None
    """The request's body without its `metadata`."""

    def line(self) -> str:
        """One JSON line for a log file: everything but the body."""
        seen = asdict(self) | {"body": None}
        if self.asked is not None:
            seen["asked"] = {k: v for k, v in asdict(self.asked).items() if k not in ("system", "text")}
        return json.dumps(seen, ensure_ascii=False)


class ScriptedServer:
    """Serves the rules on 127.0.0.1 from its start to its end; a context manager."""

    def __init__(self, rules: Rules, *, port: int = 0, log: Path | None = None) -> None:
        self.rules = rules
        self.ended = threading.Event()
        self._log = log
        self._lock = threading.Lock()
        self._used: Counter[int] = Counter()
        self._requests: list[Logged] = []
        self._http = _Http(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """What `ANTHROPIC_BASE_URL` takes; an OpenAI client takes it with `/v1` behind."""
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def requests(self) -> tuple[Logged, ...]:
        """Every request so far, in the order of arrival."""
        with self._lock:
            return tuple(self._requests)

    def start(self) -> ScriptedServer:
        """Begin to serve."""
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop serving; answers under way that were to be slow are cut off."""
        self.ended.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> ScriptedServer:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def choose(self, asked: Asked) -> Rule:
        """The rule that answers a request; counts its use."""
        with self._lock:
            for position, rule in enumerate(self.rules.rules):
                if rule.times is not None and self._used[position] >= rule.times:
                    continue
                if rule.when.matches(asked):
                    self._used[position] += 1
                    return rule
        return _UNSCRIPTED

    def note(self, method: str, path: str, **seen: Any) -> int:
        """Log a request; returns its number, from 1."""
        with self._lock:
            logged = Logged(len(self._requests) + 1, method, path, **seen)
            self._requests.append(logged)
            if self._log is not None:
                with self._log.open("a", encoding="utf-8") as file:
                    file.write(logged.line() + "\n")
        return logged.number


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], scripted: ScriptedServer) -> None:
        self.scripted = scripted
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def log_message(self, *args: Any) -> None:
        """The log is the server's own."""

    def do_HEAD(self) -> None:
        self.server.scripted.note("HEAD", self.path)
        self._send(200, b"")

    def do_GET(self) -> None:
        self.server.scripted.note("GET", self.path)
        self._send_json(200, {})

    def do_POST(self) -> None:
        scripted, path = self.server.scripted, self.path.partition("?")[0]
        body = self._body()
        if not isinstance(body, dict):
            scripted.note("POST", self.path)
            return self._send_json(400, {"type": "error", "error": {"type": "invalid_request_error"}})
        if path.endswith("/count_tokens"):
            scripted.note("POST", self.path)
            return self._send_json(200, {"input_tokens": max(1, len(json.dumps(body)) // 4)})
        if not path.endswith(("/messages", "/chat/completions")):
            scripted.note("POST", self.path)
            return self._send_json(200, {})
        asked = read_request(body)
        rule = scripted.choose(asked)
        kept = {key: value for key, value in body.items() if key != "metadata"}
        number = scripted.note("POST", self.path, rule=rule.name, turn=asked.turn, asked=asked, body=kept)
        return self._answer(rule.turn(asked), asked, number)

    def _answer(self, turn: Turn, asked: Asked, number: int) -> None:
        if (turn.delay_s and self.server.scripted.ended.wait(turn.delay_s)) or turn.hang_up:
            self.close_connection = True
        elif turn.fail is not None:
            wait = turn.fail.retry_after
            self._send_json(
                turn.fail.status, error_body(turn.fail), {} if wait is None else {"retry-after": f"{wait:g}"}
            )
        elif turn.empty:
            self._send(200, b"", "text/event-stream" if asked.stream else "application/json")
        else:
            self._speak(turn, asked, number)

    def _speak(self, turn: Turn, asked: Asked, number: int) -> None:
        answer = answer_of(turn, asked, number, self.server.scripted.rules.usage)
        if "chat/completions" in self.path:
            self._send_json(200, openai_completion(answer))
        elif asked.stream:
            self._send(200, b"".join(anthropic_stream(answer)), "text/event-stream")
        else:
            self._send_json(200, anthropic_message(answer))

    def _body(self) -> JSON:
        length = int(self.headers.get("content-length") or 0)
        if length > _MAX_BODY:
            self.close_connection = True
            return None
        try:
            return json.loads(self.rfile.read(length) or b"{}")
        except ValueError:
            return None

    def _send_json(self, status: int, body: JSON, headers: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps(body).encode(), "application/json", headers)

    def _send(
        self, status: int, body: bytes, kind: str = "text/plain", headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {
            "content-type": kind,
            "content-length": str(len(body)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
