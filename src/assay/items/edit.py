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
    for name, path in item_files(target.root) if target.root.is_dir() else []:
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
    """Copy an item's files, links as links; a file that is there with the same content is left alone."""
    for name, path in item_files(source):
        copy = target / name if source.is_dir() else target
        if _is_same(path, copy):
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.unlink(missing_ok=True)
        shutil.copy(path, copy, follow_symlinks=False)


def _is_same(one: Path, other: Path) -> bool:
    if not other.is_file() or one.is_symlink() != other.is_symlink():
        return False
    return one.readlink() == other.readlink() if one.is_symlink() else one.read_bytes() == other.read_bytes()
