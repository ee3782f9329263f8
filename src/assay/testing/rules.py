"""The rules that a scripted model follows, read from YAML. The format is in `docs/testing.md`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, TypeVar

from assay.errors import Problem, SuiteError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from assay.model import JSON
    from assay.testing.asked import Asked


@dataclass(frozen=True, slots=True)
class When:
    """What a request must hold for a rule to apply: every key that is given. Patterns are Python's `re`."""

    model: str | None = None
    prompt: str | None = None
    system: str | None = None
    text: str | None = None
    result: str | bool | None = None
    """A pattern on the last tool result; true or false: whether there is any."""
    skill: str | None = None
    """A skill that the client lists, with or without its plugin's name."""
    no_skill: str | None = None
    agent: str | None = None
    """A sub-agent that the client lists."""
    tool: str | None = None
    judge: bool | None = None

    def matches(self, asked: Asked) -> bool:
        pairs = (
            (self.model, asked.model),
            (self.prompt, asked.prompt),
            (self.system, asked.system),
            (self.text, asked.text),
        )
        return (
            all(pattern is None or re.search(pattern, text) for pattern, text in pairs)
            and self._result_matches(asked)
            and (self.skill is None or listed_as(self.skill, asked.skills) is not None)
            and (self.no_skill is None or listed_as(self.no_skill, asked.skills) is None)
            and (self.agent is None or listed_as(self.agent, asked.agents) is not None)
            and (self.tool is None or self.tool in asked.tools)
            and (self.judge is None or self.judge == asked.is_judge)
        )

    def _result_matches(self, asked: Asked) -> bool:
        if self.result is None:
            return True
        if isinstance(self.result, bool):
            return self.result == bool(asked.results)
        return bool(asked.results) and re.search(self.result, asked.results[-1]) is not None


