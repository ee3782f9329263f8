"""The one signal that ends a run: set by Ctrl-C, a ceiling or a verdict that is certain."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class StopFlag:
    """Thread-safe. Set once; everything registered with `on_stop` is then called once."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._endings: dict[object, Callable[[], None]] = {}

    def is_set(self) -> bool:
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Sleep, but no longer than until the run stops; True if it has."""
        return self._event.wait(seconds)

    def set(self) -> None:
        self._event.set()
        with self._lock:
            endings, self._endings = list(self._endings.values()), {}
        for end in endings:
            end()

    def on_stop(self, end: Callable[[], None]) -> Callable[[], None]:
        token = object()
        with self._lock:
            if not self._event.is_set():
                self._endings[token] = end
                return lambda: self._withdraw(token)
        end()
        return lambda: None

    def _withdraw(self, token: object) -> None:
        with self._lock:
            self._endings.pop(token, None)
