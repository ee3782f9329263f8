"""One POST to an endpoint of the user's: time limit for the whole call, answer capped, ended with the run."""

from __future__ import annotations

import http.client
import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from assay.errors import TrialFailed
from assay.model import Fault, FaultKind
from assay.version import __version__

if TYPE_CHECKING:
    from assay.harnesses import Stop

CHUNK = 1 << 16
SHOWN = 300


def post(
    url: str, body: bytes, *, content_type: str, timeout_s: float, cap: int, stop: Stop | None = None
) -> str | None:
    """The body of the answer, at most `cap` bytes of it; None where the time was up.

    Anything but a status 2xx, and a connection that fails, raises TrialFailed: an error, never a score.
    """
    deadline = time.monotonic() + timeout_s
    connection = _connection(url, timeout_s)
    withdraw = stop.on_stop(lambda: _cut(connection)) if stop else None
    try:
        path = urlsplit(url)
        target = (path.path or "/") + (f"?{path.query}" if path.query else "")
        headers = {"Content-Type": content_type, "Accept": "*/*", "User-Agent": f"assay/{__version__}"}
        connection.request("POST", target, body, headers)
        _limit(connection, deadline)
        response = connection.getresponse()
        text = _read(connection, response, deadline, cap)
    except TimeoutError:
        return None
    except (OSError, http.client.HTTPException) as error:
        if stop and stop.is_set():
            raise TrialFailed(Fault("interrupted", "the call was ended with the run")) from error
        raise TrialFailed(Fault("network", f"{url}: {error or type(error).__name__}")) from error
    finally:
        if withdraw:
            withdraw()
        connection.close()
    if not 200 <= response.status < 300:
        raise TrialFailed(_fault(url, response, text))
    return text


def _connection(url: str, timeout_s: float) -> http.client.HTTPConnection:
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname or "", parts.port, timeout=timeout_s)


def _limit(connection: http.client.HTTPConnection, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    if connection.sock:
        connection.sock.settimeout(left)


def _read(
    connection: http.client.HTTPConnection, response: http.client.HTTPResponse, deadline: float, cap: int
) -> str:
    kept = bytearray()
    while len(kept) < cap:
        _limit(connection, deadline)
        chunk = response.read1(min(CHUNK, cap - len(kept)))
        if not chunk:
            break
        kept += chunk
    return kept.decode("utf-8-sig", "replace")


def _cut(connection: http.client.HTTPConnection) -> None:
    with suppress(OSError, AttributeError):
        connection.sock.shutdown(socket.SHUT_RDWR)


def _fault(url: str, response: http.client.HTTPResponse, text: str) -> Fault:
    kind: FaultKind = "harness"
    if response.status == 429:
        kind = "rate_limit"
    elif response.status in (401, 403):
        kind = "auth"
    elif response.status >= 500:
        kind = "server"
    after = response.getheader("Retry-After") or ""
    said = " ".join(text.split())[:SHOWN]
    message = f"{url} answered {response.status}: {said or 'nothing'}"
    return Fault(kind, message, float(after) if after.isdecimal() else None)
