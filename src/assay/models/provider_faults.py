"""What a provider's error means for a trial: whose fault it is, and when to try again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.model import Fault, FaultKind

if TYPE_CHECKING:
    from pydantic_ai.exceptions import AgentRunError, UserError

USAGE_LIMIT = re.compile(
    r"insufficient_quota|usage limit|credit balance|spending limit|billing|exceeded your current quota",
    re.IGNORECASE,
)
"""Words in which providers say that waiting a minute will not help."""

BY_STATUS: dict[int, FaultKind] = {
    401: "auth",
    402: "usage_limit",
    403: "auth",
    408: "api_timeout",
    429: "rate_limit",
    529: "overloaded",
}
"""Any other 5xx is `server`; any other 4xx says that the request can never be answered: `setup`."""
LONGEST_BODY = 300


def fault_of(model: str, error: AgentRunError | UserError) -> Fault:
    """The fault that an error of pydantic-ai stands for, told in one line."""
    from pydantic_ai.exceptions import ModelAPIError, ModelConnectionError, ModelHTTPError, ModelTimeoutError

    if isinstance(error, ModelHTTPError):
        told = _told(error.body) or type(error).__name__
        kind = kind_of_status(error.status_code, told)
        return Fault(kind, f"{model}: {error.status_code} {told}", error.retry_after)
    if isinstance(error, ModelTimeoutError):
        return Fault("api_timeout", f"{model}: {error}")
    if isinstance(error, ModelConnectionError):
        return Fault("network", f"{model}: {error.__cause__ or error}")
    if isinstance(error, ModelAPIError):
        return Fault("server", f"{model}: {_told(error.body) or error}", error.retry_after)
    kind = "server" if isinstance(error, _unreadable()) else "setup"
    return Fault(kind, f"{model}: {error}")


def kind_of_status(status: int, told: str = "") -> FaultKind:
    """The kind of fault of an HTTP status and what came with it."""
    if status in (400, 403, 429) and USAGE_LIMIT.search(told):
        return "usage_limit"
    return BY_STATUS.get(status, "server" if status >= 500 else "setup")


def _unreadable() -> type[Exception]:
    from pydantic_ai.exceptions import UnexpectedModelBehavior

    return UnexpectedModelBehavior


def _told(body: object) -> str:
    """The message in an error's body, whatever shape the provider gives it; its code where it has one."""
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict):
            words = [str(inner[key]) for key in ("type", "code", "status", "message") if inner.get(key)]
            return ": ".join(words)[:LONGEST_BODY]
    return " ".join(str(body or "").split())[:LONGEST_BODY]
