"""What the engine lends to one trial: a folder of its own, a time limit, and the run's stop signal."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from assay.engine.rooms import Rooms
    from assay.engine.stop import StopFlag

PREFIX = "assay-"


class TrialRoom:
    """A context manager; the folder is made on first use and removed at the end unless it is kept.

    It lies in the folder of `rooms`, where given; kept, it is listed there as `label`. Its own name says
    nothing of the trial, since the agent sees it.
    """

    def __init__(
        self,
        stop: StopFlag,
        timeout_s: float,
        *,
        keep: bool = False,
        rooms: Rooms | None = None,
        label: str = "",
    ) -> None:
        self.stop = stop
        self.timeout_s = timeout_s
        self._keep = keep
        self._rooms = rooms
        self._label = label
        self._folder: Path | None = None

    @property
    def folder(self) -> Path:
        if self._folder is None:
            where = self._rooms.folder if self._rooms else None
            self._folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=where))
        return self._folder

    def __enter__(self) -> TrialRoom:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._folder is None:
            return
        if not self._keep:
            shutil.rmtree(self._folder, ignore_errors=True)
        elif self._rooms:
            self._rooms.list_kept(self._folder, self._label)
