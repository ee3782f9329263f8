"""Serves the pages on loopback until it is stopped."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from assay.errors import CannotRun

if TYPE_CHECKING:
    from starlette.types import ASGIApp
    from uvicorn import Server

LOOPBACK = "127.0.0.1"


def listen(port: int) -> socket.socket:
    """A socket on loopback; port 0 is any that is free. Raises CannotRun where the port is taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise CannotRun(
            f"port {port} of {LOOPBACK} cannot be used: {error.strerror}; try --port 0"
        ) from error
    return listener


def address_of(listener: socket.socket) -> str:
    """Where a browser finds it."""
    return f"http://{LOOPBACK}:{listener.getsockname()[1]}/"


def server(app: ASGIApp) -> Server:
    """A server that says nothing and stops on SIGINT and SIGTERM: `run(sockets=[listener])`."""
    import uvicorn

    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="critical",
        access_log=False,
        lifespan="off",
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)
