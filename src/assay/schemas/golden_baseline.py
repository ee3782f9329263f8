"""`evals/baseline.json` and `evals/thresholds.yml` in their typed form: what was accepted, what is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from assay.model import JSON, digest_of
from assay.schemas import validate
from assay.schemas.skill_eval import PairOfWeights, pairs_of

INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
COST_USD = "cost_usd"

Integrity: TypeAlias = Literal["intact", "edited", "unsigned"]
"""Whether the accepted numbers are those that were written: `unsigned` has no digest to tell by."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a suite has to reach. Rates and scores are 0 to 1."""

    pass_rate: float = 0.80
    """Share of a suite's tasks that have to pass, each counted once."""
    task_pass: float = 0.70
    """Score from which a task passes."""
    allow_regressions: bool = False
    per_suite: Mapping[str, Thresholds] = field(default_factory=dict)

    def of(self, suite: str) -> Thresholds:
        """The thresholds of one suite."""
        return self.per_suite.get(suite, self)


@dataclass(frozen=True, slots=True)
class TaskUsage:
    """What one run of a task used, on average over its runs. Unknown is None."""

    input_tokens: float | None = None
    output_tokens: float | None = None
    cost_usd: float | None = None

    @property
    def is_known(self) -> bool:
        return any(value is not None for value in (self.input_tokens, self.output_tokens, self.cost_usd))

    def to_document(self) -> JSON:
        """Numbers only; what is unknown is left out, never estimated."""
        named = {INPUT_TOKENS: self.input_tokens, OUTPUT_TOKENS: self.output_tokens, COST_USD: self.cost_usd}
        return {key: _short(value) for key, value in named.items() if value is not None}

    @classmethod
    def from_document(cls, document: JSON) -> TaskUsage:
        return cls(document.get(INPUT_TOKENS), document.get(OUTPUT_TOKENS), document.get(COST_USD))


UNKNOWN_USAGE = TaskUsage()


@dataclass(frozen=True, slots=True)
class AcceptedSuite:
    """The accepted scores of one suite."""

    pass_rate: float
    tasks: Mapping[str, float]
    trials: Mapping[str, tuple[PairOfWeights, ...]] = field(default_factory=dict)
    """By task: (passed weight, scored weight) of each run. What the statistics stand on."""
    usage: Mapping[str, TaskUsage] = field(default_factory=dict)

    def to_document(self) -> JSON:
        document: dict[str, JSON] = {"pass_rate": self.pass_rate, "tasks": dict(self.tasks)}
        if self.trials:
            document["trials"] = {task: [list(pair) for pair in rows] for task, rows in self.trials.items()}
        usage = {task: used.to_document() for task, used in self.usage.items() if used.is_known}
        return {**document, "usage": usage} if usage else document


@dataclass(frozen=True, slots=True)
class GoldenBaseline:
    """The last accepted run of the golden suites. Its diff in a pull request is how a change is reviewed."""

    accepted: str
    """`YYYY-MM-DD`."""
    model: str
    harness: str
    """`name@version`; several, sorted and joined by `, `, where features run beside it."""
    suites: Mapping[str, AcceptedSuite]
    run: str | None = None
    integrity: Integrity = "intact"

    def to_document(self) -> JSON:
        """The document with its digest, checked against its schema."""
        document: dict[str, JSON] = {
            "accepted": self.accepted,
            "harness": self.harness,
            "model": self.model,
            "suites": {name: suite.to_document() for name, suite in self.suites.items()},
        }
        if self.run is not None:
            document["run"] = self.run
        document["digest"] = digest_of(document)
        validate(document, "golden-baseline-1", "the baseline")
        return document


def from_document(document: JSON, where: str = "baseline.json") -> GoldenBaseline:
    """Read a `baseline.json`. Raises `Unusable` where it is none, also where a usage entry holds text."""
    validate(document, "golden-baseline-1", where)
    return GoldenBaseline(
        accepted=document["accepted"],
        model=document["model"],
        harness=document["harness"],
        suites={name: _suite(suite) for name, suite in document["suites"].items()},
        run=document.get("run"),
        integrity=_integrity(document),
    )


def stamps(harness: str) -> frozenset[str]:
    """The stamps of a baseline's or a run's `harness`."""
    return frozenset(part for part in harness.split(", ") if part)


def joined(parts: Iterable[str]) -> str:
    """Stamps as one text, sorted."""
    return ", ".join(sorted(set(parts)))


def _suite(document: JSON) -> AcceptedSuite:
    usage = document.get("usage", {})
    return AcceptedSuite(
        pass_rate=document["pass_rate"],
        tasks=document["tasks"],
        trials={task: pairs_of(rows) for task, rows in document.get("trials", {}).items()},
        usage={task: TaskUsage.from_document(used) for task, used in usage.items()},
    )


def _integrity(document: JSON) -> Integrity:
    digest = document.get("digest")
    if digest is None:
        return "unsigned"
    signed = {key: value for key, value in document.items() if key != "digest"}
    return "intact" if digest == digest_of(signed) else "edited"


def _short(value: float) -> float:
    """A whole number without its `.0`, so that token counts read as such."""
    return int(value) if float(value).is_integer() else value
