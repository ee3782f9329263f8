"""Graders that ask a language model: `rubric`, `llm` and `baseline`.

A vote that cannot be read is a fault, never a pass and never a fail; so is a judge that died. The judge is a
fresh call that sees the criterion and the evidence, and neither the arm nor other verdicts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from assay.errors import TrialFailed, UsageError
from assay.graders.judge_prompts import (
    EVENTS,
    RUBRIC_SCHEMA,
    Fenced,
    baseline_messages,
    fence,
    llm_messages,
    rubric_messages,
    visible,
)
from assay.graders.sources import LAST_MESSAGE, Missing, evidence
from assay.model import Fault, Grade
from assay.models import Request

if TYPE_CHECKING:
    from assay.graders import Bench
    from assay.model import GraderSpec, Transcript
    from assay.models import ChatModel, Completion

PLATFORM_VOTES = 3
VOTES = (1, 3, 5)
"""How many votes a rubric expectation may get."""
VOTE_TEMPERATURE = 0.7
"""With several votes each has its own seed at this temperature; a single one is asked at 0."""
WORD_TOKENS, VERDICT_TOKENS = 64, 700
BASELINE_CAP = 10 * 1024 * 1024


class Unreadable(Exception):
    """An answer that is no verdict."""


@dataclass(frozen=True, slots=True)
class Vote:
    """What one call of the judge said."""

    passed: bool
    reason: str = ""
    quote: str | None = None


Reader: TypeAlias = Callable[[str], Vote]


class Rubric:
    """One expectation of a checklist, met or not met, on the output alone."""

    def __init__(self, spec: GraderSpec, bench: Bench) -> None:
        self._spec = spec
        self._judge = judge_of(spec, bench)
        self._votes = bench.votes or 1
        self._criteria = str(spec.config["criteria"])

    def grade(self, transcript: Transcript) -> Grade:
        output = fence(transcript.output, "output", salt=self._criteria)
        request = Request(
            rubric_messages(self._criteria, output), max_tokens=VERDICT_TOKENS, schema=RUBRIC_SCHEMA
        )
        return ask(self._spec, self._judge, request, lambda text: read_verdict(text, output), self._votes)


class Llm:
    """The platform's judge: `criteria` on what `focus` names; two of three votes pass."""

    def __init__(self, spec: GraderSpec, bench: Bench) -> None:
        self._spec = spec
        self._judge = judge_of(spec, bench)
        self._criteria = str(spec.config["criteria"])
        self._focus = spec.config.get("focus", LAST_MESSAGE)

    def grade(self, transcript: Transcript) -> Grade:
        found = self._evidence(transcript)
        if isinstance(found, Fault):
            return _faulty(self._spec, found)
        if isinstance(found, Missing):
            return Grade(self._spec.name, self._spec.type, False, self._spec.weight, explanation=found.reason)
        messages = llm_messages(self._criteria, fence(found, "evidence", salt=self._criteria))
        request = Request(messages, max_tokens=WORD_TOKENS)
        return ask(self._spec, self._judge, request, read_word, PLATFORM_VOTES)

    def _evidence(self, transcript: Transcript) -> str | Missing | Fault:
        if self._focus == "trace":
            return ends_of(transcript.trace)
        found = evidence(transcript, self._focus)
        return "(no file changes)" if self._focus == "files" and found == "" else found


class Baseline:
    """Whether the trial's trace is at least as good as a recorded one; two of three votes pass."""

    def __init__(self, spec: GraderSpec, bench: Bench) -> None:
        self._spec = spec
        self._judge = judge_of(spec, bench)
        self._criteria = str(spec.config["criteria"])
        self._recorded = ends_of(_recorded(spec, bench))

    def grade(self, transcript: Transcript) -> Grade:
        before = fence(self._recorded, "baseline", salt=self._criteria)
        now = fence(ends_of(transcript.trace), "new", salt=self._criteria + before.marker)
        request = Request(baseline_messages(self._criteria, before, now), max_tokens=WORD_TOKENS)
        return ask(self._spec, self._judge, request, read_word, PLATFORM_VOTES)


def ask(spec: GraderSpec, judge: ChatModel, request: Request, read: Reader, votes: int) -> Grade:
    """Ask until one side has the majority of `votes`; no more votes are bought than that takes."""
    cast: list[Vote] = []
    costs: list[float] = []
    needed = votes // 2 + 1
    while max(_for(cast), len(cast) - _for(cast)) < needed:
        try:
            answer = judge.complete(_numbered(request, len(cast) + 1, votes))
            _note_cost(costs, answer)
            cast.append(read(answer.text))
        except TrialFailed as error:
            fault = error.fault
            told = Fault(fault.kind, f"the judge {judge.name}: {fault.message}", fault.retry_after_s)
            return _faulty(spec, told, costs)
        except Unreadable as error:
            return _faulty(spec, Fault("judge", f"the judge {judge.name}: {error}"), costs)
    passed = _for(cast) >= needed
    said = next(vote for vote in cast if vote.passed == passed)
    return Grade(
        spec.name,
        spec.type,
        passed,
        spec.weight,
        explanation=said.reason,
        votes=tuple(vote.passed for vote in cast),
        evidence=said.quote,
        cost_usd=sum(costs) if costs else None,
    )


