"""The `files` of an eval: found beside the suite, and named as the workspace will have them."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path, PurePosixPath

from assay.model import JSON, FileGiven

FILE_CAP = 10 * 1024 * 1024
MOST = 200


class NotGiven(ValueError):
    """Why a file of an eval cannot be laid into a workspace."""


def given_files(names: JSON, folder: Path) -> tuple[FileGiven, ...]:
    """The files that `names` means, for an evals.json in `folder`. Raises NotGiven.

    A path is relative to the skill (as its schema says) or to the folder of the evals (as many suites have
    it); a folder stands for all files in it. What lies in a folder `files` loses that prefix.
    """
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise NotGiven("files has to be a list of paths")
    root = folder.parent if folder.name == "evals" else folder
    found: dict[str, FileGiven] = {}
    for name in names:
        for path in _paths(name, root, folder):
            file = _file(path, root)
            found.setdefault(file.path, file)
    if len(found) > MOST:
        raise NotGiven(f"{len(found)} files: at most {MOST} are laid out")
    return tuple(found[path] for path in sorted(found))


def _paths(name: str, root: Path, folder: Path) -> list[Path]:
    path = next((base / name for base in (root, folder) if (base / name).exists()), None)
    if path is None:
        raise NotGiven(f"the file {name!r} is not there")
    if not path.resolve().is_relative_to(root.resolve()):
        raise NotGiven(f"the file {name!r} leads out of the skill's folder")
    if path.is_dir():
        inside = [Path(at) / file for at, _, files in os.walk(path) for file in files]
        # The JSON files beside the evals hold the oracle.
        return sorted(one for one in inside if one.parent != folder or one.suffix != ".json")[: MOST + 1]
    return [path]


def _file(path: Path, root: Path) -> FileGiven:
    real = path.resolve()
    if not real.is_file() or not real.is_relative_to(root.resolve()):
        raise NotGiven(f"{path.name!r} is no regular file of the skill's folder")
    if real.stat().st_size > FILE_CAP:
        raise NotGiven(f"{path.name!r} has more than {FILE_CAP:,} bytes")
    parts = PurePosixPath(real.relative_to(root.resolve()).as_posix()).parts
    last = max((at for at, part in enumerate(parts[:-1]) if part == "files"), default=-1)
    try:
        digest = sha256(real.read_bytes()).hexdigest()
    except OSError as error:
        raise NotGiven(f"{path.name!r} cannot be read: {error.strerror}") from None
    return FileGiven("/".join(parts[last + 1 :]), real, f"sha256:{digest}")
