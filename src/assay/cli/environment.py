"""The environment variables that assay reads, all of them here; nothing below the command line reads any."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from assay.errors import UsageError
from assay.models.cache import models_folder

VARIABLES = {
    "ANTHROPIC_MODEL": "the model of the Claude harnesses, where neither `--model` nor the project names one",
    "ASSAY_MODELS_DIR": "the folder for model files, instead of the platform's cache folder",
    "CLAUDE_CONFIG_DIR": "the folder of Claude Code's settings instead of `~/.claude`: their `model` is read",
    "EVALS": "`1` lets `assay all` run; without it nothing runs and nothing is spent",
    "EVALS_MAX_COST_USD": "the ceiling of each suite of `assay all`, in dollars, instead of 0.50",
    "EVALS_MODEL": "the model of `assay all`",
    "HF_ENDPOINT": "a mirror of the Hugging Face hub for `assay models pull`",
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
