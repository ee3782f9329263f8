"""Runs each trial on the real Claude Code command line, headless, in a set-up of the trial's own."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import TrialFailed
from assay.harnesses.arm_proof import operators_names, prove
from assay.harnesses.claude_arm import SERVED, Arm, build_arm, environment, is_for_users
from assay.harnesses.claude_client import Client, find_client
from assay.harnesses.claude_faults import end_of
from assay.harnesses.claude_grants import Places, closed_but_for, grants
from assay.harnesses.claude_sandbox import confine
from assay.harnesses.claude_stream import Stream, parse_stream
from assay.harnesses.files_given import lay_out
from assay.harnesses.files_made import files_below, files_made
from assay.harnesses.process import Completed, run_process
from assay.model import Ending, Fault

if TYPE_CHECKING:
    from assay.harnesses import Room, Setup
    from assay.model import Case, GraderSpec, Transcript, Trial

OUTPUT_CAP = 64 * 1024 * 1024
HISTORY = "history.jsonl"
SCAFFOLD_TIMEOUT_S = 120
MEMORY_EACH = 250 * 1024 * 1024
"""What one headless run takes, in bytes: measured 205 to 222 MB, rounded up."""


class ClaudeHarness:
    """`--harness claude`, or `--harness claude:PATH` for a command line that is not on the PATH.

    Needs ANTHROPIC_API_KEY (or CLAUDE_CODE_OAUTH_TOKEN, or another login that Claude Code takes from its
    environment): the operator's own configuration folder is never read by a trial.
    """

    name = "claude"
    reports_cost = True
    is_free = False

    def __init__(self, setup: Setup, client: Client) -> None:
        self._setup = setup
        self._client = client
        self._operators = operators_names(setup.project, setup.env)
        self.concurrency: int | None = _room_in_memory()

    @classmethod
    def set_up(cls, setup: Setup) -> ClaudeHarness:
        return cls(setup, find_client(setup))

    @property
    def stamp(self) -> str:
        return f"claude-code@{self._client.version}"

    def settings(self) -> dict[str, Any]:
        return {
            "allow_tools": sorted(self._setup.allow_tools),
            "scaffold": self._setup.scaffold,
            "model": self._setup.model,
            "served": {name: value for name, value in self._setup.env.items() if SERVED.fullmatch(name)},
            **({"idle_timeout_s": self._setup.idle_timeout_s} if self._setup.idle_timeout_s else {}),
        }

    def run(self, trial: Trial, room: Room) -> Transcript:
        _refuse_mocks(trial.case)
        arm = build_arm(trial, room.folder, self._setup.project)
        lay_out(trial.case, arm.workspace)
        places = _places(trial.case, arm)
        _copy_history(trial.case, arm)
        notes = _stage(trial.case, arm, self._setup, room)
        before = files_below(arm.workspace)
        completed = self._start(trial, arm, places, room)
        stream = parse_stream(completed.stdout)
        try:
            ended = self._checked(stream, completed, arm)
        except TrialFailed as failed:
            raise TrialFailed(replace(failed.fault, cost_usd=stream.usage.cost_usd)) from failed
        return replace(
            stream.transcript,
            files=files_made(arm.workspace, before, _read_by(trial.case.graders)),
            ended=ended,
            exit_code=completed.exit_code,
            duration_s=completed.duration_s,
            notes=notes,
        )

    def _checked(self, stream: Stream, completed: Completed, arm: Arm) -> Ending:
        """How the run ended. Raises `TrialFailed` for infrastructure's faults and arms that are not clean."""
        ended = end_of(stream, completed)
        if stream.init is not None or not isinstance(ended, Fault):
            prove(stream.init, arm, self._operators)
        if isinstance(ended, Fault):
            raise TrialFailed(ended)
        version = stream.sight.client if stream.sight else None
        if version not in (None, self._client.version):
            told = f"the client is {version}, not {self._client.version}: was it updated?"
            raise TrialFailed(Fault("setup", told))
        return ended

    def _start(self, trial: Trial, arm: Arm, places: Places, room: Room) -> Completed:
        env = environment(arm, self._setup.env, trial.case.settings.env)
        confine(arm, places, self._setup)
        try:
            return run_process(
                self.argv(trial, arm, places),
                cwd=arm.workspace,
                env=env,
                stdin=_input(trial, arm).encode("utf-8", "surrogatepass"),
                timeout_s=room.timeout_s,
                idle_timeout_s=self._setup.idle_timeout_s,
                output_cap=OUTPUT_CAP,
                stop=room.stop,
            )
        except OSError as error:
            raise TrialFailed(
                Fault("setup", f"{self._client.program} does not start: {error.strerror}")
            ) from error

    def argv(self, trial: Trial, arm: Arm, places: Places) -> list[str]:
        """The command line of one trial; its input goes to standard input."""
        case, settings = trial.case, trial.case.settings
        given = grants(settings.allowed_tools, settings.disallowed_tools, self._setup.allow_tools, places)
        argv = [
            str(self._client.program),
            "-p",
            "--output-format",
            "stream-json",
            "--verbose",
            "--strict-mcp-config",
        ]
        argv += [
            "--max-turns",
            str(settings.max_turns),
            "--permission-mode",
            "dontAsk",
            "--setting-sources",
            "user",
        ]
        if model := trial.model or self._setup.model:
            argv.append(f"--model={model}")
        for plugin in arm.plugins:
            argv += ["--plugin-dir", str(plugin)]
        if given.allowed:
            argv.append(f"--allowed-tools={','.join(given.allowed)}")
        argv.append(f"--disallowed-tools={','.join(given.disallowed)}")
        if settings.history_file:
            argv += ["--resume", str(arm.config / HISTORY)]
        if settings.append_system_prompt:
            argv.append(f"--append-system-prompt={settings.append_system_prompt}")
        if case.target and case.target.kind == "agent" and arm.item:
            argv += ["--agent", arm.full_name]
        return argv

    def close(self) -> None:
        """Nothing is open between trials."""


