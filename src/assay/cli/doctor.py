"""`assay doctor`: which harnesses and models are usable here, and what is missing for the others."""

from __future__ import annotations

import os
import shutil
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from assay.cli.common import json_option, project_option
from assay.cli.environment import chosen_models_folder
from assay.cli.output import print_result
from assay.cli.project import open_project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROVIDER_KEYS = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY", "google": "GEMINI_API_KEY"}


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that a run may need."""

    name: str
    usable: bool
    found: str
    """What was found; where it is not usable, what to do."""


@click.command()
@json_option
@project_option
def doctor(as_json: bool, project: Path) -> int:
    """Look for harnesses, models and settings; exit 0 where something can run, else 3."""
    open_project(project)
    parts = list(_parts())
    text = "\n".join(f"{'yes' if part.usable else 'no ':<4}{part.name:<28}{part.found}" for part in parts)
    print_result([asdict(part) for part in parts], text, as_json=as_json)
    return 0 if any(part.usable for part in parts if part.name.startswith("harness ")) else 3


def _parts() -> Iterator[Part]:
    local = find_spec("xllamacpp") is not None
    claude = shutil.which("claude")
    yield Part("harness claude", bool(claude), claude or "npm install -g @anthropic-ai/claude-code")
    providers = find_spec("pydantic_ai") is not None
    yield Part(
        "harness model",
        local or providers,
        "a bare language model" if local or providers else "pip install 'assay[local]' or 'assay[models]'",
    )
    yield Part("harness command", True, "any program of your own")
    yield Part("harness scripted", True, "the documented double")
    yield Part("embedded runtime", local, "xllamacpp" if local else "pip install 'assay[local]'")
    yield from _local_models()
    yield Part("provider models", providers, "pydantic-ai" if providers else "pip install 'assay[models]'")
    for provider, variable in PROVIDER_KEYS.items():
        is_set = variable in os.environ
        yield Part(
            f"provider {provider}", providers and is_set, f"{variable} is {'set' if is_set else 'not set'}"
        )


def _local_models() -> Iterator[Part]:
    from assay.models.cache import is_here
    from assay.models.catalog import CATALOG

    folder = chosen_models_folder()
    for model in CATALOG:
        there = is_here(model, folder)
        yield Part(f"model {model.name}", there, "fetched" if there else f"assay models pull {model.name}")
