"""An operator whose home and project hold things of their own, and what a run may have done to them."""

import hashlib
import json
import stat
import time
from pathlib import Path

import psutil

OWN = "OPERATOR"
"""Stands in everything of the operator's: it may reach no model."""
MODEL = "claude-opus-5"
"""What the operator's sessions run on."""


def settle(home, project):
    """Fill a home and a project with a skill named `commit`, a command, an agent, a memory and settings."""
    for folder in (home / ".claude", project / ".claude"):
        (folder / "skills/commit").mkdir(parents=True)
        (folder / "skills/commit/SKILL.md").write_text(
            f"---\nname: commit\ndescription: The operator's own.\n---\n{OWN}", "utf-8"
        )
        for kind in ("commands", "agents"):
            (folder / kind).mkdir()
            (folder / kind / "ours.md").write_text(f"---\nname: ours\ndescription: x\n---\n{OWN}", "utf-8")
        (folder / "CLAUDE.md").write_text(OWN, "utf-8")
        settings = {"model": MODEL, "env": {"WHOSE": OWN}}
        (folder / "settings.json").write_text(json.dumps(settings), "utf-8")
    (home / ".claude.json").write_text("{}", "utf-8")
    (project / "CLAUDE.md").write_text(OWN, "utf-8")


def picture(*folders):
    """Every path below but `.assay/`, with its mode, size, time and content."""
    seen = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if ".assay" in path.relative_to(folder).parts:
                continue
            status = path.lstat()
            is_file = stat.S_ISREG(status.st_mode)
            content = hashlib.sha256(path.read_bytes()).hexdigest() if is_file else ""
            seen[path] = (status.st_mode, status.st_size, is_file and status.st_mtime_ns, content)
    return seen


def at_work(folder):
    """Processes whose working folder is in there."""
    found = [(process.pid, process.info["cwd"]) for process in psutil.process_iter(["cwd"])]
    return [pid for pid, cwd in found if cwd and Path(cwd).is_relative_to(folder)]


def waited_for(claim, seconds=180):
    """Whether the claim comes true; how long that takes is the machine's affair."""
    ends_at = time.monotonic() + seconds
    while not claim() and time.monotonic() < ends_at:
        time.sleep(0.05)
    return claim()