def _room_in_memory() -> int:
    import psutil

    return max(1, psutil.virtual_memory().available // MEMORY_EACH)


def _places(case: Case, arm: Arm) -> Places:
    added = tuple(_of_case(case, folder) for folder in case.settings.add_dirs)
    suite = closed_but_for(_suite_of(case.folder.resolve()), added) if case.folder else ()
    return Places(
        workspace=arm.workspace,
        readable=(arm.home, arm.scratch, *arm.plugins, *added),
        closed=(arm.config, *suite),
        scratch=arm.scratch,
    )


def _refuse_mocks(case: Case) -> None:
    """Raise `TrialFailed` where mock servers belong to the case: it would measure another thing."""
    folder = case.folder
    if folder is None:
        return
    mocks = [place / "mocks" for place in (folder, _suite_of(folder.resolve()))]
    if any(place.is_dir() for place in mocks):
        told = f"{case.source}: mock servers (mocks/) are not supported here: use --harness plugin-eval"
        raise TrialFailed(Fault("setup", told))


def _suite_of(case: Path) -> Path:
    """The whole suite that a case's folder lies in, where it shows; else the case itself."""
    return next((folder for folder in case.parents if folder.name == "evals"), case)


def _of_case(case: Case, path: str) -> Path:
    found = ((case.folder or Path()) / path).resolve()
    if not found.exists():
        raise TrialFailed(Fault("setup", f"{case.source}: there is no {path!r} beside the case"))
    return found


def _copy_history(case: Case, arm: Arm) -> None:
    """Lay the case's conversation out, without the line by which the client would count its cost again."""
    if case.settings.history_file is None:
        return
    lines = _of_case(case, case.settings.history_file).read_bytes().splitlines(keepends=True)
    kept = (line for line in lines if b'"type":"cost-state"' not in line.replace(b" ", b""))
    (arm.config / HISTORY).write_bytes(b"".join(kept))


def _input(trial: Trial, arm: Arm) -> str:
    """What the agent is asked: for a golden task, so that the target is invoked on the input."""
    case, item = trial.case, arm.item
    if case.target is None or item is None:
        return case.prompt
    if item.kind == "prompt":
        return f"{item.text.strip()}\n\n{case.prompt}"
    if case.target.kind != "skill":
        return case.prompt
    if not is_for_users(item):
        return f"Use the skill `{arm.full_name}` on this:\n\n{case.prompt}"
    return f"/{arm.full_name} {case.prompt}"


def _stage(case: Case, arm: Arm, setup: Setup, room: Room) -> tuple[str, ...]:
    """Run the case's scaffold script in the workspace, where the user allowed that."""
    script = case.settings.scaffold_script
    if script is None:
        return ()
    if not setup.scaffold:
        return (f"the scaffold script {script!r} was not run: --scaffold was not given",)
    env = environment(arm, {"PATH": setup.env.get("PATH", "")}, {})
    bash = shutil.which("bash", path=setup.env.get("PATH")) or "bash"
    done = run_process(
        [bash, str(_of_case(case, script))],
        cwd=arm.workspace,
        env=env,
        timeout_s=SCAFFOLD_TIMEOUT_S,
        stop=room.stop,
    )
    if done.ended != "done" or done.exit_code != 0:
        told = done.stderr.decode("utf-8", "replace").strip()[-300:]
        raise TrialFailed(
            Fault("setup", f"the scaffold script {script!r} ended with {done.exit_code}: {told}")
        )
    return ()


def _read_by(graders: tuple[GraderSpec, ...]) -> frozenset[str]:
    """Paths of the files whose text a grader reads."""
    sources = [spec.config.get(key) for spec in graders for key in ("target", "focus", "subject")]
    return frozenset(
        str(one["path"]).removeprefix("./") for one in sources if isinstance(one, dict) and "path" in one
    )
