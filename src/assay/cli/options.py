"""What `assay run` was asked for: one value instead of twenty parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.project import Config, Project

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay.model import JSON, Case


DEFAULT_JOBS = 4


@dataclass(frozen=True, slots=True)
class Shard:
    """Which share of the cases: every `of`-th from `number`, which counts from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def of_cases(self, cases: Iterable[Case]) -> tuple[Case, ...]:
        """The cases of this shard; all shards together hold each case once."""
        return tuple(cases)[self.number - 1 :: self.of]


@dataclass(frozen=True, slots=True)
class Source:
    """A stored run whose transcripts are graded again."""

    run: str
    harness: str
    """`name@version`."""
    model: str | None
    item_digest: str | None
    ground: Mapping[str, JSON]
    repeats: Mapping[str, int]
    """By case: how many trials it had on an arm."""

    def of_cases(self, cases: Iterable[Case]) -> tuple[Case, ...]:
        """The cases that it ran, with as many repeats as it gave them."""
        return tuple(replace(case, runs=self.repeats[case.id]) for case in cases if case.id in self.repeats)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of a run, as given; None or empty where the user left them out."""

    project: Project
    targets: tuple[str, ...] = ()
    harness: str | None = None
    model: str | None = None
    judge_model: str | None = None
    allow_weaker_judge: bool = False
    votes: int | None = None
    runs: int | None = None
    jobs: int | None = None
    max_cost_usd: float | None = None
    max_trials: int | None = None
    fresh: bool = False
    fresh_arms: tuple[str, ...] = ()
    resume: bool = False
    explain: bool = False
    fail_fast: bool = False
    shard: Shard | None = None
    source: Source | None = None
    """The stored run whose transcripts are graded again; nothing is run then."""
    going_on: str | None = None
    """The id of the stored run that is resumed, once it is found."""
    idle_timeout: float | None = None
    """Seconds."""
    keep: bool = False
    scaffold: bool = False
    allow_tools: tuple[str, ...] = ()
    grep: tuple[str, ...] = ()
    target: str | None = None
    accept: bool = False
    confirm: bool = False
    """Decide drops of golden tasks by fresh runs."""
    curtail: bool = False
    """Stop an item's run where the strict gate's reject is certain."""
    yes: bool = False
    as_json: bool = False
    out: Path | None = None
    store: Path | None = None
    quiet: bool = False

    @property
    def ceiling_usd(self) -> float:
        return self.project.config.max_cost_usd if self.max_cost_usd is None else self.max_cost_usd

    def runs_of(self, config: Config) -> int | None:
        """Trials of each case on each arm; None: as each case says."""
        return None if self.source else self.runs or config.runs
