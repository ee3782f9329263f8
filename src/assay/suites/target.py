"""What a path on the command line means for plugin-eval suites: which tree is searched, and from where."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.errors import SuiteError, UsageError
from assay.model import JSON
from assay.suites.json_file import read_json
from assay.suites.walk import DEFINITIONS

MANIFESTS = (".claude-plugin/plugin.json", "plugin.json")
PLUGIN_FILES = (*MANIFESTS, "SKILL.md")
DEFAULT = "evals"
_COMPONENTS = frozenset({"agents", "bin", "commands", "hooks", "skills"})
_MOST_SEGMENTS = 8
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Searched:
    """`start` is searched for cases, whose ids are relative to `root`."""

    root: Path
    start: Path
    only_under: str | None = DEFAULT
    """Cases count only inside a folder of this name; None: anywhere below `start`."""
    ignored: str | None = None
    """What the manifest says of the suite's folder and is ignored for, with the reason."""
    manifest: Path | None = None


def searched(path: Path, eval_dir: str | None = None) -> Searched:
    """The tree that a plugin, a suite, a case's folder or a prompt.md belongs to.

    `eval_dir` (else the manifest's `experimental.evals`) is the one folder of the plugin that holds cases.
    Raises UsageError for a folder that the platform would not take.
    """
    start = path.absolute()
    if start.name in DEFINITIONS and not start.is_dir():
        start = start.parent
    plugin = next((folder for folder in (start, *start.parents) if is_plugin(folder)), None)
    if eval_dir is not None and (fault := eval_dir_fault(eval_dir)):
        raise UsageError(f"--eval-dir {eval_dir}: it {fault}")
    manifest, told = _told_by_manifest(plugin)
    ignored = None if told is None else eval_dir_fault(told)
    folder = eval_dir or (told if told is not None and ignored is None else DEFAULT)
    where = _by_place(start, plugin) if _parts(folder) == [DEFAULT] else _only(folder, start, plugin or start)
    if ignored is None or eval_dir is not None:
        return where
    reason = f"experimental.evals {told!r} is ignored: it {ignored}; {DEFAULT}/ is searched"
    return Searched(where.root, where.start, where.only_under, reason, manifest)


def _by_place(start: Path, plugin: Path | None) -> Searched:
    if plugin is not None:
        return Searched(plugin, start)
    if DEFAULT in start.parts:
        return Searched(Path(*start.parts[: start.parts.index(DEFAULT)]), start)
    return Searched(start, start)


def _only(folder: str, start: Path, root: Path) -> Searched:
    wanted = root.joinpath(*_parts(folder))
    if not wanted.is_dir():
        raise UsageError(f"{wanted.as_posix()} is no folder: cases are looked for there alone")
    if start.is_relative_to(wanted):
        return Searched(root, start, None)
    if wanted.is_relative_to(start):
        return Searched(root, wanted, None)
    raise UsageError(f"{start.as_posix()} holds no case: the suite of this plugin is {wanted.as_posix()}")


def eval_dir_fault(folder: JSON) -> str | None:
    """Why the platform does not take a folder for the suite's; None where it does."""
    if not isinstance(folder, str) or not _parts(folder):
        return "has to be the path of a folder, relative to the plugin"
    parts = _parts(folder)
    if folder.startswith("/") or ".." in parts or "\\" in folder or ":" in folder:
        return "must stay inside the plugin: a relative path of plain names, no `..`"
    if len(folder) > _LONGEST or len(parts) > _MOST_SEGMENTS:
        return f"must have at most {_LONGEST} characters and {_MOST_SEGMENTS} names"
    if parts[0] in _COMPONENTS:
        return f"must not lie in the plugin's {parts[0]}/, which is loaded"
    return None


def _parts(folder: str) -> list[str]:
    return [part for part in folder.split("/") if part not in ("", ".")]


def _told_by_manifest(plugin: Path | None) -> tuple[Path | None, JSON]:
    """The plugin's manifest and its `experimental.evals`; None where there is none, or it cannot be read."""
    if plugin is None:
        return None, None
    path = next((plugin / name for name in MANIFESTS if (plugin / name).is_file()), None)
    if path is None:
        return None, None
    try:
        manifest = read_json(path).value
    except SuiteError:
        return path, None
    experimental = manifest.get("experimental") if isinstance(manifest, dict) else None
    return path, experimental.get("evals") if isinstance(experimental, dict) else None


def is_plugin(folder: Path) -> bool:
    """Whether a folder is a plugin or a skill: what the platform can put under test."""
    return any((folder / name).is_file() for name in PLUGIN_FILES)
