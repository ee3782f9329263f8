"""Documented doubles of language models, so that tests need no patching: `constant:TEXT`, `scripted:FILE`."""

from __future__ import annotations

import hashlib
import re
import threading
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.errors import TrialFailed
from assay.model import Fault, FaultKind, Usage
from assay.models import Completion, Request
from assay.models.rules_file import read_rules
from assay.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

ECHO = "{input}"


class ConstantModel:
    """`constant:TEXT`: says TEXT to everything, at no cost."""

    concurrency: int | None = None
    is_free = True

    def __init__(self, text: str) -> None:
        self.name = "constant"
        self._text = text

    @property
    def stamp(self) -> str:
        return f"constant@{__version__}"

    def settings(self) -> dict[str, Any]:
        return {"text": self._text}

    def complete(self, request: Request) -> Completion:
        return Completion(self._text, Usage(cost_usd=0.0), self.name)

    def close(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of a script. The first whose conditions all hold answers; a condition left out holds."""

    input: str | None = None
    """A regular expression (Python's) that is found in the last message."""
    system: str | None = None
    """The same, in the system message; never true where there is none."""
    say: str | list[str] = ECHO
    """The answer; `{input}` is the last message. A list gives one answer a call, over and over."""
    fail: FaultKind | None = None
    """A kind of fault (`rate_limit`, `server`, …) instead of an answer."""
    fail_times: int | None = None
    """How often the rule fails before it answers; None: always."""
    retry_after_s: float | None = None
    cost_usd: float | None = 0.0
    input_tokens: int | None = None
    output_tokens: int | None = None
    model: str | None = None
    """The model that the answer reports, where it is not the name of the double."""

    def __post_init__(self) -> None:
        for pattern in (self.input, self.system):
            try:
                re.compile(pattern or "")
            except re.error as error:
                raise ValueError(f"{pattern!r} is no regular expression: {error}") from error
        if self.say == []:
            raise ValueError("`say` is an empty list")

    def fits(self, request: Request) -> bool:
        return _found(self.input, _last(request)) and _found(self.system, _system(request))


class ScriptedModel:
    """`scripted:FILE`: answers by a YAML or JSON list of rules; what no rule fits is said back."""

    concurrency: int | None = None

    def __init__(self, path: Path) -> None:
        self.name = f"scripted:{path.name}"
        self._rules = (*read_rules(path, Rule), Rule())
        self.is_free = all(rule.cost_usd == 0 for rule in self._rules)
        self._digest = hashlib.sha256(path.read_bytes()).hexdigest()
        self._calls: Counter[int] = Counter()
        self._lock = threading.Lock()

    @property
    def stamp(self) -> str:
        return f"scripted@{__version__}"

    def settings(self) -> dict[str, Any]:
        return {"rules": self._digest}

    def complete(self, request: Request) -> Completion:
        number = next(number for number, rule in enumerate(self._rules) if rule.fits(request))
        rule = self._rules[number]
        with self._lock:
            self._calls[number] += 1
            call = self._calls[number]
        if rule.fail and (rule.fail_times is None or call <= rule.fail_times):
            raise TrialFailed(Fault(rule.fail, "scripted to fail", rule.retry_after_s))
        answered = call - 1 - (rule.fail_times or 0 if rule.fail else 0)
        said = rule.say if isinstance(rule.say, str) else rule.say[answered % len(rule.say)]
        usage = Usage(rule.input_tokens, rule.output_tokens, cost_usd=rule.cost_usd)
        return Completion(said.replace(ECHO, _last(request)), usage, rule.model or self.name)

    def close(self) -> None:
        """Nothing is open."""


def _found(pattern: str | None, text: str | None) -> bool:
    return pattern is None or (text is not None and re.search(pattern, text) is not None)


def _last(request: Request) -> str:
    return request.messages[-1].content if request.messages else ""


def _system(request: Request) -> str | None:
    return next((message.content for message in request.messages if message.role == "system"), None)
