"""The folder that model files lie in: whether one is there, and whether it is the pinned one.

Hashing half a gigabyte takes a second, so a stamp beside each file remembers what was verified; it holds
only as long as size and modification time stay the same.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import CannotRun, ModelMissing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assay.models.catalog import NamedModel

CHUNK = 8 << 20


def models_folder(environ: Mapping[str, str], platform: str) -> Path:
    """Where model files are kept: `$ASSAY_MODELS_DIR`, else below the platform's cache folder.

    `environ` and `platform` are `os.environ` and `sys.platform`, handed in by the command line.
    """
    if chosen := environ.get("ASSAY_MODELS_DIR"):
        return Path(chosen).expanduser()
    if platform == "win32":
        local = environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "assay" / "Cache" / "models"
    if platform == "darwin":
        return Path.home() / "Library" / "Caches" / "assay" / "models"
    cache = environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if Path(cache).is_absolute() else Path.home() / ".cache") / "assay" / "models"


def is_here(model: NamedModel, folder: Path) -> bool:
    """Whether a file of the right name and size is there; says nothing of its content."""
    path = folder / model.file
    return path.is_file() and path.stat().st_size == model.size


def is_verified(model: NamedModel, folder: Path) -> bool:
    """Whether the file there is the pinned one, by its stamp or else by hashing it."""
    path = folder / model.file
    if not is_here(model, folder):
        return False
    if _read_stamp(path) == _stamp(path, model.sha256):
        return True
    if hash_of(path) != model.sha256:
        return False
    write_stamp(path, model.sha256)
    return True


def require(model: NamedModel, folder: Path) -> Path:
    """The verified file of a model. Raises `ModelMissing` naming the command that fetches it."""
    path = folder / model.file
    if is_verified(model, folder):
        return path
    fetch = f"fetch it ({model.size_text}) with: assay models pull {model.name}"
    if path.exists():
        raise ModelMissing(
            f"{path.as_posix()} is not the file that {model.name!r} is pinned to "
            f"(SHA-256 {model.sha256[:12]}…); {fetch}"
        )
    raise ModelMissing(f"the model {model.name!r} is not on this machine; {fetch}")


def hash_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def write_stamp(path: Path, sha256: str) -> None:
    """Remember that a file was verified; a folder that cannot be written only costs time."""
    temporary = _stamp_path(path).with_suffix(f".{os.getpid()}.tmp")
    with suppress(OSError):
        temporary.write_text(json.dumps(_stamp(path, sha256)) + "\n", encoding="utf-8")
        temporary.replace(_stamp_path(path))


def _stamp_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.verified.json")


def _stamp(path: Path, sha256: str) -> dict[str, str | int]:
    stat = path.stat()
    return {"sha256": sha256, "size": stat.st_size, "mtime_ns": stat.st_mtime_ns}


def _read_stamp(path: Path) -> object:
    try:
        return json.loads(_stamp_path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of one model file; a second process waits. The system lets go of it on any death."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise CannotRun(f"{path.parent.as_posix()} cannot be written: {error.strerror or error}") from error
    try:
        _lock(handle)
        yield
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    try:
        from fcntl import LOCK_EX, flock
    except ImportError:
        _lock_windows(handle)
    else:
        flock(handle, LOCK_EX)


def _lock_windows(handle: int) -> None:  # pragma: no cover
    import msvcrt  # type: ignore[import-not-found, unused-ignore]

    while True:
        with suppress(OSError):  # LK_LOCK gives up after ten seconds; a download takes longer
            return msvcrt.locking(handle, msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined, no-any-return, unused-ignore]
