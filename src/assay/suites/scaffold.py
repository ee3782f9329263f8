"""The files that `assay init` plans: texts only, nothing is written here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.suites.golden_task import TODO_ORACLE

if TYPE_CHECKING:
    from assay.model import Item


@dataclass(frozen=True, slots=True)
class Planned:
    """A file to be written, if it is not there yet. `path` is relative to the project."""

    path: str
    text: str


README = """# What these suites evaluate

Golden tasks: each `<suite>/G-NNN-<slug>.md` is an input with the outcome that a person expects of it. They
catch drops in quality when a model, the harness, a prompt or a skill changes.

    assay run                # every task; exit code 1 on any drop against the baseline
    assay run <suite>        # one suite; G-001 is one task
    assay run --accept       # make a run that passed the baseline: shows the difference, asks

- The oracle is `## Expected`, written by people, never copied from an output.
- `thresholds.yml` says what a suite has to reach.
- `baseline.json` is written by `--accept` only, never by hand; its diff is reviewed with the change.
- How `feature:` targets are reached is in `features.yml`.
"""

THRESHOLDS = """# What every suite has to reach; `per_suite: {<suite>: {...}}` sets it for one suite.
pass_rate: 0.80           # share of a suite's tasks that have to pass
task_pass: 0.70           # score from which a task passes
allow_regressions: false  # a task below its accepted score fails the run
"""

EXAMPLE = """---
id: G-001
target: {target}
grader: assert
tags: [example]
---
## Input

Greet Ada in one sentence.

## Expected

- must contain "Ada"
- at most 20 words

## Notes

An example of the shape. Replace it with tasks of your own: an input that matters, and what a person expects.
"""

DRAFT = """---
id: G-001
target: skill:{name}
grader: rubric
---
## Input

{input}

## Expected

- {todo}: what an answer must do, one item a line

## Notes

Drafted from the skill's description:

{quoted}
"""

WORKFLOW = """# Golden tasks on every change of what they measure, and of the model or harness pin.
name: evals

on:
  pull_request:
    paths:
      - evals/**
      - skills/**
      - commands/**
      - agents/**
      - prompts/**
      - assay.toml # the pins: model, harness
      - pyproject.toml
      - .github/workflows/evals.yml
  push:
    branches: [main]
    paths:
      - evals/**
      - skills/**
      - commands/**
      - agents/**
      - prompts/**
      - assay.toml # the pins: model, harness
      - pyproject.toml
      - .github/workflows/evals.yml
  workflow_dispatch:

permissions:
  contents: read

concurrency:
  group: evals
  cancel-in-progress: false

jobs:
  evals:
    # Secrets are not given to pull requests of forks: without them there is nothing to measure.
    if: >-
      github.event_name != 'pull_request'
      || github.event.pull_request.head.repo.full_name == github.repository
    runs-on: ubuntu-latest
    timeout-minutes: 60
    steps:
      - uses: actions/checkout@v4
        with:
          persist-credentials: false
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install 'assay[models]'
      # Exit code 1, and with it the job, on a regression, a suite below its threshold or a failing trigger.
      - run: assay run evals/ --out report.txt
        env:
          ANTHROPIC_API_KEY: ${{ secrets.ANTHROPIC_API_KEY }}
      - if: always() && hashFiles('report.txt') != ''
        run: cat report.txt >> "$GITHUB_STEP_SUMMARY"
"""
WORKFLOW_PATH = ".github/workflows/evals.yml"


def starter(target: str, suite: str = "example") -> list[Planned]:
    """A first `evals/`: what it is, thresholds, and one example task. No baseline."""
    return [
        Planned("evals/README.md", README),
        Planned("evals/thresholds.yml", THRESHOLDS),
        Planned(f"evals/{suite}/G-001-example.md", EXAMPLE.format(target=target)),
    ]


def draft(skill: Item) -> Planned:
    """A task for a skill, its oracle left to a person: it refuses to run as it is."""
    described = (skill.description or "").strip()
    asked = "TODO(input): a request that this skill is for, as a user would write it"
    quoted = "\n".join(f"> {line}".rstrip() for line in _lines(described)) or "> (it has none)"
    text = DRAFT.format(name=skill.name, input=asked, todo=TODO_ORACLE, quoted=quoted)
    return Planned(f"evals/{skill.name}/G-001-{_slug(skill.name)}.md", text)


def workflow() -> Planned:
    """A GitHub workflow that runs the golden tasks."""
    return Planned(WORKFLOW_PATH, WORKFLOW)


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-") or "draft"
