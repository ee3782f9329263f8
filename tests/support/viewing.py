"""`assay view` on a real socket, in a thread of the test."""

import threading
import time
from contextlib import contextmanager

import pytest


@contextmanager
def viewing(store, sources_of=lambda _: {}):
    """The address of the pages over a store file."""
    pytest.importorskip("starlette", reason="the extra `view` is not installed")
    from assay.view.app import application
    from assay.view.library import Library
    from assay.view.server import address_of, listen, server

    listener = listen(0)
    running = server(application(Library(store, sources_of)))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not running.started and thread.is_alive():
            time.sleep(0.005)
        yield address_of(listener).rstrip("/")
    finally:
        running.should_exit = True
        thread.join()
