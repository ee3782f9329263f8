"""The client's own sandbox for shell commands: they write in the trial's folders and see no suite or project.

Only commands that the operator granted run at all. Without a sandbox on this machine nothing runs.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import TrialFailed
from assay.harnesses.claude_grants import SHELLS, bare
from assay.model import Fault

if TYPE_CHECKING:
    from assay.harnesses import Setup
    from assay.harnesses.claude_arm import Arm
    from assay.harnesses.claude_grants import Places
    from assay.model import JSON

NEEDED = {"linux": ("bwrap", "socat"), "darwin": ("sandbox-exec",)}
"""Programs without which the client's sandbox does not start, by platform."""
_LOGINS = re.compile(r"ANTHROPIC_\w+|CLAUDE_CODE_OAUTH_TOKEN|AWS_\w+|GOOGLE_\w+")


def confine(arm: Arm, places: Places, setup: Setup) -> dict[str, str]:
    """Write the sandbox's settings into the trial's configuration where the operator allows a shell.

    Returns variables for the client: they name a file that takes the login out of each command's environment.
    Raises `TrialFailed` where this machine has no sandbox.
    """
    shells = {bare(tool) for tool in setup.allow_tools} & set(SHELLS)
    if not shells:
        return {}
    needed = NEEDED.get(sys.platform)
    missing = [name for name in needed or () if shutil.which(name, path=setup.env.get("PATH")) is None]
    if needed is None or missing or "PowerShell" in shells:
        lacking = " and ".join(missing) or "a sandbox that this system does not have"
        raise TrialFailed(Fault("setup", f"{', '.join(sorted(shells))} is allowed, which needs {lacking}"))
    home = setup.env.get("HOME")
    hidden = (*places.closed, setup.project.resolve(), *([Path(home).resolve()] if home else []))
    settings = {"sandbox": sandbox_settings(places, hidden, arm.plugins)}
    (arm.config / "settings.json").write_text(json.dumps(settings), "utf-8")
    before = arm.home / ".before-each-command"
    before.write_text(f"unset {' '.join(filter(_LOGINS.fullmatch, setup.env))}\n", "utf-8")
    return {"CLAUDE_ENV_FILE": before.as_posix()}


def sandbox_settings(places: Places, hidden: Iterable[Path], plugins: Iterable[Path]) -> JSON:
    """What the client's `sandbox` setting has to be; `hidden` can neither be read nor changed."""
    closed = _rules(hidden)
    return {
        "enabled": True,
        "failIfUnavailable": True,
        "autoAllowBashIfSandboxed": False,
        "allowUnsandboxedCommands": False,
        "filesystem": {
            "allowWrite": _rules((places.workspace, places.scratch)),
            "denyWrite": [*closed, *_rules(plugins)],
            "allowRead": _rules(places.readable),
            "denyRead": closed,
        },
    }


def _rules(paths: Iterable[Path]) -> list[str]:
    return list(dict.fromkeys(f"/{path.as_posix()}" for path in paths))