def _numbered(request: Request, number: int, votes: int) -> Request:
    if votes == 1:
        return request
    return Request(
        request.messages,
        max_tokens=request.max_tokens,
        temperature=VOTE_TEMPERATURE,
        seed=number,
        schema=request.schema,
    )


def _for(votes: list[Vote]) -> int:
    return sum(vote.passed for vote in votes)


def _note_cost(costs: list[float], answer: Completion) -> None:
    if answer.usage.cost_usd is not None:
        costs.append(answer.usage.cost_usd)


def _faulty(spec: GraderSpec, fault: Fault, costs: list[float] | None = None) -> Grade:
    spent = sum(costs) if costs else None
    return Grade(
        spec.name, spec.type, None, spec.weight, explanation=fault.message, fault=fault, cost_usd=spent
    )


def judge_of(spec: GraderSpec, bench: Bench) -> ChatModel:
    """The judge on the bench. Raises UsageError where there is none: before anything is spent."""
    if bench.judge is None:
        place = f"{spec.source}: " if spec.source else ""
        raise UsageError(f"{place}{spec.type} {spec.name!r} needs a judge: name one with --judge-model")
    return bench.judge


def read_word(text: str) -> Vote:
    """The platform's reading: the word PASS and not the word FAIL. Neither word is no verdict."""
    words = set(re.findall(r"[A-Z]+", text.upper()))
    if not words & {"PASS", "FAIL"}:
        raise Unreadable(f"neither PASS nor FAIL in its answer {_short(text)}")
    return Vote("FAIL" not in words, " ".join(text.split())[:200])


def read_verdict(text: str, output: Fenced) -> Vote:
    """The JSON verdict on an expectation. One that is met has to quote what stands in the output, or nothing.

    Raises Unreadable.
    """
    match = re.fullmatch(r"\s*(?:```(?:json)?\s*\n)?(\{.*\})\s*(?:\n```)?\s*", text, re.DOTALL)
    try:
        verdict = json.loads(match[1]) if match else None
    except (ValueError, RecursionError):
        verdict = None
    if not isinstance(verdict, dict) or not isinstance(verdict.get("met"), bool):
        raise Unreadable(f"no verdict in its answer {_short(text)}")
    quote = verdict.get("evidence")
    quote = quote.strip() if isinstance(quote, str) else ""
    stands = bool(quote) and is_quoted(quote, output.shown)
    if verdict["met"] and quote and not stands:
        raise Unreadable(f"it says met and quotes what is not in the output: {_short(quote)}")
    reason = verdict.get("reason")
    return Vote(verdict["met"], " ".join(str(reason or "").split())[:500], quote[:500] if stands else None)


def is_quoted(quote: str, text: str) -> bool:
    """Whether a quote stands in a text, but for white space; `...` stands for what was left out."""
    body = _flat(text)
    parts = [part.strip() for part in re.split(r"\.\.\.|…", _flat(visible(quote)).strip("\"'`“” "))]
    at = 0
    for part in parts:
        found = body.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return any(parts)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _short(text: str) -> str:
    line = " ".join(visible(text).split())
    return repr(line if len(line) <= 120 else f"{line[:117]}...")


def ends_of(events: tuple[str, ...]) -> str:
    """The first and the last events of a trace, as the platform shows them."""
    if len(events) <= 2 * EVENTS:
        return "\n".join(events)
    left_out = f"[... {len(events) - 2 * EVENTS} events left out ...]"
    return "\n".join([*events[:EVENTS], left_out, *events[-EVENTS:]])


def _recorded(spec: GraderSpec, bench: Bench) -> tuple[str, ...]:
    name = str(spec.config["baseline_file"])
    path = (bench.case_folder / name) if bench.case_folder else None
    try:
        if path is None or not path.is_file() or path.stat().st_size > BASELINE_CAP:
            raise UsageError(
                f"{spec.source or spec.name}: the baseline {name!r} is no regular file of at most 10 MiB"
            )
        return tuple(line for line in path.read_text("utf-8-sig").splitlines() if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{spec.source or spec.name}: the baseline {name!r} cannot be read: {error}"
        ) from error
