"""The real client as a language model that judges and routes: for who has a login to it and no API key.

Each call is a run of its own in an empty home and workspace, without the item and with one turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.engine.room import TrialRoom
from assay.engine.rooms import Rooms
from assay.engine.stop import StopFlag
from assay.errors import TrialFailed
from assay.model import WITHOUT, Case, Fault, Location, Settings, Trial, digest_of
from assay.models import Completion

if TYPE_CHECKING:
    from assay.cli.harnesses import Chosen
    from assay.cli.options import RunOptions
    from assay.harnesses import Harness
    from assay.models import ChatModel, Request

CLIENT = "claude"
UNASKED = "default"
"""The model of a client that was not told one."""


class ClientModel:
    """`claude:MODEL`; `claude:default` is the model that the client takes by itself."""

    is_free = False

    def __init__(self, harness: Harness, model: str, *, owns_harness: bool = False) -> None:
        self.name = f"{CLIENT}:{model}"
        self.concurrency = harness.concurrency
        self._harness = harness
        self._model = None if model == UNASKED else model
        self._owns_harness = owns_harness
        self._stop = StopFlag()

    @property
    def stamp(self) -> str:
        return f"{self._harness.stamp} {self.name}"

    def settings(self) -> dict[str, Any]:
        return {"client": self._harness.stamp, "model": self._model}

    def complete(self, request: Request) -> Completion:
        """One turn of the client. Raises `TrialFailed`, also where it did something else than answer."""
        system = "\n\n".join(one.content for one in request.messages if one.role == "system")
        asked = "\n\n".join(one.content for one in request.messages if one.role != "system")
        settings = Settings(max_turns=1, timeout_s=request.timeout_s, append_system_prompt=system or None)
        case = Case("asked", "asked", asked, (), Location("asked"), settings=settings)
        trial = Trial(case, WITHOUT, 1, None, self._model, digest_of([system, asked]))
        with Rooms() as rooms, TrialRoom(self._stop, request.timeout_s, rooms=rooms) as room:
            transcript = self._harness.run(trial, room)
        if transcript.ended != "done":
            raise TrialFailed(Fault("judge", f"{self.name} did not answer: {transcript.ended}"))
        return Completion(transcript.output, transcript.usage, transcript.model_reported or self.name)

    def close(self) -> None:
        self._stop.set()
        if self._owns_harness:
            self._harness.close()


def open_asked(name: str, options: RunOptions, chosen: Chosen | None = None) -> ChatModel:
    """A model that is asked questions: a chat model, or `claude:MODEL` through the client of the run."""
    from assay.cli.harnesses import choose_harness, open_chat_model

    kind, colon, model = name.partition(":")
    if kind != CLIENT or not colon:
        return open_chat_model(name, options.project.config)
    if chosen is not None and chosen.name == CLIENT:
        return ClientModel(chosen.harness, model or UNASKED)
    from dataclasses import replace

    own = choose_harness(replace(options, harness=CLIENT), "skill")
    return ClientModel(own.harness, model or UNASKED, owns_harness=True)
