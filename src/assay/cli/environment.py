"""The environment variables that assay reads, all of them here; nothing below the command line reads any."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import UsageError
from assay.models.cache import models_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.models.prices import Price
    from assay.models.providers import Access

KEYS = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "google-gla": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
}
"""Provider → the variables that its key is in, first one first."""

BASE_URLS = {
    "anthropic": "ANTHROPIC_BASE_URL",
    "openai": "OPENAI_BASE_URL",
    "google-gla": "GOOGLE_GEMINI_BASE_URL",
}

VARIABLES = {
    "ANTHROPIC_MODEL": "the model of the Claude harnesses, where neither `--model` nor the project names one",
    "ASSAY_MODELS_DIR": "the folder for model files, instead of the platform's cache folder",
    "CLAUDE_CONFIG_DIR": "the folder of Claude Code's settings instead of `~/.claude`: their `model` is read",
    "EVALS": "`1` lets `assay all` run; without it nothing runs and nothing is spent",
    "EVALS_MAX_COST_USD": "the ceiling of each suite of `assay all`, in dollars, instead of 0.50",
    "EVALS_MODEL": "the model of `assay all`",
    "HF_ENDPOINT": "a mirror of the Hugging Face hub for `assay models pull`",
    "TERM": "`dumb`: progress is a plain line now and then, none is drawn over",
    **{name: f"the key for `{provider}:MODEL`" for provider, names in KEYS.items() for name in names},
    **{name: f"another address for `{provider}:MODEL`" for provider, name in BASE_URLS.items()},
}
"""Name → what it does, for the documentation."""


def session_model() -> str | None:
    """The model that a Claude session of this user has: $ANTHROPIC_MODEL, else that of the settings."""
    if model := os.environ.get("ANTHROPIC_MODEL"):
        return model
    folder = os.environ.get("CLAUDE_CONFIG_DIR")
    path = (Path(folder) if folder else Path.home() / ".claude") / "settings.json"
    try:
        settings = json.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError):
        return None
    model = settings.get("model") if isinstance(settings, dict) else None
    return model if isinstance(model, str) and model else None


def is_dumb() -> bool:
    """Whether the terminal cannot draw over a line."""
    return os.environ.get("TERM") == "dumb"


SMOKE_CEILING_USD = 0.50


@dataclass(frozen=True, slots=True)
class SmokeTest:
    """What the environment says about `assay all`."""

    is_on: bool
    model: str | None
    max_cost_usd: float


def smoke_test() -> SmokeTest:
    """Whether every suite is to run, on which model and under which ceiling. UsageError for no number."""
    ceiling = os.environ.get("EVALS_MAX_COST_USD") or str(SMOKE_CEILING_USD)
    try:
        dollars = float(ceiling)
    except ValueError as error:
        raise UsageError(f"EVALS_MAX_COST_USD={ceiling!r} is not a number of dollars") from error
    return SmokeTest(os.environ.get("EVALS") == "1", os.environ.get("EVALS_MODEL") or None, dollars)


def chosen_models_folder() -> Path:
    """Where model files lie for this user."""
    return models_folder(os.environ, sys.platform)


def hub_endpoint(default: str) -> str:
    """The hub that model files are fetched from."""
    return os.environ.get("HF_ENDPOINT") or default


def provider_access(prices: Mapping[str, Price]) -> Access:
    """How the user reaches providers; `prices` are the user's own, by model."""
    from assay.models.providers import Access

    keys = {provider: _first(names) for provider, names in KEYS.items()}
    urls = {provider: os.environ.get(name) for provider, name in BASE_URLS.items()}
    return Access(
        keys={provider: key for provider, key in keys.items() if key},
        base_urls={provider: url for provider, url in urls.items() if url},
        prices=prices,
    )


def _first(names: tuple[str, ...]) -> str | None:
    return next((value for name in names if (value := os.environ.get(name))), None)
