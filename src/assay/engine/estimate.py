"""What trials will cost, before any is started: from what such trials cost so far, else by a token guess."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from assay.model import Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.engine.plan import Plan
    from assay.harnesses import Harness

Basis: TypeAlias = Literal["free", "stored", "guess", "unknown"]

GUESSED = frozenset({"model", "claude", "plugin-eval"})
"""Harnesses whose trials a model answers: their tokens can be guessed."""
LETTERS_PER_TOKEN = 4
ANSWER_TOKENS = 400
"""Of a bare model."""
NO_TOKENS = Usage()
AGENT_TOKENS = Usage(30_000, 1_500)
"""Of an agent's trial: what it reads over all its turns, and what it writes."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """`str()` of it is for people: it says what the number stands on."""

    trials: int
    each_usd: float | None
    basis: Basis
    tokens: Usage = NO_TOKENS
    """What was guessed, where it was."""

    @property
    def total_usd(self) -> float | None:
        return None if self.each_usd is None else self.each_usd * self.trials

    def __str__(self) -> str:
        if self.basis == "free" or not self.trials:
            return "costs nothing"
        if self.total_usd is None:
            return "what a trial costs is not known yet"
        told = f"about ${self.total_usd:.2f}: {self.trials} × ${self.each_usd:.4f}"
        if self.basis == "stored":
            return f"{told}, what such trials cost so far"
        read, wrote = self.tokens.input_tokens, self.tokens.output_tokens
        return f"{told}, a guess of {read:,} tokens read and {wrote:,} written each, at list price"


def estimate(
    plan: Plan,
    harness: Harness,
    to_run: int,
    typical_usd: float | None,
    price: Callable[[Usage, str | None], float | None],
) -> Estimate:
    """Of `to_run` trials; `typical_usd` is what one cost so far, `price` gives dollars for tokens."""
    if harness.is_free:
        return Estimate(to_run, 0.0, "free")
    if typical_usd is not None:
        return Estimate(to_run, typical_usd, "stored")
    if harness.name not in GUESSED:
        return Estimate(to_run, None, "unknown")
    tokens = _tokens(plan) if harness.name == "model" else AGENT_TOKENS
    each = price(tokens, plan.model)
    return Estimate(to_run, each, "unknown" if each is None else "guess", tokens)


def _tokens(plan: Plan) -> Usage:
    """Of the average trial of a bare model."""
    letters = 0
    for case in plan.cases:
        for item_of in plan.arms.values():
            item = item_of(case)
            letters += len(case.prompt) + (len(item.text) if item else 0)
    count = max(1, len(plan.cases) * len(plan.arms))
    return Usage(letters // LETTERS_PER_TOKEN // count, ANSWER_TOKENS)
