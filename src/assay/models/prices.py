"""What a model's usage costs: the user's own prices first, else the snapshot that genai-prices carries.

Nothing is fetched. A model that neither knows has no cost: None, never 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.errors import UsageError
from assay.model import Usage

PER = 1_000_000
"""Prices are given for so many tokens."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens. A cache price that is None is the price of input."""

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None


def cost_usd(model: str, usage: Usage, own: Mapping[str, Price] | None = None) -> float | None:
    """US dollars of one call; None where price or usage is unknown.

    `model` with or without its provider; `usage.input_tokens` with cached ones included, as pydantic-ai
    counts. `own` is looked up by the whole name first, then without the provider.
    """
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    provider, _, short = model.rpartition(":")
    for name in (model, short):
        if own and name in own:
            return _cost(own[name], usage, usage.input_tokens, usage.output_tokens)
    return _listed(short, provider or None, usage)


def own_prices(table: Mapping[str, Mapping[str, float]]) -> dict[str, Price]:
    """The project's `prices`: model → `{input, output, cache_read, cache_write}`, the caches optional.

    Raises `UsageError` naming every entry that is no price.
    """
    known = set(Price.__dataclass_fields__)
    bad = [
        f"prices.{model}: expected input and output, and if need be cache_read and cache_write, none below 0"
        for model, price in table.items()
        if not {"input", "output"} <= set(price) <= known or min(price.values()) < 0
    ]
    if bad:
        raise UsageError("\n".join(bad))
    return {model: Price(**price) for model, price in table.items()}


def is_priced(model: str, own: Mapping[str, Price] | None = None) -> bool:
    """Whether a call of the model has a known price."""
    return cost_usd(model, Usage(input_tokens=1, output_tokens=1), own) is not None


def _cost(price: Price, usage: Usage, input_tokens: int, output_tokens: int) -> float:
    read, written = usage.cache_read_tokens or 0, usage.cache_write_tokens or 0
    fresh = max(input_tokens - read - written, 0)
    read_price = price.input if price.cache_read is None else price.cache_read
    write_price = price.input if price.cache_write is None else price.cache_write
    spent = fresh * price.input + read * read_price + written * write_price + output_tokens * price.output
    return spent / PER


def _listed(model: str, provider: str | None, usage: Usage) -> float | None:
    import genai_prices

    counted = genai_prices.Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )
    try:
        price = genai_prices.calc_price(counted, model, provider_id=_LISTED_AS.get(provider or "", provider))
    except LookupError:
        return None
    return float(price.total_price)


_LISTED_AS = {"google-gla": "google"}
