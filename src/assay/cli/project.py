"""The project that a command works on, and its settings: `[tool.assay]` in pyproject.toml or assay.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.errors import Problem, SuiteError

DEFAULT_CEILING_USD = 2.0
STORE = ".assay/trials.sqlite"
RATES = ("requests_per_minute", "tokens_per_minute")


@dataclass(frozen=True, slots=True)
class Config:
    """What a project sets once for all its runs. Every key may be left out."""

    harness: str | None = None
    model: str | None = None
    judge_model: str | None = None
    runs: int | None = None
    jobs: int | None = None
    max_cost_usd: float = DEFAULT_CEILING_USD
    max_cost_usd_per_day: float | None = None
    ask_above_usd: float = 1.0
    """In a terminal, an estimate above this is asked about."""
    free_models: list[str] = field(default_factory=list)
    """Models that cost nothing although no price list says so."""
    prices: dict[str, dict[str, float]] = field(default_factory=dict)
    """Model → `{input, output}` in dollars a million tokens."""
    rates: dict[str, dict[str, int]] = field(default_factory=dict)
    """Model → `{requests_per_minute, tokens_per_minute}`, either may be left out."""
    tiers: dict[str, str] = field(default_factory=dict)
    """Model or family → `cheap`, `default` or `capable`."""


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with its settings."""

    root: Path
    config: Config

    @property
    def evals(self) -> Path:
        return self.root / "evals"

    @property
    def store(self) -> Path:
        return self.root / STORE


def open_project(root: Path) -> Project:
    """The project at `root`. Raises SuiteError for settings that cannot be read, naming each."""
    for name, keys in (("pyproject.toml", ("tool", "assay")), ("assay.toml", ())):
        path = root / name
        if path.is_file():
            table: Any = _toml(path, name)
            for key in keys:
                table = table.get(key) if isinstance(table, dict) else None
            if table is not None:
                return Project(root, _config(table, name))
    return Project(root, Config())


def _toml(path: Path, shown: str) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise SuiteError([Problem(shown, None, f"cannot be read: {error}")]) from error


def _config(table: Any, shown: str) -> Config:
    import msgspec

    known = Config.__dataclass_fields__
    if not isinstance(table, dict):
        raise SuiteError([Problem(shown, None, "the settings of assay must be a table")])
    problems = [
        Problem(shown, None, f"unknown key {key!r}; the keys are {', '.join(known)}")
        for key in table
        if key not in known
    ]
    try:
        config = msgspec.convert({key: value for key, value in table.items() if key in known}, Config)
    except msgspec.ValidationError as error:
        raise SuiteError([*problems, Problem(shown, None, str(error))]) from error
    if config.max_cost_usd <= 0:
        problems.append(Problem(shown, None, "max_cost_usd must be more than 0"))
    if config.max_cost_usd_per_day is not None and config.max_cost_usd_per_day <= 0:
        problems.append(Problem(shown, None, "max_cost_usd_per_day must be more than 0"))
    problems += [
        Problem(shown, None, f"rates.{model}: expected {' or '.join(RATES)}, each a number above 0")
        for model, rates in config.rates.items()
        if not rates or not set(rates) <= set(RATES) or min(rates.values()) < 1
    ]
    if problems:
        raise SuiteError(problems)
    return config
