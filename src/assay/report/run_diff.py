"""Two stored runs beside each other: what was different about them, and what came out differently."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from assay.model import WITH
from assay.verdict.evidence import Circumstances, weigh
from assay.verdict.evidence_document import document_of

if TYPE_CHECKING:
    from assay.model import JSON, Record
    from assay.store.rows import Run
    from assay.verdict.evidence import Evidence
    from assay.verdict.trials import Trials

BEFORE, NOW = "before", "now"
DIGESTS = ("item_digest", "suite_digest", "suites")


@dataclass(frozen=True, slots=True)
class CheckDiff:
    """How often one check was met in each run, of the trials it graded."""

    name: str
    before: tuple[int, int]
    now: tuple[int, int]


@dataclass(frozen=True, slots=True)
class CaseDiff:
    """One case in both runs. A score is the mean over its scored trials, None without one."""

    id: str
    before: float | None
    now: float | None
    errors: tuple[int, int]
    checks: tuple[CheckDiff, ...]
    """Those that were met more often or less often."""
    is_same_output: bool
    """Whether every trial left what its twin left, to the byte."""

    @property
    def delta(self) -> float | None:
        return None if self.before is None or self.now is None else self.now - self.before

    @property
    def is_changed(self) -> bool:
        return self.before != self.now or bool(self.checks) or self.errors[0] != self.errors[1]


@dataclass(frozen=True, slots=True)
class RunDiff:
    """Two runs of the same suite, cases worst first."""

    before: Run
    now: Run
    arm: str
    differs: tuple[tuple[str, str, str], ...]
    """What was not the same about the runs: (name, before, now)."""
    cases: tuple[CaseDiff, ...]
    only_before: tuple[str, ...]
    only_now: tuple[str, ...]
    evidence: Evidence | None

    def to_document(self) -> JSON:
        """The difference as JSON; `before` and `now` name the runs."""
        return {
            "before": self.before.id,
            "now": self.now.id,
            "arm": self.arm,
            "differs": [dict(zip(("name", BEFORE, NOW), row, strict=True)) for row in self.differs],
            "cases": [{**asdict(case), "delta": case.delta} for case in self.cases],
            "only_before": self.only_before,
            "only_now": self.only_now,
            "evidence": document_of(self.evidence) if self.evidence else None,
        }


def run_diff(
    before: tuple[Run, Iterable[Record]], now: tuple[Run, Iterable[Record]], arm: str = WITH
) -> RunDiff:
    """Compare the trials of one arm of two runs, case by case."""
    old, new = _by_case(before[1], arm), _by_case(now[1], arm)
    both = [name for name in old if name in new]
    cases = [_case(name, old[name], new[name]) for name in both]
    trials: Trials = {name: {BEFORE: _weights(old[name]), NOW: _weights(new[name])} for name in both}
    is_partial = any(run.state != "done" for run in (before[0], now[0]))
    return RunDiff(
        before[0],
        now[0],
        arm,
        tuple(_differs(before[0], now[0])),
        tuple(sorted(cases, key=lambda case: (case.delta is not None, case.delta or 0.0, case.id))),
        tuple(name for name in old if name not in new),
        tuple(name for name in new if name not in old),
        weigh(trials, BEFORE, NOW, Circumstances(is_partial=is_partial)),
    )


def _by_case(records: Iterable[Record], arm: str) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in records:
        if record.arm == arm:
            found.setdefault(record.case, []).append(record)
    return found


def _case(name: str, old: Sequence[Record], new: Sequence[Record]) -> CaseDiff:
    return CaseDiff(
        name,
        _mean(old),
        _mean(new),
        (_errors(old), _errors(new)),
        tuple(check for check in _checks(old, new) if _share(check.before) != _share(check.now)),
        [record.transcript for record in old] == [record.transcript for record in new],
    )


def _checks(old: Sequence[Record], new: Sequence[Record]) -> list[CheckDiff]:
    counts = [_met(old), _met(new)]
    names = dict.fromkeys([*counts[0], *counts[1]])
    return [CheckDiff(name, counts[0].get(name, (0, 0)), counts[1].get(name, (0, 0))) for name in names]


def _met(records: Sequence[Record]) -> dict[str, tuple[int, int]]:
    counts: dict[str, tuple[int, int]] = {}
    for record in records:
        for grade in record.grades:
            if grade.passed is not None:
                met, of = counts.get(grade.name, (0, 0))
                counts[grade.name] = (met + grade.passed, of + 1)
    return counts


def _share(count: tuple[int, int]) -> Fraction | None:
    return Fraction(*count) if count[1] else None


def _weights(records: Sequence[Record]) -> list[tuple[float, float]]:
    return [(row.passed_weight, row.scored_weight) for row in records if row.outcome == "scored"]


def _mean(records: Sequence[Record]) -> float | None:
    scores = [record.score for record in records if record.score is not None]
    return float(sum(scores, Fraction(0)) / len(scores)) if scores else None


def _errors(records: Sequence[Record]) -> int:
    return sum(record.outcome == "error" for record in records)


def _differs(old: Run, new: Run) -> Iterable[tuple[str, str, str]]:
    for name in ("name", "harness", "model"):
        one, other = getattr(old, name), getattr(new, name)
        if one != other:
            yield name, str(one or "default"), str(other or "default")
    for name in DIGESTS:
        one, other = old.info.get(name), new.info.get(name)
        if one != other:
            yield name.removesuffix("_digest"), _digest(one), _digest(other)


def _digest(value: JSON) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_digest(digest)}" for name, digest in sorted(value.items())) or "none"
    return "none" if value is None else str(value).removeprefix("sha256:")[:12]
