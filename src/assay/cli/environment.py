"""The environment variables that assay reads, all of them here; nothing below the command line reads any."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from assay.models.cache import models_folder

VARIABLES = {
    "ASSAY_MODELS_DIR": "the folder for model files, instead of the platform's cache folder",
    "HF_ENDPOINT": "a mirror of the Hugging Face hub for `assay models pull`",
}
"""Name → what it does, for the documentation."""


def chosen_models_folder() -> Path:
    """Where model files lie for this user."""
    return models_folder(os.environ, sys.platform)


def hub_endpoint(default: str) -> str:
    """The hub that model files are fetched from."""
    return os.environ.get("HF_ENDPOINT") or default
