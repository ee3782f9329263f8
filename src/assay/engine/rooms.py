"""Where the rooms of one run lie, and the removal of those that a killed run left behind.

A run's folder holds a lock that the operating system gives back when its process ends, however it ends.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from types import TracebackType

PREFIX = "assay-run-"
KEPT = "assay-kept-"
LOCK = ".lock"
LIST = "trials.txt"
"""Says of a kept run which folder was which trial's."""
KILLED_S = 2.0
"""How long to wait for killed processes to be gone."""
YOUNG_S = 60
"""A folder without a lock may belong to a run that is just starting, for so long."""


class Rooms:
    """A context manager: on entry it clears up after killed runs, on exit after its own unless kept."""

    def __init__(self, *, keep: bool = False, where: Path | None = None) -> None:
        self._keep = keep
        self._where = where or Path(tempfile.gettempdir())
        self._folder: Path | None = None
        self._lock_file: IO[bytes] | None = None
        self._making = threading.Lock()

    @property
    def folder(self) -> Path:
        """The run's own folder, made on first use, from any thread."""
        with self._making:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix=KEPT if self._keep else PREFIX, dir=self._where))
                self._lock_file = (self._folder / LOCK).open("wb")
                _lock(self._lock_file)
            return self._folder

    @property
    def kept(self) -> Path | None:
        """The run's folder, where it was made and stays."""
        return self._folder if self._keep else None

    def list_kept(self, room: Path, label: str) -> None:
        """Write down which trial a kept room was."""
        with self._making, (room.parent / LIST).open("a", encoding="utf-8") as file:
            file.write(f"{room.name}  {label}\n")

    def __enter__(self) -> Rooms:
        sweep(self._where)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._folder is not None and not self._keep:
            shutil.rmtree(self._folder, ignore_errors=True)
        if self._lock_file is not None:
            self._lock_file.close()


def sweep(where: Path) -> None:
    """Remove the folders of runs that no longer live, after ending the processes that still work in them."""
    for folder in _abandoned(where):
        _end_all_in(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _abandoned(where: Path) -> Iterator[Path]:
    if sys.platform == "win32":  # without such locks they stay until the system clears its temporary folder
        return
    for folder in where.glob(f"{PREFIX}*"):
        try:
            if folder.stat().st_uid != os.getuid():
                continue
            with (folder / LOCK).open("rb") as file:
                if _lock(file):
                    yield folder
        except FileNotFoundError:
            with suppress(OSError):
                if time.time() - folder.stat().st_mtime > YOUNG_S:
                    yield folder
        except OSError:
            continue


def _lock(file: IO[bytes]) -> bool:
    """Take the lock without waiting; False where another process has it."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _end_all_in(folder: Path) -> None:
    """Kill the processes that work in there or have their home there, and wait until they are gone."""
    import psutil

    found = []
    for process in psutil.process_iter(["cwd", "environ"]):
        home = (process.info["environ"] or {}).get("HOME")
        if any(place and Path(place).is_relative_to(folder) for place in (process.info["cwd"], home)):
            with suppress(psutil.Error):
                process.kill()
                found.append(process)
    psutil.wait_procs(found, timeout=KILLED_S)
