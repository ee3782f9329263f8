"""The nouns of assay, frozen: what a suite holds, what a trial leaves, what graders say of it.

Everything here is JSON-clean, so that a record can be stored, read back and re-graded without the live run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypeAlias

JSON: TypeAlias = Any
"""A JSON value. Spelled `Any`: the recursive type costs more casts than it finds mistakes."""

WITH = "with"
WITHOUT = "without"
PREVIOUS = "previous"
"""The item as it was before an edit."""

ItemKind: TypeAlias = Literal["skill", "command", "agent", "plugin", "prompt", "feature"]
Outcome: TypeAlias = Literal["scored", "error", "skipped"]
Ending: TypeAlias = Literal["done", "timeout", "idle_timeout", "max_turns", "exit"]
FaultKind: TypeAlias = Literal[
    "rate_limit",
    "overloaded",
    "server",
    "usage_limit",
    "auth",
    "api_timeout",
    "network",
    "empty",
    "judge",
    "grader",
    "contaminated",
    "item-missing",
    "harness",
    "setup",
    "ceiling",
    "interrupted",
]


_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


def digest_of(value: JSON) -> str:
    """`sha256:…` of a JSON value in canonical form (sorted keys, no white space)."""
    return f"sha256:{sha256(_canonical(value).encode('utf-8', 'surrogatepass')).hexdigest()}"


# --- suites -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file of the user's: path with forward slashes, line from 1."""

    path: str
    line: int | None = None

    def __str__(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class GraderSpec:
    """One check as its author wrote it. `type` names a grader in the table of `assay.graders`."""

    name: str
    type: str
    weight: float = 1.0
    config: Mapping[str, JSON] = field(default_factory=dict)
    """Every other key, defaults filled in; `arm` only where it was written."""
    source: Location | None = None

    @property
    def arm(self) -> str | None:
        """`with-only`, `both`, or None where the author left it open."""
        arm: str | None = self.config.get("arm")
        return arm

    @property
    def digest(self) -> str:
        return digest_of([self.name, self.type, self.weight, dict(self.config)])


@dataclass(frozen=True, slots=True)
class Target:
    """What a golden task is run against: `skill:commit` is kind `skill`, name `commit`."""

    kind: Literal["skill", "prompt", "agent", "feature"]
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


@dataclass(frozen=True, slots=True)
class Settings:
    """How a case asks to be run. Defaults are those of the platform's loader."""

    model: str | None = None
    max_turns: int = 10
    timeout_s: float = 300
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()
    append_system_prompt: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    scaffold_script: str | None = None
    history_file: str | None = None
    add_dirs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileGiven:
    """A file of the suite that lies in the workspace when a trial begins."""

    path: str
    """Where, relative to the workspace, forward slashes."""
    source: Path
    digest: str
    """Of its content: a changed file is another input."""


@dataclass(frozen=True, slots=True)
class Case:
    """One input with its graders. A golden task is a case with a target."""

    id: str
    """Unique in its suite: the folder relative to the suite's root, or `G-001`."""
    name: str
    prompt: str
    """What the target gets. Never holds the oracle."""
    graders: tuple[GraderSpec, ...]
    source: Location
    folder: Path | None = None
    """Where the case's own files lie; None where it has none."""
    settings: Settings = Settings()
    runs: int | None = None
    weight: float = 1.0
    tags: tuple[str, ...] = ()
    target: Target | None = None
    plugins: tuple[str, ...] = ()
    notes: Mapping[str, JSON] = field(default_factory=dict)
    """What the format says beside it: description, pattern, expected_outcome, the raw object."""
    files: tuple[FileGiven, ...] = ()

    @property
    def input_digest(self) -> str:
        """Of what a trial of this case depends on: the input and the settings, not the graders."""
        target = str(self.target) if self.target else None
        parts: list[JSON] = [self.prompt, _settings_json(self.settings), target, self.plugins]
        if self.files:
            parts.append([[file.path, file.digest] for file in self.files])
        return digest_of(parts)


def _settings_json(settings: Settings) -> JSON:
    return [
        settings.model,
        settings.max_turns,
        settings.timeout_s,
        settings.allowed_tools,
        settings.disallowed_tools,
        settings.append_system_prompt,
        dict(settings.env),
        settings.scaffold_script,
        settings.history_file,
        settings.add_dirs,
    ]


@dataclass(frozen=True, slots=True)
class Suite:
    """A folder of cases, whatever format they came in."""

    name: str
    kind: Literal["ablation", "golden"]
    root: Path
    cases: tuple[Case, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    """Cases that cannot be run and why: (id, reason). A golden task without an oracle is one."""

    @property
    def digest(self) -> str:
        """Of the cases and graders; not of baseline or results."""
        cases = [[case.id, case.input_digest, [spec.digest for spec in case.graders]] for case in self.cases]
        return digest_of(sorted(cases))


@dataclass(frozen=True, slots=True)
class Item:
    """What is under test. `digest` is of its files' content, stable across machines and line ends."""

    kind: ItemKind
    name: str
    root: Path
    """The folder (skill, plugin) or the file (command, agent, prompt)."""
    digest: str
    text: str
    """SKILL.md, the command, agent or prompt file: what a bare model is given."""
    description: str | None = None
    unloadable: str | None = None
    """Why a client would not load it, with file and line: not the same as one that does not trigger."""


# --- trials -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of one case on one arm, planned. The same `key` is never paid for twice."""

    case: Case
    arm: str
    repeat: int
    """From 1; two repeats of one trial are two keys."""
    item: Item | None
    """None on the arm `without`."""
    model: str | None
    key: str


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a trial has no score: ours or the platform's fault, never the item's."""

    kind: FaultKind
    message: str
    retry_after_s: float | None = None
    cost_usd: float | None = None
    """What the attempt had cost when it died; None where that is not known."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Numbers only. What the harness did not report is None, never 0."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool, in the order of the transcript, denied ones and sub-agents' included."""

    name: str
    input: JSON = None
    id: str | None = None
    parent: str | None = None
    """The id of the call that started the sub-agent which made this one."""
    result: str | None = None
    is_error: bool | None = None


@dataclass(frozen=True, slots=True)
class FileMade:
    """A file that the trial left. `text` is None where it is not text or over the cap."""

    path: str
    size: int
    digest: str
    text: str | None = None
    note: str | None = None
    """Why there is no text: `binary`, `image`, `over the cap`, `link`."""
    created: bool = True
    """False for a file that lay there before the trial and is kept because a grader reads it."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What the arm could see, as the run itself listed it."""

    skills: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    mcp_servers: tuple[str, ...] = ()
    model: str | None = None
    client: str | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a trial left. Graders read this and nothing else."""

    output: str
    """The final message (`last_message`)."""
    tool_calls: tuple[ToolCall, ...] = ()
    files: tuple[FileMade, ...] = ()
    trace: tuple[str, ...] = ()
    """Every event as one JSON line, in order."""
    usage: Usage = Usage()
    sight: Sight | None = None
    ended: Ending = "done"
    turns: int | None = None
    exit_code: int | None = None
    model_reported: str | None = None
    duration_s: float | None = None
    notes: tuple[str, ...] = ()
    """What a reader should know: an output that was capped, a file left out."""


@dataclass(frozen=True, slots=True)
class Activation:
    """Whether the item fired in one trial: how often the model called it, itself or by a sub-agent."""

    calls: int
    first: bool
    """True where it was the first skill or sub-agent that was called at all."""
    by_sub_agent: bool

    @property
    def fired(self) -> bool:
        return self.calls > 0


@dataclass(frozen=True, slots=True)
class Grade:
    """What one grader said of one transcript. `passed` is None exactly when `fault` is set."""

    name: str
    type: str
    passed: bool | None
    weight: float = 1.0
    scored: bool = True
    """False for an indicator that does not count (a with-only grader in a two-arm run)."""
    explanation: str = ""
    votes: tuple[bool, ...] = ()
    evidence: str | None = None
    fault: Fault | None = None
    cost_usd: float | None = None
    trigger: bool = False
    """True for a `tool_used: Skill` result: what the trigger rate counts."""
    check: str = ""
    """Short digest of the check (and its judge) that said so: an unchanged one is not paid for twice."""


@dataclass(frozen=True, slots=True)
class Record:
    """A finished trial with its grades: the boundary that reports, gates and diffs stand on."""

    run: str
    key: str
    case: str
    arm: str
    repeat: int
    outcome: Outcome
    passed_weight: float = 0.0
    scored_weight: float = 0.0
    grades: tuple[Grade, ...] = ()
    fault: Fault | None = None
    usage: Usage = Usage()
    judge_cost_usd: float | None = None
    duration_s: float | None = None
    attempts: int = 1
    cached: bool = False
    """True where it came from the store instead of being paid for again."""
    model_reported: str | None = None
    transcript: str | None = None
    """Digest of the stored transcript; None where none was kept."""
    activation: Activation | None = None
    """Whether the item fired; None on an arm without it and where the harness cannot tell."""

    @property
    def score(self) -> Fraction | None:
        """Share of the scored weight that passed, exact; None for an error or a skipped trial."""
        if self.outcome != "scored" or self.scored_weight <= 0:
            return None
        return exact(self.passed_weight) / exact(self.scored_weight)


@lru_cache(maxsize=8192)
def exact(number: float) -> Fraction:
    """The decimal that was written, as a rational: 0.1 is 1/10, not its nearest float."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)
