"""Traps that only all cases of one suite together show: equal names, and triggers that nobody asks for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.graders.activation import AGENT_TOOLS, SKILL_TOOLS
from assay.items.find import is_item
from assay.model import Case
from assay.suites.findings import Finding, finding
from assay.suites.lint_graders import Surroundings
from assay.suites.target import DEFAULT
from assay.suites.walk import join


def lint_suites(cases: list[Case], root: Path, shown: str, around: Surroundings) -> Iterator[Finding]:
    """The traps of each suite that cases below `root` make up."""
    suites: dict[str, list[Case]] = {}
    for case in cases:
        suites.setdefault(suite_of(case.id, root), []).append(case)
    for folder, members in suites.items():
        yield from _names(members)
        name = folder.rpartition("/")[2]
        if around.skills and (name in around.skills or not _is_items(folder, root)):
            yield from _triggers(members, join(shown, folder) or ".")


def suite_of(case: str, root: Path) -> str:
    """The folder of the suite that a case is in: `evals/<item>`, where an item has that name, or `evals`."""
    evals, below = _split(case)
    inside = join(evals, below[0])
    return inside if len(below) > 1 and _is_items(inside, root) else evals


def _split(folder: str) -> tuple[str, list[str]]:
    """The path of the `evals` folder ("" where there is none above), and the names below it."""
    parts = folder.split("/")
    at = parts.index(DEFAULT) + 1 if DEFAULT in parts[:-1] else 0
    return "/".join(parts[:at]), parts[at:]


def _is_items(folder: str, root: Path) -> bool:
    evals, below = _split(folder)
    return is_item(root / evals.removesuffix(DEFAULT), below[0])


def _names(cases: list[Case]) -> Iterator[Finding]:
    first: dict[str, Case] = {}
    for case in cases:
        other = first.setdefault(case.name, case)
        if other is not case:
            message = f"the name {case.name!r} is also that of {other.id}: --case selects both"
            yield finding("L18", case.source.path, None, message)


def _triggers(cases: list[Case], place: str) -> Iterator[Finding]:
    used = [spec.config for case in cases for spec in case.graders if spec.type == "tool_used"]
    asking = [config for config in used if config.get("tool") in SKILL_TOOLS | AGENT_TOOLS]
    if not any(config.get("min", 1) > 0 for config in asking):
        yield finding(
            "S01", place, None, "no case asks that the skill fires: the trigger rate says nothing of it"
        )
    if not any(config.get("max") == 0 for config in asking):
        yield finding(
            "S02", place, None, "no case asks that the skill stays quiet: one that always fires looks perfect"
        )
