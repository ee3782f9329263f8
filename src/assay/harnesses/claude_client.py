"""The Claude Code command line on this machine: where it is and which version."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import CannotRun

if TYPE_CHECKING:
    from assay.harnesses import Setup

PROGRAM = "claude"
OLDEST = (2, 1, 269)
"""The first version whose plugin suites are generally available."""
VERSION_TIMEOUT_S = 60
LOGINS = re.compile(r"ANTHROPIC_(API_KEY|AUTH_TOKEN)|CLAUDE_CODE_OAUTH_TOKEN|CLAUDE_CODE_USE_\w+")
"""Variables that log a trial in: it never reads the login that is kept in the user's configuration."""
_VERSION = re.compile(r"\d+\.\d+\.\d+")


@dataclass(frozen=True, slots=True)
class Client:
    """A command line that was found and told its version."""

    program: Path
    version: str


def find_client(setup: Setup) -> Client:
    """The client that `--harness NAME:PATH` names, else `claude` on the user's PATH.

    Raises `CannotRun`, with what to do, where there is none, it does not run, it is too old, or no variable
    logs it in.
    """
    found = shutil.which(setup.argument or PROGRAM, path=setup.env.get("PATH"))
    if found is None:
        named = f"{setup.argument!r} is no program" if setup.argument else "`claude` is not on the PATH"
        how = "npm install -g @anthropic-ai/claude-code installs Claude Code; then `assay doctor`"
        raise CannotRun(f"{named}: {how}")
    if not any(value and LOGINS.fullmatch(name) for name, value in setup.env.items()):
        raise CannotRun(
            "no login for Claude Code: its trials do not read the one in your configuration folder, so set"
            " ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN to what `claude setup-token` gives"
        )
    program = Path(found).absolute()
    version = _version(program)
    if tuple(map(int, version.split("."))) < OLDEST:
        raise CannotRun(f"Claude Code {version} is too old: {'.'.join(map(str, OLDEST))} or newer is needed")
    return Client(program, version)


def _version(program: Path) -> str:
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, timeout=VERSION_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotRun(f"{program} --version does not run: {error}") from error
    found = _VERSION.search(done.stdout.decode("utf-8", "replace"))
    if found is None:
        told = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        raise CannotRun(f"{program} --version tells no version: {told[:200]}")
    return found[0]
