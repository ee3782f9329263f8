"""`assay doctor`: which harnesses and models are usable here, and what is missing for the others."""

from __future__ import annotations

import os
import shutil
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from assay.cli.common import json_option, project_option
from assay.cli.environment import chosen_models_folder, session_model
from assay.cli.output import print_result
from assay.cli.project import open_project
from assay.errors import UsageError

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
@click.option("--harness", metavar="NAME[:ARG]", help="Also run its control: a skill that must fire.")
@click.option("--model", help="The model of the control.")
@json_option
@project_option
def doctor(harness: str | None, model: str | None, as_json: bool, project: Path) -> int:
    """Look for harnesses, models and settings; exit 0 where something can run, else 3.

    With --harness claude it also runs two short trials, which cost a cent or so: a skill that asks to be used
    on every request must be seen to fire, and nothing may fire without it. Exit 3 where that fails.
    """
    found = open_project(project)
    parts = list(_parts())
    if harness:
        parts.append(_control(harness, model or found.config.model or session_model(), found.root))
    text = "\n".join(f"{'yes' if part.usable else 'no ':<4}{part.name:<28}{part.found}" for part in parts)
    print_result([asdict(part) for part in parts], text, as_json=as_json)
    usable = any(part.usable for part in parts if part.name.startswith("harness "))
    return 0 if usable and all(part.usable for part in parts if part.name.startswith("control ")) else 3


def _control(chosen: str, model: str | None, project: Path) -> Part:
    from assay.engine.rooms import Rooms
    from assay.engine.signals import stopping
    from assay.engine.stop import StopFlag
    from assay.harnesses import Setup, set_up
    from assay.harnesses.claude_control import positive_control

    name, _, argument = chosen.partition(":")
    if name != "claude":
        raise UsageError(f"--harness {name}: only `claude` has a control; the others load no skills")
    setup = Setup(project, argument=argument or None, model=model, env=dict(os.environ))
    stop = StopFlag()
    with Rooms() as rooms, stopping(stop):
        control = positive_control(set_up(name, setup), model, rooms.folder / "control", stop)
    return Part(f"control {name}", control.is_sound, str(control))


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
