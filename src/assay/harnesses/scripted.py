"""The documented double: answers from a file of rules instead of running anything."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from assay.errors import TrialFailed
from assay.model import Fault, FileMade, Sight, ToolCall, Transcript, Usage
from assay.models.rules_file import read_rules
from assay.version import __version__

if TYPE_CHECKING:
    from assay.harnesses import Room, Setup
    from assay.model import Trial

ECHO = "{input}"


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of the file. The first whose conditions all hold answers; a condition left out holds."""

    case: str = "*"
    """A glob on the case's id."""
    arm: str = "*"
    repeat: int | None = None
    item_contains: str | None = None
    """Text that the item must hold; never true on an arm without one."""
    input_contains: str | None = None
    say: str | list[str] = ECHO
    """The output; `{input}` is the case's input. A list gives one output a repeat, over and over."""
    tools: list[dict[str, Any]] = field(default_factory=list)
    """Tool calls: `{name, input}` each."""
    files: dict[str, str] = field(default_factory=dict)
    """Files made: path to text."""
    fail: str | None = None
    """A kind of fault (`rate_limit`, `server`, …) instead of an answer."""
    fail_times: int | None = None
    """How often a trial fails before it answers; None: always."""
    seconds: float = 0.0
    """How long the trial takes."""
    cost_usd: float | None = 0.0
    input_tokens: int | None = None
    output_tokens: int | None = None

    def fits(self, trial: Trial) -> bool:
        return (
            fnmatchcase(trial.case.id, self.case)
            and fnmatchcase(trial.arm, self.arm)
            and self.repeat in (None, trial.repeat)
            and (self.input_contains is None or self.input_contains in trial.case.prompt)
            and (
                self.item_contains is None
                or (trial.item is not None and self.item_contains in trial.item.text)
            )
        )


class ScriptedHarness:
    """`--harness scripted:FILE`, FILE a YAML or JSON list of rules; without a file it says the input back."""

    name = "scripted"
    concurrency: int | None = None
    reports_cost = True
    is_free = False

    def __init__(self, rules: tuple[Rule, ...] = (), digest: str = "") -> None:
        self._rules = (*rules, Rule())
        self._digest = digest
        self._failed: dict[str, int] = {}
        self._lock = threading.Lock()

    @classmethod
    def set_up(cls, setup: Setup) -> ScriptedHarness:
        if setup.argument is None:
            return cls()
        path = setup.project / setup.argument
        return cls(read_rules(path, Rule), hashlib.sha256(path.read_bytes()).hexdigest())

    @property
    def stamp(self) -> str:
        return f"{self.name}@{__version__}"

    def settings(self) -> dict[str, Any]:
        return {"rules": self._digest}

    def run(self, trial: Trial, room: Room) -> Transcript:
        rule = next(rule for rule in self._rules if rule.fits(trial))
        if rule.seconds:
            room.stop.wait(rule.seconds)
        if rule.fail and self._fails(rule, trial.key):
            raise TrialFailed(Fault(rule.fail, "scripted to fail", 0.0, rule.cost_usd))  # type: ignore[arg-type]  # the file's word
        said = rule.say if isinstance(rule.say, str) else rule.say[(trial.repeat - 1) % len(rule.say)]
        return Transcript(
            said.replace(ECHO, trial.case.prompt),
            tool_calls=tuple(ToolCall(call["name"], call.get("input", {})) for call in rule.tools),
            files=tuple(_file(path, text) for path, text in rule.files.items()),
            usage=Usage(rule.input_tokens, rule.output_tokens, cost_usd=rule.cost_usd),
            sight=Sight(skills=(trial.item.name,) if trial.item else (), model=trial.model),
            model_reported=trial.model,
        )

    def _fails(self, rule: Rule, key: str) -> bool:
        with self._lock:
            failed = self._failed[key] = self._failed.get(key, 0) + 1
        return rule.fail_times is None or failed <= rule.fail_times

    def close(self) -> None:
        """Nothing is open between trials."""


def _file(path: str, text: str) -> FileMade:
    body = text.encode()
    return FileMade(path, len(body), hashlib.sha256(body).hexdigest(), text)
