"""Sets one arm up for Claude Code: folders, a throw-away plugin and an environment of the trial's own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import TrialFailed
from assay.items.copy import copy_item
from assay.items.files import digest_files, item_files
from assay.items.find import MANIFESTS, item_at
from assay.model import Fault, Item

if TYPE_CHECKING:
    from assay.model import Case, Trial

PLUGIN_NAME = "local"
"""The throw-away plugin's name where the item lies in no plugin of its own."""
PASSED = re.compile(
    r"PATH|LANG|LC_\w+|TZ|TERM|SYSTEMROOT|COMSPEC|PATHEXT|WINDIR"
    r"|ANTHROPIC_(?!LOG)\w+|API_TIMEOUT_MS|CLAUDE_CODE_(MAX_RETRIES|OAUTH_TOKEN|USE_\w+|SKIP_\w+_AUTH)"
    r"|(HTTPS?|NO|ALL)_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|AWS_\w+|CLOUD_ML_REGION|VERTEX_\w+"
    r"|GOOGLE_(APPLICATION_CREDENTIALS|CLOUD_PROJECT)",
    re.IGNORECASE,
)
"""Variables of the user's that reach the client: where the model is and how to log in. No others do."""
SERVED = re.compile(
    r"ANTHROPIC_(?!API_KEY|AUTH_TOKEN|CUSTOM_HEADERS)\w+|CLAUDE_CODE_USE_\w+|CLOUD_ML_REGION|VERTEX_\w+",
    re.IGNORECASE,
)
"""Those among them that say which model answers, and hold no secret: trials under other values are others."""
_NOT_FOR_USERS = re.compile(r"^user-invocable:\s*[\"']?false", re.MULTILINE)
CASE_VARIABLE = re.compile(r"EVAL_[A-Z0-9_]*")
IN_SESSION_RETRIES = "2"
"""How often the client repeats a failed request itself; after that the engine repeats the trial."""
_FIXED = {
    "CLAUDE_CODE_MAX_RETRIES": IN_SESSION_RETRIES,
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "ENABLE_CLAUDEAI_MCP_SERVERS": "false",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
}


@dataclass(frozen=True, slots=True)
class Arm:
    """One trial's set-up. `plugins` is empty on an arm without the item; the item's copy is in the first."""

    home: Path
    workspace: Path
    config: Path
    scratch: Path
    plugins: tuple[Path, ...]
    item: Item | None
    copy: Path | None
    """Where the item's copy lies; None without an item, and for a prompt, which goes into the input."""
    plugin_name: str
    copy_digest: str | None

    @property
    def full_name(self) -> str:
        """The item's name as the client lists it."""
        return f"{self.plugin_name}:{self.item.name}" if self.item else ""


def build_arm(trial: Trial, room: Path, project: Path) -> Arm:
    """Make the folders and the plugin below `room`. Raises `TrialFailed` where the item has changed."""
    home, config, scratch = room / "home", room / "config", room / "tmp"
    workspace = home / "work"
    for folder in (workspace, config, scratch):
        folder.mkdir(parents=True, exist_ok=True)
    _make_repository(workspace)
    (home / ".gitconfig").write_text("[user]\n\tname = assay\n\temail = assay@localhost\n", "utf-8")
    item = trial.item
    if item is None or item.kind == "prompt":
        return Arm(home, workspace, config, scratch, (), item, None, "", None)
    plugin, name = room / "plugin" / "0", plugin_name(item, project)
    copy = _copy(item, plugin, name)
    others = tuple(_other_plugins(trial.case, item, room / "plugin"))
    return Arm(
        home,
        workspace,
        config,
        scratch,
        (plugin, *others),
        item,
        copy,
        name,
        digest_files(item_files(copy)),
    )


def plugin_name(item: Item, project: Path) -> str:
    """The name of the plugin that the item lies in, so that graders may name it; else a neutral one.

    An edited item lies in a folder of its own: then it is the project's plugin.
    """
    if item.kind == "plugin":
        return item.name
    for folder in (*list(item.root.resolve().parents)[:3], project):
        for manifest in MANIFESTS:
            name = _manifest_name(folder / manifest)
            if name:
                return name
    return PLUGIN_NAME


def is_for_users(item: Item) -> bool:
    """Whether a skill may be invoked as `/name`; the client lists no others in its first event."""
    return _NOT_FOR_USERS.search(item.text) is None


def environment(arm: Arm, user: Mapping[str, str], case: Mapping[str, str]) -> dict[str, str]:
    """What the client gets: of the user's variables those in `PASSED`, places of the trial's own, the case's.

    Raises `TrialFailed` for a case's variable that is not named `EVAL_…`.
    """
    wrong = [name for name in case if not CASE_VARIABLE.fullmatch(name)]
    if wrong:
        raise TrialFailed(Fault("setup", f"a case may set variables named EVAL_… only, not {wrong[0]!r}"))
    passed = {name: value for name, value in user.items() if PASSED.fullmatch(name)}
    home, config, scratch = (folder.as_posix() for folder in (arm.home, arm.config, arm.scratch))
    own = {
        "HOME": home,
        "USERPROFILE": home,
        "CLAUDE_CONFIG_DIR": config,
        "CLAUDE_CODE_MANAGED_SETTINGS_PATH": config,
        "XDG_CONFIG_HOME": f"{home}/.config",
        "XDG_DATA_HOME": f"{home}/.local/share",
        "XDG_CACHE_HOME": f"{home}/.cache",
        "XDG_STATE_HOME": f"{home}/.local/state",
        "TMPDIR": scratch,
        "TMP": scratch,
        "TEMP": scratch,
        "CLAUDE_CODE_TMPDIR": scratch,
    }
    return {**_FIXED, **passed, **own, **case}


def _copy(item: Item, plugin: Path, name: str) -> Path:
    if digest_files(item_files(item.root)) != item.digest:
        raise TrialFailed(
            Fault("contaminated", f"{item.root.as_posix()} was changed while the run was going on")
        )
    copy = copy_item(item, plugin)
    manifest = plugin / MANIFESTS[0]
    if not manifest.exists():
        manifest.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"name": name, "version": "0.0.0", "description": ""})
        manifest.write_text(text, "utf-8")
    return copy


def _other_plugins(case: Case, item: Item, folder: Path) -> list[Path]:
    """Copies of the plugins that the case lists beside the one that holds the item."""
    found: list[Path] = []
    for listed in case.plugins:
        root = ((case.folder or Path()) / listed).resolve()
        if item.root.resolve().is_relative_to(root):
            continue
        other = folder / str(len(found) + 1)
        copy_item(item_at(root, "plugin"), other)
        found.append(other)
    return found


def _manifest_name(path: Path) -> str | None:
    try:
        name = json.loads(path.read_text("utf-8-sig")).get("name")
    except (OSError, ValueError, AttributeError):
        return None
    return name if isinstance(name, str) and name else None


def _make_repository(folder: Path) -> None:
    """An empty git repository on branch `main`, as the platform gives its runs."""
    git = folder / ".git"
    for part in ("objects", "refs/heads"):
        (git / part).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    (git / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = false\n", "utf-8")
