"""Which ends of a Claude Code run are infrastructure's fault, and which are a run like any other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.model import Ending, Fault

if TYPE_CHECKING:
    from assay.harnesses.claude_stream import Stream
    from assay.harnesses.process import Completed
    from assay.model import JSON, FaultKind

_USAGE_LIMIT = re.compile(
    r"usage limit|limit reached|hit your .{0,30}limit|credit balance"
    r"|out of (?:extra )?usage|spend(?:ing)? limit",
    re.I,
)
_LOGIN = re.compile(r"/login|not logged in|invalid api key|authenticat|oauth token", re.I)
_EMPTY = re.compile(r"empty or malformed response", re.I)
_TIMED_OUT = re.compile(r"timed? ?out|ETIMEDOUT", re.I)
_CONNECTION = re.compile(r"connect|ECONN|socket|network|DNS|ENOTFOUND|certificate|fetch failed", re.I)
_BY_STATUS: dict[int, FaultKind] = {401: "auth", 403: "auth", 429: "rate_limit", 529: "overloaded"}
_BY_STATUS |= {408: "api_timeout", 504: "api_timeout"}
_BY_NAME: dict[str, FaultKind] = {
    "authentication_failed": "auth",
    "rate_limit": "rate_limit",
    "overloaded": "overloaded",
    "billing_error": "usage_limit",
}
_TAIL = 500


def end_of(stream: Stream, completed: Completed) -> Ending | Fault:
    """How a run ended: a fault, or an ending that is scored.

    A turn limit and a time-out of the agent are scored. A time-out before the model's first answer, or
    while the client waits to repeat a failed request, is the API's.
    """
    if completed.ended == "stopped":
        return Fault("interrupted", "the run was stopped")
    if completed.capped:
        return Fault("harness", "the client wrote more than the harness keeps of its output")
    if stream.result is not None:
        return _reported(stream, completed)
    if completed.ended in ("timeout", "idle_timeout"):
        return _timed_out(stream, completed)
    return _crashed(stream, completed)


def _reported(stream: Stream, completed: Completed) -> Ending | Fault:
    result = stream.result
    if result.get("subtype") == "error_max_turns":
        return "max_turns"
    if result.get("terminal_reason") == "prompt_too_long":
        return "exit"
    if stream.api_error is not None or result.get("terminal_reason") == "api_error":
        return _api_fault({**result, **(stream.api_error or {})}, str(result.get("result") or stream.output))
    if result.get("is_error"):
        told = "; ".join(str(error) for error in result.get("errors") or ()) or str(result.get("result"))
        return Fault("harness", f"the client ended on {result.get('subtype')}: {told[:_TAIL]}")
    return "done" if completed.exit_code == 0 else "exit"


def _api_fault(error: JSON, told: str, wait_s: float | None = None) -> Fault:
    status = error.get("api_error_status") or error.get("error_status")
    return Fault(_kind(status, error.get("error"), told), told[:_TAIL], wait_s)


def _kind(status: int | None, name: str | None, told: str) -> FaultKind:
    if _USAGE_LIMIT.search(told):
        return "usage_limit"
    if status is not None:
        other: FaultKind = "server" if status >= 500 else "setup"
        return _BY_STATUS.get(status) or _BY_NAME.get(name or "") or other
    if name in _BY_NAME:
        return _BY_NAME[name]
    for pattern, kind in _TOLD:
        if pattern.search(told):
            return kind
    return "server"


_TOLD: tuple[tuple[re.Pattern[str], FaultKind], ...] = (
    (_EMPTY, "empty"),
    (_TIMED_OUT, "api_timeout"),
    (_CONNECTION, "network"),
    (_LOGIN, "auth"),
)


def _timed_out(stream: Stream, completed: Completed) -> Ending | Fault:
    if stream.retrying is not None:
        told = f"still repeating a failed request ({stream.retrying.get('error')}) at the time-out"
        return _api_fault(stream.retrying, told, float(stream.retrying.get("retry_delay_ms") or 0) / 1000)
    if not stream.answered:
        return Fault("api_timeout", f"no answer from the model within {completed.duration_s:.0f} s")
    return "timeout" if completed.ended == "timeout" else "idle_timeout"


def _crashed(stream: Stream, completed: Completed) -> Fault:
    told = completed.stderr.decode("utf-8", "replace").strip()[-_TAIL:]
    if _LOGIN.search(told):
        return Fault("auth", told)
    if not stream.trace and completed.exit_code == 0:
        return Fault("empty", "the client ended without a single event")
    return Fault("harness", f"the client crashed (exit {completed.exit_code}): {told or 'it said nothing'}")
