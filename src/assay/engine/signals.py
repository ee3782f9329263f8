"""Ctrl-C and SIGTERM end a run in good order: what is done is kept; a second one ends it at once."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from assay.engine.stop import StopFlag


@contextmanager
def stopping(stop: StopFlag) -> Iterator[None]:
    """While inside, the first signal sets `stop`; the second raises KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        # In a thread of its own: the signal may have come while this one holds a lock that `set` needs.
        threading.Thread(target=stop.set, daemon=True).start()

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
