"""A bare language model: on `with` the item's text is its system prompt, on `without` it has none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.model import Sight, Transcript
from assay.models import Message, Request
from assay.version import __version__

if TYPE_CHECKING:
    from assay.harnesses import Room, Setup
    from assay.model import Item, Trial
    from assay.models import ChatModel

DEFAULT_MODEL = "local"
MAX_TOKENS = 512
_LONG_HASH = re.compile(r"(sha256:[0-9a-f]{12})[0-9a-f]+")
"""The stamp is for people and keeps twelve digits; the settings, which a key is made of, keep all."""
_FRONTMATTER = re.compile(r"\A﻿?---[ \t]*\r?\n.*?^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)


class ModelHarness:
    """Sends each input to a fresh conversation of one model. `--harness model:MAX_TOKENS` caps the answer."""

    name = "model"

    def __init__(self, model: ChatModel, max_tokens: int = MAX_TOKENS) -> None:
        self._model = model
        self._max_tokens = max_tokens
        self.concurrency = model.concurrency
        self.is_free = self.reports_cost = model.is_free

    @classmethod
    def set_up(cls, setup: Setup) -> ModelHarness:
        if setup.open_model is None:
            raise UsageError("the harness 'model' needs a model: name one with --model")
        tokens = setup.argument or str(MAX_TOKENS)
        if not tokens.isdecimal() or int(tokens) < 1:
            raise UsageError(
                f"--harness model:{tokens}: expected how many tokens an answer may have, as in model:256"
            )
        return cls(setup.open_model(setup.model or DEFAULT_MODEL), int(tokens))

    @property
    def stamp(self) -> str:
        model = _LONG_HASH.sub(r"\1", self._model.stamp)
        return f"{self.name}@{__version__}+{model}"

    def settings(self) -> dict[str, Any]:
        return {"max_tokens": self._max_tokens, "model": self._model.stamp, "set_up": self._model.settings()}

    def run(self, trial: Trial, room: Room) -> Transcript:
        request = Request(_messages(trial), max_tokens=self._max_tokens, timeout_s=room.timeout_s)
        answer = self._model.complete(request)
        item = (trial.item.name,) if trial.item else ()
        return Transcript(
            answer.text,
            usage=answer.usage,
            sight=Sight(skills=item, model=answer.model, client=self.stamp),
            turns=1,
            model_reported=answer.model,
            notes=_notes(trial, answer.stopped == "length"),
        )

    def close(self) -> None:
        self._model.close()


def _notes(trial: Trial, is_cut: bool) -> tuple[str, ...]:
    cut = ("the answer was cut at its token limit",) if is_cut else ()
    count = len(trial.case.files)
    unread = (f"a bare model opens no files: it was not given the {count} of the case",) if count else ()
    return (*cut, *unread)


def _messages(trial: Trial) -> tuple[Message, ...]:
    parts = [item_body(trial.item)] if trial.item else []
    if trial.case.settings.append_system_prompt:
        parts.append(trial.case.settings.append_system_prompt)
    system = (Message("system", "\n\n".join(parts)),) if parts else ()
    return (*system, Message("user", trial.case.prompt))


def item_body(item: Item) -> str:
    """What a bare model is given of an item: its text without the frontmatter."""
    return _FRONTMATTER.sub("", item.text, count=1).strip()
