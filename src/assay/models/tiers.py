"""How able a model's family is, so that no judge is weaker than the model whose output it judges."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from assay.errors import UsageError

Tier: TypeAlias = Literal["cheap", "default", "capable"]
TIERS: tuple[Tier, ...] = get_args(Tier)
"""From the weakest to the strongest."""

FAMILIES: tuple[tuple[str, Tier], ...] = (
    (r"(claude-)?(\d[\d.-]*-)?haiku\b", "cheap"),
    (r"(claude-)?(\d[\d.-]*-)?sonnet\b", "default"),
    (r"(claude-)?(\d[\d.-]*-)?opus\b", "capable"),
    (r"gpt-[\w.-]*(mini|nano)\b", "cheap"),
    (r"gpt-[\w.-]*-pro\b", "capable"),
    (r"gpt-3\.5", "cheap"),
    (r"gpt-(4|5)", "default"),
    (r"o\d-mini\b", "cheap"),
    (r"o[13](-pro)?\b", "capable"),
    (r"gemini-[\w.-]*flash\b", "cheap"),
    (r"gemini-[\w.-]*pro\b", "default"),
    (r"(local|qwen2\.5-coder-(0\.5|1\.5)b|smollm2-135m)$", "cheap"),
)
"""Beginnings of model names, provider left out; the first that fits counts."""


def tier_of(model: str, own: Mapping[str, str] | None = None) -> Tier | None:
    """The tier of a model's family, or None where it is not known.

    `own` is the project's `tiers`: model or family → tier. It is asked first; a family is the beginning of a
    name up to a `-`, `.`, `:` or `@`, and the longest one that fits counts. Raises `UsageError` for a tier
    that is none.
    """
    chosen = own_tiers(own or {})
    short = _short(model)
    fitting = [family for family in chosen if any(_begins(name, family) for name in (model, short))]
    if fitting:
        return chosen[max(fitting, key=len)]
    return next((tier for pattern, tier in FAMILIES if re.match(pattern, short.lower())), None)


def weaker(judge: str, producer: str, own: Mapping[str, str] | None = None) -> bool | None:
    """Whether the judge's tier is below the producer's; None where one is unknown. Never for one model."""
    if _short(judge) == _short(producer):
        return False
    judging, judged = tier_of(judge, own), tier_of(producer, own)
    if judging is None or judged is None:
        return None
    return TIERS.index(judging) < TIERS.index(judged)


def own_tiers(table: Mapping[str, str]) -> dict[str, Tier]:
    """The project's `tiers`. Raises `UsageError` naming every entry that is no tier."""
    bad = [
        f"tiers.{model}: {tier!r} is not one of {', '.join(TIERS)}"
        for model, tier in table.items()
        if tier not in TIERS
    ]
    if bad:
        raise UsageError("\n".join(bad))
    return {model: tier for model, tier in table.items() if tier in TIERS}


def _short(model: str) -> str:
    """The name without its provider; a file by path keeps its scheme."""
    provider, _, name = model.partition(":")
    return name if name and provider not in ("gguf", "scripted", "constant") else model


def _begins(name: str, family: str) -> bool:
    return name == family or (name.startswith(family) and name[len(family)] in "-.:@")
