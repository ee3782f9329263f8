"""What `assay run` was asked for: one value instead of twenty parameters."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.cli.project import Project


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
    fresh: bool = False
    keep: bool = False
    scaffold: bool = False
    allow_tools: tuple[str, ...] = ()
    grep: tuple[str, ...] = ()
    target: str | None = None
    accept: bool = False
    yes: bool = False
    as_json: bool = False
    out: Path | None = None
    store: Path | None = None
    quiet: bool = False

    @property
    def ceiling_usd(self) -> float:
        return self.project.config.max_cost_usd if self.max_cost_usd is None else self.max_cost_usd
