"""A process a trial: the input on its standard input, what it prints is the output."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from assay.errors import TrialFailed, UsageError
from assay.harnesses.files_given import lay_out
from assay.harnesses.process import run_process
from assay.model import Fault, Transcript
from assay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.harnesses import Room, Setup
    from assay.harnesses.process import Completed
    from assay.model import Trial

OUTPUT_CAP = 1024 * 1024
STDERR_SHOWN = 400


class CommandHarness:
    """`--harness "command:PROGRAM ARGUMENTS"`, started in an empty folder of the trial's own.

    The process finds the item's path in the variable `ASSAY_ITEM` (empty on the arm `without`), in an
    argument `{item}` as well, and inherits the user's environment. A status other than 0 is an error, not
    a score.
    """

    name = "command"
    concurrency: int | None = None
    reports_cost = True
    is_free = True

    def __init__(
        self, argv: tuple[str, ...], env: Mapping[str, str], idle_timeout_s: float | None = None
    ) -> None:
        self._argv = argv
        self._idle_timeout_s = idle_timeout_s
        self._env = env

    @classmethod
    def set_up(cls, setup: Setup) -> CommandHarness:
        argv = tuple(shlex.split(setup.argument or ""))
        if not argv:
            raise UsageError("the harness 'command' needs a program: --harness \"command:PROGRAM ARGUMENTS\"")
        return cls(tuple(_absolute(word, setup) for word in argv), setup.env, setup.idle_timeout_s)

    @property
    def stamp(self) -> str:
        return f"{self.name}@{__version__}"

    def settings(self) -> dict[str, Any]:
        idle = {"idle_timeout_s": self._idle_timeout_s} if self._idle_timeout_s else {}
        return {"argv": list(self._argv), **idle}

    def run(self, trial: Trial, room: Room) -> Transcript:
        item = trial.item.root.as_posix() if trial.item else ""
        argv = [word.replace("{item}", item) for word in self._argv]
        lay_out(trial.case, room.folder)
        try:
            done = run_process(
                argv,
                cwd=room.folder,
                env={**self._env, "ASSAY_ITEM": item},
                stdin=trial.case.prompt.encode("utf-8", "surrogatepass"),
                timeout_s=room.timeout_s,
                idle_timeout_s=self._idle_timeout_s,
                output_cap=OUTPUT_CAP,
                stop=room.stop,
            )
        except OSError as error:
            message = f"{argv[0]!r} could not be started: {error.strerror}"
            raise TrialFailed(Fault("setup", message)) from error
        return transcript_of(done, argv[0])

    def close(self) -> None:
        """Nothing is open between trials."""


def _absolute(word: str, setup: Setup) -> str:
    """A file of the project keeps its meaning in the trial's own folder."""
    path = setup.project / word
    return path.resolve().as_posix() if path.is_file() else word


def transcript_of(done: Completed, program: str) -> Transcript:
    """What a process left, as a transcript; raises TrialFailed for a status other than 0."""
    if done.ended == "stopped":
        raise TrialFailed(Fault("interrupted", f"{program!r} was ended with the run"))
    if done.exit_code:
        said = done.stderr.decode("utf-8", "replace").strip()[-STDERR_SHOWN:]
        raise TrialFailed(
            Fault("harness", f"{program!r} ended with status {done.exit_code}: {said or 'no message'}")
        )
    return Transcript(
        done.stdout.decode("utf-8", "replace"),
        ended=done.ended,
        exit_code=done.exit_code,
        duration_s=done.duration_s,
        notes=(f"the output was cut at {OUTPUT_CAP} bytes",) if done.capped else (),
    )
