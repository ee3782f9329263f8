"""Harnesses run the agent or model. One protocol, one table of dotted paths, code on use."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from assay.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.model import Transcript, Trial

HARNESSES = {
    "claude": "assay.harnesses.claude:ClaudeHarness",
    "command": "assay.harnesses.command:CommandHarness",
    "feature": "assay.harnesses.feature:FeatureHarness",
    "model": "assay.harnesses.language_model:ModelHarness",
    "scripted": "assay.harnesses.scripted:ScriptedHarness",
}


class Stop(Protocol):
    """Tells a running trial that the run is over. Thread-safe."""

    def is_set(self) -> bool: ...

    def on_stop(self, end: Callable[[], None]) -> Callable[[], None]:
        """Call `end` when the run stops (at once if it has); returns what takes that back."""


class Room(Protocol):
    """What the engine lends to one trial."""

    @property
    def stop(self) -> Stop: ...

    @property
    def folder(self) -> Path:
        """An empty workspace of the trial's own, made on first use, removed afterwards."""

    @property
    def timeout_s(self) -> float:
        """How long the whole trial may take."""


class Harness(Protocol):
    """Runs one trial at a time from any number of threads.

    `run` returns the transcript of a trial that ran, also one that hit its time-out or turn limit, and
    raises `TrialFailed` where infrastructure died. It never prints and reads no environment variable
    that it does not document.
    """

    name: str
    concurrency: int | None
    """The most trials it can run at once; None where only `-j` limits it."""
    reports_cost: bool
    """True where its transcripts carry their own cost, so that no price is needed under a ceiling."""

    @property
    def stamp(self) -> str:
        """`name@version`, as it goes into results and keys."""

    def settings(self) -> dict[str, Any]:
        """What else of its set-up decides a trial's outcome, JSON-clean: part of the trial's key."""

    def run(self, trial: Trial, room: Room) -> Transcript: ...

    def close(self) -> None: ...


def harness_class(name: str) -> Any:
    """The class of a harness by its name, from our table or the entry points `assay.harnesses`."""
    if name in HARNESSES:
        module, _, attribute = HARNESSES[name].partition(":")
        return getattr(import_module(module), attribute)
    for entry in entry_points(group="assay.harnesses"):
        if entry.name == name:
            return entry.load()
    raise UsageError(f"no harness is called {name!r}; there are: {', '.join(sorted(HARNESSES))}")
