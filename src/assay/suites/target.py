"""What a path on the command line means for plugin-eval suites: which tree is searched, and from where."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.suites.walk import DEFINITIONS

PLUGIN_FILES = (".claude-plugin/plugin.json", "plugin.json", "SKILL.md")


@dataclass(frozen=True, slots=True)
class Searched:
    """`start` is searched for cases, whose ids are relative to `root`."""

    root: Path
    start: Path
    only_under: str | None = "evals"
    """Cases count only inside a folder of this name; None: anywhere below `start`."""


def searched(path: Path) -> Searched:
    """The tree that a plugin, a suite, a case's folder or a prompt.md belongs to."""
    start = path.absolute()
    if start.name in DEFINITIONS and not start.is_dir():
        start = start.parent
    plugin = next((folder for folder in (start, *start.parents) if is_plugin(folder)), None)
    if plugin is not None:
        return Searched(plugin, start)
    if "evals" in start.parts:
        root = Path(*start.parts[: start.parts.index("evals")])
        return Searched(root, start)
    return Searched(start, start)


def is_plugin(folder: Path) -> bool:
    """Whether a folder is a plugin or a skill: what the platform can put under test."""
    return any((folder / name).is_file() for name in PLUGIN_FILES)
