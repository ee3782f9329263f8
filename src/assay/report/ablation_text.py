"""An ablation run for people, in 80 columns: one sentence first, then the cases, worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.evidence_text import evidence_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.model import JSON
    from assay.schemas.skill_eval import CaseScores, SkillEval

WIDTH = 80
NAME_WIDTH = 34
TABLE_WIDTH = NAME_WIDTH + 36


def ablation_text(result: SkillEval, columns: int = WIDTH) -> str:
    """The report of an ablation run; in a terminal too narrow for the table each case takes two lines."""
    cases = sorted(result.cases, key=_worst_first)
    lines = [_sentence(result), "", *(_table if columns >= TABLE_WIDTH else _list)(cases, result)]
    if result.evidence:
        lines += evidence_lines(result.evidence)
    if result.trigger_rate is not None:
        lines.append(f"trigger rate {result.trigger_rate:.2f}")
    lines += _activation(result.activation)
    if result.partial:
        lines.append(
            f"PARTIAL ({(result.partial_reason or 'unknown').replace('_', ' ')}): no gate accepts this run"
        )
    lines.append(_stamp(result))
    return "\n".join(lines)


def _table(cases: Sequence[CaseScores], result: SkillEval) -> list[str]:
    all_ = (_score(result.with_score), _score(result.without_score), _signed(result.delta))
    head = _row("case", "with", "without", "delta", "errors")
    return [head, *map(_case, cases), "─" * TABLE_WIDTH, _row("all", *all_, "")]


def _list(cases: Sequence[CaseScores], result: SkillEval) -> list[str]:
    lines = []
    for case in cases:
        errors = f", {case.errors} errors" if case.errors else ""
        lines += [case.name, f"  {_beside(case.with_score, case.without_score, case.delta)}{errors}"]
    return [*lines, "all", f"  {_beside(result.with_score, result.without_score, result.delta)}"]


def _beside(with_: float | None, without: float | None, delta: float | None) -> str:
    return f"with {_score(with_)} without {_score(without)} {_signed(delta)}"


def _sentence(result: SkillEval) -> str:
    if result.delta is None:
        return f"{result.item}: no verdict, an arm has no scored trial."
    words = {"improved": "scored higher with it", "no-signal": "scored the same with and without it"}
    claim = words.get(result.verdict or "", "scored lower with it")
    return f"{result.item}: the model {claim}: {_signed(result.delta)}."


def _activation(figures: Mapping[str, JSON] | None) -> list[str]:
    """Recall and specificity beside each other, what it was worth where it fired, and a broken instrument."""
    if figures is None:
        return []
    known = {
        "fired where it should": figures["recall"],
        "quiet where it should be": figures["specificity"],
    }
    parts = [f"{name} {share:.0%}" for name, share in known.items() if share is not None]
    effect = figures["effect_given_activation"]
    lines = [" · ".join(parts)] if parts else []
    if effect is not None:
        lines.append(f"effect where it fired {effect:+.2f}")
    return [*lines, f"WARNING: {figures['warning']}"] if figures["warning"] else lines


def _case(case: CaseScores) -> str:
    name = case.name if len(case.name) <= NAME_WIDTH else f"{case.name[: NAME_WIDTH - 1]}…"
    errors = str(case.errors) if case.errors else ""
    return _row(name, _score(case.with_score), _score(case.without_score), _signed(case.delta), errors)


def _worst_first(case: CaseScores) -> tuple[float, str]:
    return (case.delta if case.delta is not None else -2.0, case.name)


def _row(name: str, with_: str, without: str, delta: str, errors: str) -> str:
    return f"{name:<{NAME_WIDTH}}  {with_:>7}  {without:>7}  {delta:>7}  {errors:>6}".rstrip()


def _score(score: float | None) -> str:
    return "-" if score is None else f"{score:.2f}"


def _signed(delta: float | None) -> str:
    return "-" if delta is None else f"{delta:+.2f}"


def _stamp(result: SkillEval) -> str:
    cost = "cost unknown" if result.cost_usd is None else f"${result.cost_usd:.2f}"
    ceiling = "" if result.max_cost_usd is None else f" of ${result.max_cost_usd:.2f}"
    return f"{result.run} · {result.model} · {cost}{ceiling}"
