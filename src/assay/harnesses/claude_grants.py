"""Which tools an arm may use: what the case lists, what the operator allows, as the platform does.

Both arms get the same. Tools that only read are granted where the case lists them, others where the
operator allows them; what is not granted is taken from the model's list.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

READING = ("Read", "Glob", "Grep")
WRITING = ("Edit", "Write", "NotebookEdit")
SHELLS = ("Bash", "PowerShell")
LISTED = frozenset(
    {*READING, "NotebookRead", "Skill", "AskUserQuestion", "Agent", "Task", "TodoWrite"}
    | {"TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TaskStop"}
)
"""Granted where the case lists them."""
NEVER = ("Monitor", "EnterWorktree", "ExitWorktree")
GATED = (
    *SHELLS,
    *NEVER,
    *WRITING,
    *("ExitPlanMode", "EnterPlanMode", "memory_list", "memory_read", "memory_write", "WebFetch", "WebSearch"),
    *("ReportFindings", "SendFeedback", "SendToProject", "SendToProjectContext", "DesignSync", "Projects"),
    *(
        "Artifact",
        "ArtifactComments",
        "ArtifactData",
        "ArtifactCheck",
        "AppifactRepl",
        "SendMessage",
        "SendFile",
    ),
    *(
        "ListAgents",
        "ShareOnboardingGuide",
        "Poll",
        "Yield",
        "Workflow",
        "CronCreate",
        "CronDelete",
        "CronList",
    ),
    *(
        "ScheduleWakeup",
        "RemoteTrigger",
        "SearchMcpRegistry",
        "SuggestConnectors",
        "WrapUp",
        "ReadNotifications",
    ),
    *("ShowOnboardingRolePicker", "OfferChromeSetup", "ReadWidgetContext", "McpTaskResumePolling", "GetTask"),
    *("enable__mcp__claude-in-chrome", "enable__mcp__remote-devices__Claude_Browser", "request_computer"),
    *(
        "enable__mcp__remote-devices__computer",
        "ListConnectors",
        "SearchPlugins",
        "SearchSkills",
        "ListPlugins",
    ),
    *(
        "SuggestPluginInstall",
        "SuggestSkills",
        "ListSkills",
        "SendUserMessage",
        "SendUserFile",
        "propose_skills",
    ),
    *("SetGoal", "PauseGoal", "GetGoal", "PublishPlugin", "PushNotification", "FetchInboxMessage"),
    *("ListMcpResourcesTool", "ReadMcpResourceTool", "ReadMcpResourceDirTool"),
)
"""Taken from the model's list unless the operator allows them."""


@dataclass(frozen=True, slots=True)
class Grants:
    """The values of `--allowed-tools` and `--disallowed-tools`."""

    allowed: tuple[str, ...]
    disallowed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Places:
    """Folders that decide what a path grant covers."""

    workspace: Path
    readable: tuple[Path, ...]
    """What the agent may read: its home, its temporary folder, the plugin, the case's `add_dirs`."""
    closed: tuple[Path, ...]
    """Files and folders that it may neither read nor change: the suite, the client's configuration."""
    scratch: Path


def closed_but_for(folder: Path, open_folders: Collection[Path]) -> Iterator[Path]:
    """What to close of a folder so that all of it is closed but `open_folders` within it."""
    inside = [one for one in open_folders if one.is_relative_to(folder)]
    if not inside:
        yield folder
    elif folder not in inside:
        for entry in sorted(folder.iterdir()):
            yield from closed_but_for(entry, inside)


def grants(listed: Sequence[str], denied: Sequence[str], allowed: Sequence[str], places: Places) -> Grants:
    """The grants of one run: `listed` and `denied` by the case, `allowed` by the operator."""
    asked = [*(tool for tool in listed if bare(tool) in LISTED), *allowed]
    names = {bare(tool) for tool in asked} - set(NEVER)
    open_names = names | (set(WRITING) if names & set(WRITING) else set())
    return Grants(
        allowed=tuple(dict.fromkeys(_allow(asked, names, places))),
        disallowed=(
            *_close(places),
            *(tool for tool in GATED if tool not in open_names),
            *denied,
        ),
    )


def _allow(asked: Iterable[str], names: set[str], places: Places) -> Iterable[str]:
    for tool in asked:
        if bare(tool) in names and bare(tool) not in (*READING, *WRITING):
            yield tool
    for tool in READING:
        if tool in names:
            yield from (f"{tool}({_below(folder)})" for folder in places.readable)
    if names & set(WRITING):
        for folder in (places.workspace, places.scratch):
            yield from (f"{tool}({_below(folder)})" for tool in ("Edit", "Write"))


def _close(places: Places) -> Iterable[str]:
    for place in places.closed:
        for tool in ("Read", "Edit"):
            yield from (f"{tool}(/{place.as_posix()})", f"{tool}({_below(place)})")
    yield "Read(//proc/**)"


def _below(folder: Path) -> str:
    """A permission rule for everything below an absolute folder."""
    return f"/{folder.as_posix()}/**"


def bare(tool: str) -> str:
    """The tool's name in a grant such as `Bash(git *)`."""
    return re.split(r"[(\s]", tool.strip(), maxsplit=1)[0]
