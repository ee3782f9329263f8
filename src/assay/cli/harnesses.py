"""Sets up what runs a suite: the harness, its model and the judge, from options, settings and environment."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from assay.cli.environment import chosen_models_folder, provider_access, session_model
from assay.errors import CannotRun, UsageError
from assay.graders import JUDGED
from assay.harnesses import Setup, set_up

if TYPE_CHECKING:
    from assay.cli.options import RunOptions
    from assay.cli.project import Config
    from assay.harnesses import Harness
    from assay.model import ItemKind, Suite
    from assay.models import ChatModel

AGENT_HARNESSES = frozenset({"claude", "plugin-eval"})
SMALL_JUDGE = "anthropic:claude-haiku-4-5"
"""The small fast model that the platform judges with."""
UNPAID = frozenset({"gguf", "scripted", "constant"})
"""Kinds of chat models that cost nothing, or say themselves what they cost."""
AGENT_ITEMS: frozenset[ItemKind] = frozenset({"skill", "command", "agent", "plugin"})


@dataclass(frozen=True, slots=True)
class Rig:
    """What a run runs on. Close it when the run is over."""

    harness: Harness
    model: str
    """As asked for: the key that bests are kept under."""
    judge: ChatModel | None
    judge_model: str | None = None
    """The judge's name; the platform's own has no `judge` here."""

    def close(self) -> None:
        self.harness.close()
        if self.judge:
            self.judge.close()


@dataclass(frozen=True, slots=True)
class Chosen:
    """The harness of a run, by options, settings and environment."""

    harness: Harness
    name: str
    model: str
    """As asked for; `default` where nothing was."""


def choose_harness(options: RunOptions, kind: ItemKind) -> Chosen:
    """Set the harness up. Raises UsageError, CannotRun or ModelMissing before anything is spent."""
    if options.source:
        from assay.cli.regrade import stored_harness

        stored = stored_harness(options.source)
        return Chosen(stored, stored.name, options.source.model or "default")
    chosen = options.harness or options.project.config.harness or default_harness(kind)
    name, _, argument = chosen.partition(":")
    model = options.model or options.project.config.model
    if model is None and name in AGENT_HARNESSES:
        model = session_model()
    setup = Setup(
        project=options.project.root,
        argument=argument or None,
        model=model,
        env=dict(os.environ),
        open_model=partial(open_chat_model, config=options.project.config),
        allow_tools=options.allow_tools,
        scaffold=options.scaffold,
        idle_timeout_s=options.idle_timeout,
    )
    return Chosen(set_up(name, setup), name, model or _default_model(name))


def rig(options: RunOptions, suites: tuple[Suite, ...], kind: ItemKind) -> Rig:
    """Set up harness and judge. Raises UsageError, CannotRun or ModelMissing before anything is spent."""
    chosen = choose_harness(options, kind)
    judged = any(spec.type in JUDGED for suite in suites for case in suite.cases for spec in case.graders)
    if chosen.name == "plugin-eval" and not options.source:
        from assay.harnesses.plugin_eval import platform_judge

        asked = platform_judge(options.judge_model or options.project.config.judge_model)
        return Rig(chosen.harness, chosen.model, None, asked if judged else None)
    model = options.model or options.project.config.model
    judge = _judge(options, chosen.name, model) if judged else None
    return Rig(chosen.harness, chosen.model, judge, judge.name if judge else None)


def default_harness(kind: ItemKind) -> str:
    """`claude` for what Claude Code loads where its CLI is found, else a bare model."""
    if kind in AGENT_ITEMS and shutil.which("claude"):
        return "claude"
    try:
        import xllamacpp  # noqa: F401  # is the embedded model's runtime there?
    except ImportError:
        message = "no harness is usable here; `assay doctor` says what is missing"
        raise CannotRun(message) from None
    return "model"


def open_chat_model(name: str, config: Config) -> ChatModel:
    """A language model by its name, with the user's folder of model files, keys and own prices.

    Raises UsageError for a model whose price is not known: no ceiling could hold.
    """
    from assay.models import open_model
    from assay.models.prices import is_priced, own_prices

    prices = own_prices(config.prices)
    kind, colon, rest = name.partition(":")
    is_paid = bool(colon) and kind not in UNPAID and not {name, rest} & set(config.free_models)
    if is_paid and not is_priced(name, prices):
        raise UsageError(
            f"the price of {name} is not known, so that no ceiling could hold: give it under `prices`, or"
            " name the model under `free_models`, in the settings of the project"
        )
    return open_model(name, folder=chosen_models_folder(), access=provider_access(prices))


def _judge(options: RunOptions, harness: str, model: str | None) -> ChatModel:
    name = options.judge_model or options.project.config.judge_model
    if name is None:
        name = (
            (model or "local")
            if harness in ("model", "command", "scripted")
            else "anthropic:claude-haiku-4-5"
        )
    return open_chat_model(name, options.project.config)


def _default_model(harness: str) -> str:
    if harness == "model":
        return "local"
    return "default"
