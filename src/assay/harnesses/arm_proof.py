"""Proves an arm from what the run itself listed: the item or not, and nothing of the operator's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import TrialFailed
from assay.harnesses.claude_arm import is_for_users
from assay.harnesses.claude_stream import BUILT_IN
from assay.items.files import digest_files, item_files
from assay.items.frontmatter import read_head
from assay.model import Fault

if TYPE_CHECKING:
    from assay.harnesses.claude_arm import Arm
    from assay.model import JSON

CLIENTS_OWN = frozenset(
    {
        *("Explore", "Plan", "agents", "auto-mode-setup", "autocompact", "batch", "claude"),
        *("claude-api", "clear", "code-review", "color", "compact", "config", "context", "dataviz"),
        *("debug", "deep-research", "doctor", "effort", "fast", "fewer-permission-prompts", "focus"),
        *("general-purpose", "goal", "heapdump", "init", "insights", "keybindings-help", "list-agents"),
        *("loop", "mcp", "model", "output-style", "plugin-authoring", "recap", "reload-plugins"),
        *("reload-skills", "rename", "run", "run-skill-generator", "security-review", "simplify"),
        *("statusline-setup", "team-onboarding", "update-config", "usage", "verify"),
        *("workflow-authoring", "workflow-launch-exec"),
    }
)
"""What the client brings along: an operator's own of the same name is not told apart."""
_LISTS = ("skills", "slash_commands", "agents")
_LIST_OF = {"skill": "skills", "command": "slash_commands", "agent": "agents"}
"""Where the client lists an item. A skill whose file it cannot read is a command, but no skill."""
_SHOWN = 12


def operators_names(project: Path, user: Mapping[str, str]) -> frozenset[str]:
    """Names of skills, commands and agents in the operator's own configuration and in the project's."""
    home = user.get("CLAUDE_CONFIG_DIR") or Path(
        user.get("HOME") or user.get("USERPROFILE") or "~", ".claude"
    )
    return (
        frozenset(name for folder in (Path(home), project / ".claude") for name in _defined_in(folder))
        - CLIENTS_OWN
    )


def _defined_in(folder: Path) -> Iterable[str]:
    for skill in folder.glob("skills/*/SKILL.md"):
        yield skill.parent.name
    for kind in ("commands", "agents"):
        for file in folder.glob(f"{kind}/**/*.md"):
            yield file.stem


def prove(init: JSON, arm: Arm, operators: frozenset[str]) -> None:
    """Raise `TrialFailed` (`contaminated`, `item-missing`), naming what was seen, unless the arm is clean.

    `init` is the first event of the run's stream; `operators` are names that must not be listed.
    """
    if init is None:
        raise TrialFailed(Fault("harness", "the client never listed what it had loaded"))
    strangers = [
        *_strange_plugins(init, arm),
        *_strange_names(init, arm, operators),
        *_strange_places(init, arm),
    ]
    if strangers:
        which = f"with {arm.item.name}" if arm.item else "without"
        raise TrialFailed(
            Fault("contaminated", f"the arm {which!r} could see {', '.join(strangers[:_SHOWN])}")
        )
    if arm.copy is not None:
        _prove_item(init, arm)


def _prove_item(init: JSON, arm: Arm) -> None:
    item, copy = arm.item, arm.copy
    assert item is not None
    assert copy is not None
    loaded = [one for one in init.get("plugins") or () if _same(one.get("path"), arm.plugins[0])]
    listed = {str(name) for name in init.get(_LIST_OF.get(item.kind, "skills")) or ()}
    if not loaded or not (_shows_by_itself(arm) or _names(arm) & listed):
        why = f"; it cannot be loaded: {item.unloadable}" if item.unloadable else ""
        seen = ", ".join(sorted(name for name in listed if ":" in name)[:_SHOWN]) or "nothing from a plugin"
        raise TrialFailed(
            Fault(
                "item-missing",
                f"the client did not list the {item.kind} {item.name!r}{why}; it listed {seen}",
            )
        )
    if digest_files(item_files(copy)) != arm.copy_digest:
        raise TrialFailed(Fault("contaminated", f"the copy of {item.name!r} was changed during the trial"))


def _shows_by_itself(arm: Arm) -> bool:
    """Whether the loaded plugin is all there is to see: of a plugin, or a skill that is not for users."""
    item = arm.item
    assert item is not None
    return item.kind == "plugin" or (item.kind == "skill" and not item.unloadable and not is_for_users(item))


def _names(arm: Arm) -> set[str]:
    """The names under which the client may list the item: by its folder or file, and by its own `name`."""
    assert arm.item is not None
    return {arm.full_name, f"{arm.plugin_name}:{read_head(arm.item.text, '').name}"}


def _strange_plugins(init: JSON, arm: Arm) -> Iterable[str]:
    for plugin in init.get("plugins") or ():
        path = plugin.get("path")
        if path != BUILT_IN and not any(_same(path, own) for own in arm.plugins):
            yield f"the plugin {plugin.get('name')!r} from {path}"


def _strange_names(init: JSON, arm: Arm, operators: frozenset[str]) -> Iterable[str]:
    plugins = {str(plugin.get("name")) for plugin in init.get("plugins") or ()}
    for name in _listed(init):
        prefix, colon, _ = name.partition(":")
        if colon and prefix not in plugins:
            yield f"{name!r} of no plugin that was loaded"
        elif name in operators:
            yield f"{name!r} of the operator's own configuration"
    for server in init.get("mcp_servers") or ():
        yield f"the MCP server {server.get('name')!r}"


def _strange_places(init: JSON, arm: Arm) -> Iterable[str]:
    if not _same(init.get("cwd"), arm.workspace):
        yield f"the folder {init.get('cwd')}"
    for path in (init.get("memory_paths") or {}).values():
        if not Path(path).resolve().is_relative_to(arm.config.resolve()):
            yield f"the memory at {path}"


def _listed(init: JSON) -> Iterable[str]:
    return dict.fromkeys(str(name) for key in _LISTS for name in init.get(key) or ())


def _same(path: str | None, folder: Path) -> bool:
    return path is not None and Path(path).resolve() == folder.resolve()
