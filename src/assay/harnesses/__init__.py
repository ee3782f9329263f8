"""Harnesses run the agent or model. One protocol, one table of dotted paths, code on use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from assay.named import named

if TYPE_CHECKING:
    from assay.model import Transcript, Trial
    from assay.models import ChatModel

HARNESSES = {
    "claude": "assay.harnesses.claude:ClaudeHarness",
    "command": "assay.harnesses.command:CommandHarness",
    "feature": "assay.harnesses.feature:FeatureHarness",
    "model": "assay.harnesses.language_model:ModelHarness",
    "plugin-eval": "assay.harnesses.plugin_eval:PluginEvalHarness",
    "scripted": "assay.harnesses.scripted:ScriptedHarness",
}


class Stop(Protocol):
    """Tells a running trial that the run is over. Thread-safe."""

    def is_set(self) -> bool: ...

    def wait(self, seconds: float) -> bool:
        """Sleep, but no longer than until the run stops; True if it has."""

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


@dataclass(frozen=True, slots=True)
class Setup:
    """What the command line knows when it sets a harness up."""

    project: Path
    argument: str | None = None
    """What follows the colon in `--harness NAME:ARGUMENT`."""
    model: str | None = None
    """As asked for; None is the harness's own default."""
    env: Mapping[str, str] = field(default_factory=dict)
    """The user's environment: a harness passes on the variables it documents and no others."""
    open_model: Callable[[str], ChatModel] | None = None
    allow_tools: tuple[str, ...] = ()
    scaffold: bool = False
    """True where the user allowed the suite's scaffold scripts to run."""
    idle_timeout_s: float | None = None
    """How long a trial's process may be silent; None: as long as the trial may take."""


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
    is_free: bool
    """True where no trial costs anything, whatever the model."""

    @property
    def stamp(self) -> str:
        """`name@version`, as it goes into results and keys."""

    def settings(self) -> dict[str, Any]:
        """What else of its set-up decides a trial's outcome, JSON-clean: part of the trial's key."""

    def run(self, trial: Trial, room: Room) -> Transcript: ...

    def close(self) -> None: ...


def set_up(name: str, setup: Setup) -> Harness:
    """The harness of that name, ready to run: its class's `set_up(setup)`. Raises UsageError, CannotRun."""
    harness: Harness = named("harness", name, HARNESSES, "assay.harnesses").set_up(setup)
    return harness
