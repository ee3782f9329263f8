"""The files that doubles answer from: a YAML or JSON list of rules, each a few keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from assay.errors import Problem, SuiteError
from assay.model import JSON

if TYPE_CHECKING:
    from pathlib import Path

R = TypeVar("R")


def read_rules(path: Path, rule: type[R]) -> tuple[R, ...]:
    """The entries of a file as instances of a dataclass. Raises SuiteError naming every bad one."""
    import msgspec
    import yaml

    try:
        entries: JSON = yaml.load(path.read_text("utf-8-sig"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise SuiteError([Problem(path.as_posix(), None, f"cannot be read as rules: {error}")]) from error
    if not isinstance(entries, list):
        raise SuiteError([Problem(path.as_posix(), 1, "expected a list of rules, as `- say: text`")])
    rules, problems = [], []
    for number, entry in enumerate(entries, 1):
        try:
            rules.append(_rule(entry, rule))
        except (msgspec.ValidationError, TypeError, ValueError) as error:
            problems.append(Problem(path.as_posix(), None, f"rule {number}: {error}"))
    if problems:
        raise SuiteError(problems)
    return tuple(rules)


def _rule(entry: JSON, rule: type[R]) -> R:
    import msgspec

    known = list(rule.__dataclass_fields__)  # type: ignore[attr-defined]  # every rule is a dataclass
    if isinstance(entry, dict) and (unknown := set(entry) - set(known)):
        raise TypeError(f"unknown key {sorted(map(str, unknown))[0]!r}; the keys are {', '.join(known)}")
    return msgspec.convert(entry, rule)