def listed_as(name: str, listed: tuple[str, ...]) -> str | None:
    """The name under which the client lists `name`: itself, or `plugin:name`."""
    return next((full for full in listed if full == name or full.endswith(f":{name}")), None)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. `skill` and `agent` fire those by the name under which the client lists them."""

    tool: str | None = None
    input: Mapping[str, JSON] = field(default_factory=dict)
    skill: str | None = None
    agent: str | None = None
    prompt: str = "Do it."
    args: str | None = None

    def resolve(self, asked: Asked) -> tuple[str, dict[str, JSON]]:
        """Tool name and input as they go on the wire."""
        if self.skill is not None:
            found = listed_as(self.skill, asked.skills) or self.skill
            return "Skill", {"skill": found} | ({"args": self.args} if self.args else {})
        if self.agent is not None:
            found = listed_as(self.agent, asked.agents) or self.agent
            tool = "Agent" if "Agent" in asked.tools else "Task"
            return tool, {"description": "delegate", "prompt": self.prompt, "subagent_type": found}
        return self.tool or "", dict(self.input)


@dataclass(frozen=True, slots=True)
class Failure:
    """An HTTP error instead of an answer."""

    status: int
    type: str | None = None
    message: str = "scripted failure"
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """PASS where `passes` is found in what is judged: the prompt's text after `after`."""

    passes: str
    after: str = r"(?m)^Agent output.*$"


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model."""

    say: str | None = None
    call: tuple[Call, ...] = ()
    fail: Failure | None = None
    judge: Judgement | None = None
    delay_s: float = 0.0
    hang_up: bool = False
    """Close the connection without an answer."""
    empty: bool = False
    """Answer 200 with no body."""
    usage: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rule:
    """The first rule that matches answers: its n-th turn to the n-th request since the prompt."""

    name: str
    when: When = When()
    turns: tuple[Turn, ...] = (Turn(),)
    times: int | None = None
    """Only so many requests get this rule; later ones go on to the next that matches."""

    def turn(self, asked: Asked) -> Turn:
        return self.turns[min(asked.turn, len(self.turns) - 1)]


@dataclass(frozen=True, slots=True)
class Rules:
    """What a scripted server follows, and the usage that it reports."""

    rules: tuple[Rule, ...]
    usage: Mapping[str, int] = field(default_factory=lambda: {"input_tokens": 100, "output_tokens": 20})


_IN_YAML = {"Mapping": ("dict",), "float": ("int",), "None": ("NoneType",)}
"""What YAML gives for a type that is called otherwise here."""
_TURN_KEYS = frozenset(item.name for item in fields(Turn))
T = TypeVar("T")


def load_rules(path: Path) -> Rules:
    """Read a rules file. Raises `SuiteError` with every problem, each with its line."""
    return parse_rules(path.read_text(encoding="utf-8-sig"), path.as_posix())


def parse_rules(text: str, path: str = "rules") -> Rules:
    """Read the text of a rules file; `path` names it in errors."""
    import yaml

    try:
        raw = yaml.safe_load(text) or {}
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise SuiteError([Problem(path, None, f"not YAML: {error}")]) from error
    if not isinstance(raw, dict) or not isinstance(raw.get("rules"), list):
        raise SuiteError([Problem(path, 1, "expected a mapping with a list `rules`")])
    problems = [
        Problem(path, None, f"unknown key {key!r}") for key in sorted(raw.keys() - {"rules", "usage"})
    ]
    usage = raw.get("usage", {})
    if not isinstance(usage, dict) or any(type(count) is not int for count in usage.values()):
        problems.append(Problem(path, None, f"`usage` maps names to whole numbers, not {usage!r}"))
    rules: list[Rule] = []
    lines = _rule_lines(node)
    for number, one in enumerate(raw["rules"]):
        try:
            rules.append(_rule(one, number))
        except (TypeError, ValueError, re.error) as error:
            problems.append(Problem(path, lines[number], f"rule {number + 1}: {error}"))
    if problems:
        raise SuiteError(problems)
    return Rules(tuple(rules), **({"usage": raw["usage"]} if "usage" in raw else {}))


def _rule_lines(node: JSON) -> list[int]:
    for key, value in getattr(node, "value", ()):
        if key.value == "rules":
            return [one.start_mark.line + 1 for one in value.value]
    return []


def _rule(raw: JSON, number: int) -> Rule:
    if not isinstance(raw, dict):
        raise TypeError("expected a mapping")
    rest = dict(raw)
    name = rest.pop("name", f"rule {number + 1}")
    when = _of(When, rest.pop("when", None) or {})
    _compile(when)
    times = rest.pop("times", None)
    if times is not None and (type(times) is not int or times < 1):
        raise ValueError(f"`times` is a whole number from 1, not {times!r}")
    turns = rest.pop("turns", None)
    if turns is not None and not isinstance(turns, list):
        raise TypeError(f"`turns` is a list, not {turns!r}")
    if turns is not None and rest:
        raise ValueError(f"with `turns`, {sorted(rest)} belongs into a turn")
    read = tuple(_turn(one) for one in ([rest] if turns is None else turns))
    if not read:
        raise ValueError("`turns` is empty")
    return Rule(str(name), when, read, times)


def _turn(raw: JSON) -> Turn:
    if not isinstance(raw, dict) or not raw:
        raise TypeError(f"a turn is a mapping with any of {sorted(_TURN_KEYS)}")
    values = dict(raw)
    if "call" in values:
        calls = values["call"] if isinstance(values["call"], list) else [values["call"]]
        values["call"] = tuple(_call(one) for one in calls)
    if "fail" in values:
        values["fail"] = _of(Failure, values["fail"])
    if "judge" in values:
        values["judge"] = _of(Judgement, values["judge"])
        re.compile(values["judge"].passes)
        re.compile(values["judge"].after)
    turn = _of(Turn, values)
    if not any((turn.say is not None, turn.call, turn.fail, turn.judge, turn.hang_up, turn.empty)):
        raise ValueError("a turn needs `say`, `call`, `fail`, `judge`, `hang_up` or `empty`")
    return turn


def _call(raw: JSON) -> Call:
    call = _of(Call, raw)
    if sum(name is not None for name in (call.tool, call.skill, call.agent)) != 1:
        raise ValueError("a call names one of `tool`, `skill` and `agent`")
    return call


def _of(kind: type[T], raw: JSON) -> T:
    known = {item.name for item in fields(kind)}  # type: ignore[arg-type]  # every kind here is a dataclass
    if not isinstance(raw, dict):
        raise TypeError(f"expected a mapping with any of {sorted(known)}, found {raw!r}")
    unknown = sorted(map(str, raw.keys() - known))
    if unknown:
        raise ValueError(f"unknown key {unknown[0]!r}; there are {sorted(known)}")
    for item in fields(kind):  # type: ignore[arg-type]
        if item.name in raw and not _fits(raw[item.name], str(item.type)):
            raise TypeError(f"`{item.name}` is {item.type}, not {raw[item.name]!r}")
    return kind(**raw)


def _fits(value: object, annotation: str) -> bool:
    """Whether a value read from YAML is of one of the types that a field's annotation names."""
    given = type(value).__name__
    names = {part.partition("[")[0] for part in annotation.split(" | ")}
    return given in names or given in {yaml for name in names for yaml in _IN_YAML.get(name, ())}


def _compile(when: When) -> None:
    for pattern in (when.model, when.prompt, when.system, when.text, when.result):
        if isinstance(pattern, str):
            re.compile(pattern)
