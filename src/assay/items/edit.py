"""An edit of one item: read from a revision, a patch or a folder, and put in the item's place."""

from __future__ import annotations

import shutil
from pathlib import Path

from assay.errors import UsageError
from assay.items.files import item_files
from assay.items.find import item_at
from assay.items.history import lead_of, patch, restore
from assay.model import Item

PATCH_ENDS = (".diff", ".patch")


def edited(project: Path, item: Item, edit: str, folder: Path) -> Item:
    """The item as an edit makes it, in a folder of its own below `folder`; the project is not touched.

    `edit` is a folder (or, for an item of one file, a file) that holds the edited item, by itself or at the
    item's place in another checkout; a patch file; or else a git revision. Raises `UsageError` where it is
    none of these, changes nothing, or is a patch that changes other files as well: one item an edit.
    """
    path = project / edit
    if path.is_file() and path.suffix in PATCH_ENDS:
        made = _patched(project, item, path, folder)
    elif path.exists():
        made = _copied(project, item, path, folder)
    else:
        made = restore(project, edit, item.root, folder)
    changed = item_at(made, item.kind)
    if changed.name != item.name:
        raise UsageError(f"the edit {edit!r} is of {changed.name!r}, not of {item.name!r}")
    return changed


def swap_in(target: Item, source: Item, kept: Path) -> Path | None:
    """Give `target` the files of `source`; what it held is kept below `kept`, whose path is returned.

    Only files that are of the item change: the evals of a skill stay. None where both hold the same.
    """
    if target.digest == source.digest:
        return None
    keep = kept / target.digest.removeprefix("sha256:")[:12] / target.root.resolve().name
    _copy(target.root, keep)
    new = dict(item_files(source.root))
    if target.root.is_file():
        shutil.copy(source.root, target.root)
        return keep
    for name, path in item_files(target.root):
        if name not in new:
            path.unlink()
    _copy(source.root, target.root)
    return keep


def _patched(project: Path, item: Item, path: Path, folder: Path) -> Path:
    place = item.root.resolve().relative_to(project.resolve())
    _copy(item.root, folder / place)
    patch(folder, path, place.as_posix(), lead_of(project))
    return folder / place


def _copied(project: Path, item: Item, path: Path, folder: Path) -> Path:
    place = item.root.resolve().relative_to(project.resolve())
    source = path / place if (path / place).exists() and place.parts else path
    target = folder / item.root.resolve().name
    if source.is_dir() != item.root.is_dir():
        raise UsageError(f"{source.as_posix()} cannot be an edit of {item.root.as_posix()}: folder and file")
    _copy(source, target)
    return target


def _copy(source: Path, target: Path) -> None:
    for name, path in item_files(source):
        copy = target / name if source.is_dir() else target
        copy.parent.mkdir(parents=True, exist_ok=True)
        if copy.is_symlink():
            copy.unlink()
        shutil.copy(path, copy)
