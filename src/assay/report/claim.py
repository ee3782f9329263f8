"""What a report may call a difference: "improved" and "regressed" only where the exact test says so."""

from __future__ import annotations

from collections.abc import Mapping

from assay.model import JSON

NO_VERDICT = "no verdict"
UNSURE = ("inconclusive", "underpowered", "invalid", "partial", NO_VERDICT)
_SIGNS = {"improved": "higher", "regressed": "lower"}


def claim(verdict: str | None, evidence: Mapping[str, JSON] | None = None) -> str:
    """The word of the evidence; without one only the sign: `higher`, `lower` or `no-signal`.

    `verdict` is the literal word of a `skill-eval/1` document, which is the sign of its difference.
    """
    word = evidence.get("verdict") if evidence else None
    if word:
        return str(word)
    return NO_VERDICT if verdict is None else _SIGNS.get(verdict, verdict)
