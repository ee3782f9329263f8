"""`--harness plugin-eval`: a whole suite on the platform's own `claude plugin eval`, in a throw-away plugin.

Not a harness of single trials: the platform plans, runs and grades, and leaves one document, which
`assay.suites.platform_result` reduces to records.
"""

from __future__ import annotations

import json
import math
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import CannotRun, TrialFailed
from assay.harnesses.arm_proof import operators_names
from assay.harnesses.claude_arm import PASSED, plugin_name
from assay.harnesses.claude_client import Client, find_client
from assay.harnesses.platform_trace import Laid, Session, read_session, runs_of
from assay.harnesses.process import run_process
from assay.items.copy import copy_item
from assay.items.find import MANIFESTS
from assay.model import Fault

if TYPE_CHECKING:
    from assay.harnesses import Room, Setup, Stop
    from assay.model import JSON, Item, Transcript, Trial

MOST_AT_ONCE = 8
"""What the platform runs at once at most."""
SMALL_JUDGE = "claude-haiku-4-5"
"""Named on every call: left to itself the platform takes whatever judge the account gives it."""
_LEFT_OUT = re.compile(r"baseline(\..+)?\.json|results")
_TAIL = 1500
_QUIET = {
    "DISABLE_TELEMETRY": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
}


@dataclass(frozen=True, slots=True)
class EvalOptions:
    """What the platform is asked to do."""

    max_cost_usd: float
    model: str | None = None
    judge_model: str | None = None
    runs: int | None = None
    jobs: int | None = None


@dataclass(frozen=True, slots=True)
class PlatformRun:
    """What came back: the platform's document, and where the suite lay in it."""

    document: JSON
    prefix: str
    """What the platform's `dir` of a case has before the case's id."""
    sessions: tuple[Session | None, ...] = ()
    """One a run, in the order of the document: case by case, the arm `with` before `without`."""


def platform_judge(asked: str | None) -> str:
    """A judge as the platform names it."""
    return (asked or SMALL_JUDGE).removeprefix("anthropic:")


class PluginEvalHarness:
    """`--harness plugin-eval`, or `--harness plugin-eval:PATH`; `evaluate` runs a suite, `run` nothing."""

    name = "plugin-eval"
    concurrency: int | None = MOST_AT_ONCE
    reports_cost = True
    is_free = False

    def __init__(self, setup: Setup, client: Client) -> None:
        self._setup = setup
        self._client = client

    @classmethod
    def set_up(cls, setup: Setup) -> PluginEvalHarness:
        return cls(setup, find_client(setup))

    @property
    def stamp(self) -> str:
        return f"{self.name}@{self._client.version}"

    def settings(self) -> dict[str, Any]:
        return {"allow_tools": sorted(self._setup.allow_tools), "scaffold": self._setup.scaffold}

    def run(self, trial: Trial, room: Room) -> Transcript:
        raise TrialFailed(
            Fault("setup", "plugin-eval runs whole suites of an item, no single trials: use --harness claude")
        )

    def close(self) -> None:
        """Nothing is open."""

    def evaluate(
        self, item: Item, suite: Path, options: EvalOptions, room: Path, stop: Stop | None = None
    ) -> PlatformRun:
        """Run the suite in the folder `suite` on both arms; `room` is an empty folder of the caller's.

        The platform is started in the project. Its exit status decides nothing, since 1 and 2 come with valid
        results too. Raises `CannotRun` where it left no document, with what it said.
        """
        plugin, target = room / "plugin", room / "aggregate-result.json"
        name = plugin_name(item, self._setup.project)
        copy, prefix = _lay_out(item, suite, plugin, name)
        laid = Laid.of(room, plugin, name, item, copy)
        argv = [str(self._client.program), *_arguments(plugin, target, options, self._setup)]
        env = _environment(self._setup.env, room)
        if self._setup.model:  # of the user's session: the cases' own come before it
            env["ANTHROPIC_MODEL"] = self._setup.model
        try:
            done = run_process(argv, cwd=self._setup.project, env=env, timeout_s=math.inf, stop=stop)
        except OSError as error:
            raise CannotRun(f"{self._client.program} does not start: {error.strerror}") from error
        try:
            document = json.loads(target.read_text("utf-8"))
        except (OSError, ValueError) as error:
            told = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-_TAIL:]
            raise CannotRun(f"claude plugin eval left no result (exit {done.exit_code}): {told}") from error
        operators = operators_names(self._setup.project, self._setup.env)
        sessions = (read_session(run, arm, laid, operators) for arm, run in runs_of(document))
        return PlatformRun(document, prefix, tuple(sessions))


def _lay_out(item: Item, suite: Path, plugin: Path, name: str) -> tuple[Path, str]:
    """Copy the item to its place, give it a manifest, and lay the suite beside or inside it as it was.

    Returns where the item lies and what the platform's `dir` of a case has before the case's id.
    """
    copy = copy_item(item, plugin)
    manifest = plugin / MANIFESTS[0]
    if not manifest.exists():  # without one the platform runs a single arm and does not say so
        manifest.parent.mkdir(parents=True, exist_ok=True)
        manifest.write_text(json.dumps({"name": name, "version": "0.0.0"}), "utf-8")
    where = plugin / "evals" / item.name
    root = item.root.resolve()
    if root.is_dir() and suite.resolve().is_relative_to(root):
        where = copy / suite.resolve().relative_to(root)
    shutil.copytree(suite, where, ignore=_left_out)
    return copy, f"{where.relative_to(plugin).as_posix()}/"


def _left_out(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if _LEFT_OUT.fullmatch(name)]


def _arguments(plugin: Path, target: Path, options: EvalOptions, setup: Setup) -> list[str]:
    """The target comes first: options with lists would take it for theirs."""
    argv = ["plugin", "eval", str(plugin), "--json", str(target), "--ablation", "with-without"]
    argv += ["--keep-temp", "--trust-plugin", "--no-publish", "--max-cost-usd", f"{options.max_cost_usd:g}"]
    given = {
        "--model": options.model,
        "--judge-model": options.judge_model,
        "--runs": options.runs,
        "--concurrency": min(options.jobs, MOST_AT_ONCE) if options.jobs else None,
    }
    for flag, value in given.items():
        if value is not None:
            argv += [flag, str(value)]
    argv += ["--scaffold"] * setup.scaffold
    return [*argv, "--allow-tools", *setup.allow_tools] if setup.allow_tools else argv


def _environment(user: Mapping[str, str], room: Path) -> dict[str, str]:
    """The user's login and model server, in a home of the run's own: nothing is left in the user's."""
    home, scratch = room / "home", room / "tmp"
    for folder in (home, scratch):
        folder.mkdir(parents=True, exist_ok=True)
    passed = {name: value for name, value in user.items() if PASSED.fullmatch(name)}
    own = {"HOME": home, "USERPROFILE": home, "CLAUDE_CONFIG_DIR": home / ".claude"}
    own |= dict.fromkeys(("TMPDIR", "TMP", "TEMP", "CLAUDE_CODE_TMPDIR"), scratch)
    return {**passed, **{name: str(path) for name, path in own.items()}, **_QUIET}
