"""Files of a suite, laid into a trial's workspace before it begins."""

from __future__ import annotations

import shutil
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from assay.errors import TrialFailed
from assay.model import Fault

if TYPE_CHECKING:
    from assay.model import Case


def lay_out(case: Case, workspace: Path) -> None:
    """Copy the case's files into the workspace. Raises TrialFailed where one is gone or cannot be written."""
    for file in case.files:
        path = PurePosixPath(file.path)
        if path.is_absolute() or ".." in path.parts:
            raise TrialFailed(
                Fault("setup", f"{case.source}: the file {file.path!r} leads out of the workspace")
            )
        target = workspace / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.source, target)
        except OSError as error:
            message = f"{case.source}: the file {file.path!r} cannot be laid out: {error.strerror}"
            raise TrialFailed(Fault("setup", message)) from error
