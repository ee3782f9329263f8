"""Where an item lives: by its name in a project, or by its path."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from assay.errors import CannotRun, Problem, UsageError
from assay.items.files import digest_files, item_files
from assay.items.frontmatter import Head, read_head
from assay.model import Item, ItemKind

MANIFESTS = (".claude-plugin/plugin.json", "plugin.json")
SKILL_FILES = ("SKILL.md", "skill.md")
_COMPONENTS = (*(f"skills/*/{name}" for name in SKILL_FILES), "commands/**/*.md", "agents/**/*.md")


@dataclass(frozen=True, slots=True)
class _Place:
    kind: ItemKind
    path: Path

    @property
    def is_taken(self) -> bool:
        return self.path.is_dir() if self.kind in ("skill", "plugin") else self.path.is_file()


def find_item(project: Path, name: str) -> Item:
    """The item of that name: `commit`, `skill:commit`, `plugin:tools`, `prompt:p/x.md` or a path.

    Looked for under `skills/`, `commands/`, `agents/` and the same below `registry/`; where none of these
    holds it, as a plugin or a plain skill folder. Raises `CannotRun` for none or two, naming the places.
    """
    kind, _, bare = name.partition(":")
    if not name.strip():
        raise UsageError("an item's name is empty")
    if kind not in get_args(ItemKind) or not bare:
        kind, bare = "", name
    if kind == "prompt" or "/" in bare or "\\" in bare or bare in (".", ".."):
        return item_at(project / bare, "prompt" if kind == "prompt" else None)
    places = [place for place in _named_places(project, bare) if kind in ("", place.kind)]
    matches = [place for place in places if place.is_taken]
    if not matches:
        matches = [place for place in _other_places(project, bare) if kind in ("", place.kind)]
    if len(matches) != 1:
        raise CannotRun(_told(project, name, places, matches))
    return item_at(matches[0].path, matches[0].kind)


def is_item(project: Path, name: str) -> bool:
    """Whether a skill, command or agent of the project has that name."""
    return any(place.is_taken for place in _named_places(project, name))


def item_at(path: Path, kind: ItemKind | None = None) -> Item:
    """The item that lies at a path; what kind it is shows in the files unless it is given.

    Raises `CannotRun` where nothing is there or a folder is neither skill nor plugin, and `UsageError` for
    files that are not UTF-8 text.
    """
    kind = kind or _kind_at(path)
    if kind == "plugin":
        return _plugin_at(path)
    if kind == "skill":
        return _skill_at(path)
    if not path.is_file():
        raise CannotRun(f"there is no {kind} at {path.as_posix()}")
    text = _read(path)
    head = read_head(text, path.as_posix(), required=("name", "description") if kind == "agent" else ())
    return _item(kind, path.stem, path, text, head)


def _named_places(project: Path, name: str) -> list[_Place]:
    places = []
    for base in (project, project / "registry"):
        places.append(_Place("skill", base / "skills" / name))
        places.append(_Place("command", base / "commands" / f"{name}.md"))
        places.append(_Place("agent", base / "agents" / f"{name}.md"))
    return places


def _other_places(project: Path, name: str) -> list[_Place]:
    """The project itself and `plugins/<name>`, where they are a plugin or skill folder of that name."""
    found = []
    for folder in (project, project / "plugins" / name, project / name):
        manifest, skill = _manifest_of(folder), _skill_file(folder)
        if manifest and name in (_plugin_head(manifest).name, folder.resolve().name):
            found.append(_Place("plugin", folder))
        elif skill and name in (read_head(_read(skill), "").name, folder.resolve().name):
            found.append(_Place("skill", folder))
    return found


def _told(project: Path, name: str, places: list[_Place], matches: list[_Place]) -> str:
    if matches:
        both = " and ".join(_shown(place, project) for place in matches)
        return f"{name!r} is two items: {both}; say which by its path, or rename one"
    looked = ", ".join(_shown(place, project) for place in places)
    also = "and for a plugin or skill folder of that name"
    return f"no item is called {name!r} in {project.as_posix()}; looked in: {looked}, {also}"


def _shown(place: _Place, project: Path) -> str:
    path = place.path.relative_to(project).as_posix()
    return f"{path}/" if place.kind in ("skill", "plugin") else path


def _kind_at(path: Path) -> ItemKind:
    if path.is_dir():
        if _manifest_of(path):
            return "plugin"
        if _skill_file(path):
            return "skill"
        raise CannotRun(f"{path.as_posix()} is neither a skill (SKILL.md) nor a plugin ({MANIFESTS[0]})")
    if path.name in SKILL_FILES:
        raise CannotRun(f"{path.as_posix()} is a file of a skill: give its folder, {path.parent.as_posix()}")
    kinds: dict[str, ItemKind] = {"commands": "command", "agents": "agent"}
    return kinds.get(path.parent.name, "prompt")


def _skill_at(folder: Path) -> Item:
    skill = _skill_file(folder)
    if skill is None:
        raise CannotRun(f"there is no SKILL.md in {folder.as_posix()}")
    text = _read(skill)
    head = read_head(text, skill.as_posix())
    return _item("skill", folder.resolve().name, folder, text, head)


def _plugin_at(folder: Path) -> Item:
    manifest = _manifest_of(folder)
    if manifest is None:
        raise CannotRun(f"there is no plugin manifest ({' or '.join(MANIFESTS)}) in {folder.as_posix()}")
    head = _plugin_head(manifest)
    parts = sorted({path for pattern in _COMPONENTS for path in folder.glob(pattern)})
    text = "\n\n".join(f"# {path.relative_to(folder).as_posix()}\n\n{_read(path)}" for path in parts)
    return _item("plugin", head.name or folder.resolve().name, folder, text, head)


def _item(kind: ItemKind, name: str, root: Path, text: str, head: Head) -> Item:
    return Item(
        kind=kind,
        name=name,
        root=root,
        digest=digest_files(item_files(root)),
        text=text,
        description=head.description,
        unloadable=str(head.unloadable) if head.unloadable else None,
    )


def _plugin_head(manifest: Path) -> Head:
    try:
        values = json.loads(_read(manifest))
    except json.JSONDecodeError as error:
        return Head(unloadable=Problem(manifest.as_posix(), error.lineno, f"not JSON: {error.msg}"))
    if not isinstance(values, dict) or not isinstance(values.get("name"), str):
        return Head(unloadable=Problem(manifest.as_posix(), 1, "the manifest has no `name`"))
    description = values.get("description")
    return Head(values["name"], description if isinstance(description, str) else None)


def _manifest_of(folder: Path) -> Path | None:
    return next((folder / name for name in MANIFESTS if (folder / name).is_file()), None)


def _skill_file(folder: Path) -> Path | None:
    return next((folder / name for name in SKILL_FILES if (folder / name).is_file()), None)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path.as_posix()} is not UTF-8 text (byte {error.start}): save it as UTF-8"
        ) from error
    except OSError as error:
        raise UsageError(f"{path.as_posix()} cannot be read: {error.strerror or error}") from error
