"""`command`: a check that its author wrote as a program, run on the files that the trial left.

Only where the user allowed it. It sees a folder with the trial's files and `answer.md` (the final message),
named `{case_dir}` in its arguments, and an environment without the user's variables.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from assay.errors import UsageError
from assay.model import Fault, Grade

if TYPE_CHECKING:
    from assay.graders import Bench
    from assay.model import GraderSpec, Transcript

TIMEOUT_S = 60.0
OUTPUT_CAP = 100_000
ANSWER = "answer.md"


class Command:
    """`command` (a list of arguments) ends with `expect_exit` (0) and says `expect_substring`, if any.

    One that cannot be started, or is not done after `timeout_seconds` (60), is a fault: never a fail.
    """

    def __init__(self, spec: GraderSpec, bench: Bench) -> None:
        if not bench.run_scripts:
            raise UsageError(f"grader {spec.name!r} runs a command of the suite: allow that with --scaffold")
        config = spec.config
        self._spec = spec
        self._command = [str(part) for part in config["command"]]
        self._exit = int(config.get("expect_exit", 0))
        self._substring = config.get("expect_substring")
        self._timeout_s = float(config.get("timeout_seconds", TIMEOUT_S))
        self._cwd = _project(bench.case_folder)

    def grade(self, transcript: Transcript) -> Grade:
        spec = self._spec
        lost = next((file.path for file in transcript.files if file.text is None), None)
        if lost is not None:
            return self._fault(f"{lost} was not kept as text, so the command cannot be given it")
        with tempfile.TemporaryDirectory(prefix="assay-") as name:
            folder = Path(name)
            _lay_out(transcript, folder)
            try:
                code, output = self._run(folder)
            except (OSError, subprocess.TimeoutExpired) as error:
                return self._fault(f"the command could not be run: {error}")
        said = self._substring is None or str(self._substring) in output
        explanation = f"exit code {code}" if said else f"exit code {code}, without {self._substring!r}"
        return Grade(spec.name, spec.type, code == self._exit and said, spec.weight, explanation=explanation)

    def _run(self, folder: Path) -> tuple[int, str]:
        argv = [part.replace("{case_dir}", str(folder)) for part in self._command]
        if argv[0] in ("python", "python3"):
            argv[0] = sys.executable
        path = os.pathsep.join([str(Path(sys.executable).parent), os.defpath])
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                argv,
                cwd=self._cwd or folder,
                env={"PATH": path, "HOME": str(folder), "LANG": "C.UTF-8"},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code = process.wait(self._timeout_s)
            finally:
                # What the command started must not outlive it, done or not.
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            said.seek(0)
            return code, said.read(OUTPUT_CAP).decode("utf-8", "replace")

    def _fault(self, message: str) -> Grade:
        spec = self._spec
        return Grade(
            spec.name, spec.type, None, spec.weight, explanation=message, fault=Fault("grader", message)
        )


def _lay_out(transcript: Transcript, folder: Path) -> None:
    """Write the trial's files below the folder, and nowhere else, whatever their paths say."""
    (folder / ANSWER).write_text(transcript.output, "utf-8")
    for file in transcript.files:
        path = PurePosixPath(file.path)
        if path.is_absolute() or ".." in path.parts or file.text is None:
            continue
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.text, "utf-8")


def _project(case_folder: Path | None) -> Path | None:
    """Where a suite's commands run: the folder that holds `evals`, else the case's own."""
    if case_folder is None:
        return None
    folder = case_folder.absolute()
    above = [parent.parent for parent in (folder, *folder.parents) if parent.name == "evals"]
    return above[-1] if above else folder
