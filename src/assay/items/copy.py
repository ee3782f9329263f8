"""Put a copy of an item into a throw-away plugin, at the place where a client looks for it."""

from __future__ import annotations

import shutil
from pathlib import Path

from assay.items.files import item_files
from assay.items.find import MANIFESTS
from assay.model import Item


def copy_item(item: Item, plugin: Path) -> Path:
    """Copy the item's files below the folder `plugin` and return where they lie there.

    A skill goes to `skills/<name>/`, a command or agent to `commands/` or `agents/`, a plugin to the folder
    itself; anything else has no place in a plugin (`ValueError`). Links become the files they lead to. The
    manifest of the throw-away plugin is the caller's, unless the item brings its own.
    """
    target = _place(item, plugin)
    for name, path in item_files(item.root):
        copy = target / name if item.root.is_dir() else target
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    _mend_manifest(item, plugin)
    return target


def _place(item: Item, plugin: Path) -> Path:
    if item.kind == "skill":
        return plugin / "skills" / item.name
    if item.kind in ("command", "agent"):
        return plugin / f"{item.kind}s" / f"{item.name}.md"
    if item.kind == "plugin":
        return plugin
    raise ValueError(f"a {item.kind} has no place in a plugin")


def _mend_manifest(item: Item, plugin: Path) -> None:
    """A manifest beside the components is an older place: put a copy where every client looks."""
    current, older = (plugin / name for name in MANIFESTS)
    if item.kind == "plugin" and not current.exists() and older.exists():
        current.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(older, current)
