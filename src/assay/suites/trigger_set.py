"""Trigger sets in every shape that authors write, as one: a query, whether it fires, and which skill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.errors import Problem, SuiteError
from assay.model import JSON, Location
from assay.suites.json_file import JsonFile, read_json
from assay.suites.recognise import QUERY_KEYS, recognise

NOBODY = frozenset({"", "none", "null", "no", "n/a", "-"})
"""Labels that mean: no skill should fire."""
_NOTE_KEYS = ("note", "why", "reason", "_comment", "route", "comment")
_SKILL_KEYS = ("expect_skill", "expected_skill", "target", "_skill")


@dataclass(frozen=True, slots=True)
class TriggerCase:
    """One query and what it should do."""

    query: str
    should_trigger: bool
    skill: str | None = None
    """The skill that has to win, or that the set is about; None where it is the skill under test."""
    note: str | None = None
    id: str | None = None
    source: Location | None = None


@dataclass(frozen=True, slots=True)
class TriggerSet:
    """The cases of a file, and what of it could not be kept."""

    cases: tuple[TriggerCase, ...]
    lost: tuple[Problem, ...] = ()


def read_trigger_set(path: Path, shown: str | None = None) -> TriggerSet:
    """Read a file of trigger queries. Raises SuiteError where it is none."""
    file = read_json(path, shown)
    found = recognise(file.value)
    if found.kind != "triggers":
        what = found.reason or f"it holds {found.kind}"
        raise SuiteError([Problem(file.shown, None, f"not a trigger set: {what}")])
    cases: list[TriggerCase] = []
    lost: list[Problem] = []
    for place, item in found.items:
        case = trigger_case(item, file, place)
        if isinstance(case, TriggerCase):
            cases.append(case)
        else:
            lost.append(case)
    if not cases:
        raise SuiteError(lost)
    return TriggerSet(tuple(cases), tuple(lost))


def trigger_case(
    item: Mapping[str, JSON], file: JsonFile, place: tuple[str | int, ...]
) -> TriggerCase | Problem:
    """One item of a set or of evals that carries a label; a problem where it cannot be read."""
    query = next((item[key] for key in QUERY_KEYS if isinstance(item.get(key), str)), None)
    if not query or not query.strip():
        return file.problem("the item has no query", *place)
    label = _label(item)
    if label is None:
        message = "should_trigger has to be true, false, the name of a skill, or null"
        return file.problem(message, *place, "should_trigger")
    fires, skill = label
    note = next((item[key] for key in _NOTE_KEYS if isinstance(item.get(key), str)), None)
    ident = item.get("id")
    return TriggerCase(
        query=query,
        should_trigger=fires,
        skill=skill or next((item[key] for key in _SKILL_KEYS if isinstance(item.get(key), str)), None),
        note=note,
        id=None if ident is None else str(ident),
        source=Location(file.shown),
    )


def _label(item: Mapping[str, JSON]) -> tuple[bool, str | None] | None:
    """(fires, skill that has to win). A skill's name as a label is never just true: another one may win."""
    if "should_trigger" in item:
        return _read_label(item["should_trigger"])
    if "expect" in item:
        return _read_label(item["expect"])
    if "expect_skill" in item:
        return _read_label(item["expect_skill"])
    return None


def _read_label(value: JSON) -> tuple[bool, str | None] | None:
    if isinstance(value, bool):
        return value, None
    if value is None:
        return False, None
    if isinstance(value, str):
        word = value.strip()
        if word.casefold() in ("true", "false"):
            return word.casefold() == "true", None
        return (False, None) if word.casefold() in NOBODY else (True, word)
    return None
