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
OTHERS = ("/tmp", "/var/tmp", "/dev/shm", "/run/secrets", "/run/user")  # to be hidden
"""Where other programs of this machine keep what is theirs."""
_LOGINS = re.compile(r"ANTHROPIC_\w+|CLAUDE_CODE_OAUTH_TOKEN|AWS_\w+|GOOGLE_\w+")


def confine(arm: Arm, places: Places, setup: Setup) -> None:
    """Write the sandbox's settings into the trial's configuration where the operator allows a shell.

    Raises `TrialFailed` where this machine has no sandbox.
    """
    shells = {bare(tool) for tool in setup.allow_tools} & set(SHELLS)
    if not shells:
        return
    needed = NEEDED.get(sys.platform)
    missing = [name for name in needed or () if shutil.which(name, path=setup.env.get("PATH")) is None]
    if needed is None or missing or "PowerShell" in shells:
        lacking = " and ".join(missing) or "a sandbox that this system does not have"
        raise TrialFailed(Fault("setup", f"{', '.join(sorted(shells))} is allowed, which needs {lacking}"))
    own = (setup.env.get("HOME"), *OTHERS)
    hidden = (*places.closed, setup.project.resolve(), *(Path(place).resolve() for place in own if place))
    settings = sandbox_settings(places, hidden, arm.plugins, filter(_LOGINS.fullmatch, setup.env))
    (arm.config / "settings.json").write_text(json.dumps({"sandbox": settings}), "utf-8")


def sandbox_settings(
    places: Places, hidden: Iterable[Path], plugins: Iterable[Path], logins: Iterable[str]
) -> JSON:
    """What the client's `sandbox` setting has to be.

    `hidden` can neither be read nor changed, but for the trial's own folders in it; `logins` are variables
    that no command sees.
    """
    closed = _rules(hidden)
    return {
        "enabled": True,
        "failIfUnavailable": True,
        "autoAllowBashIfSandboxed": False,
        "allowUnsandboxedCommands": False,
        "network": {"allowedDomains": []},
        "credentials": {"envVars": [{"name": name, "mode": "deny"} for name in logins]},
        "filesystem": {
            "allowWrite": _rules((places.workspace, places.scratch)),
            "denyWrite": [*_rules(places.closed), *_rules(plugins)],
            "allowRead": _rules(places.readable),
            "denyRead": closed,
        },
    }


def _rules(paths: Iterable[Path]) -> list[str]:
    return list(dict.fromkeys(f"/{path.as_posix()}" for path in paths))
