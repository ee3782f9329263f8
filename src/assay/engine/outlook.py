"""What a plan will find in the store, what is left to run, and why: told before anything is spent."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from assay.engine.plan import Ground, target_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from assay.engine.grading import Grading
    from assay.engine.plan import Plan
    from assay.engine.session import Reuse
    from assay.harnesses import Harness
    from assay.model import Case, Record, Trial

NEVER = "it was not run before"
DIGITS = 19
"""Of a digest that is shown: `sha256:` and twelve."""


class Past(Protocol):
    """What the store knows of trials that were run before."""

    def known(self, key: str) -> Record | None: ...

    def latest(self, case: str, arm: str, repeat: int) -> tuple[Record, Ground | None] | None:
        """The newest trial of that place in a run of the same name, and what its run stood on."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """One case on one arm: how many of its trials are paid for, and why the others will run."""

    case: str
    arm: str
    paid: int
    saved_usd: float
    to_run: int
    why: Mapping[str, int]
    """Reason → for how many of the trials that will run."""
    regraded: tuple[str, ...] = ()
    """Graders that look again at what is paid for, since they changed or failed."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """The prospects of a plan, in its order."""

    prospects: tuple[Prospect, ...]

    @property
    def paid(self) -> int:
        return sum(one.paid for one in self.prospects)

    @property
    def to_run(self) -> int:
        return sum(one.to_run for one in self.prospects)

    @property
    def saved_usd(self) -> float:
        return sum(one.saved_usd for one in self.prospects)

    @property
    def reasons(self) -> dict[str, int]:
        """Reason → trials that run for it, the commonest first."""
        counts: dict[str, int] = {}
        for one in self.prospects:
            for why, count in one.why.items():
                counts[why] = counts.get(why, 0) + count
        return dict(sorted(counts.items(), key=lambda item: -item[1]))

    @property
    def regraded(self) -> frozenset[str]:
        return frozenset(name for one in self.prospects for name in one.regraded)


def look_ahead(plan: Plan, harness: Harness, past: Past, grading: Grading, reuse: Reuse) -> Outlook:
    """Look every trial of the plan up. Reads the store, runs nothing."""
    ground = plan.ground(harness)
    rows: dict[tuple[str, str], list[tuple[Trial, Record | None]]] = {}
    for trial in plan.trials(harness):
        is_fresh = reuse.fresh or trial.arm in reuse.fresh_arms
        found = None if is_fresh else past.known(trial.key)
        rows.setdefault((trial.case.id, trial.arm), []).append((trial, found))
    return Outlook(tuple(_prospect(trials, ground, past, grading, reuse) for trials in rows.values()))


def _prospect(
    trials: Sequence[tuple[Trial, Record | None]], ground: Ground, past: Past, grading: Grading, reuse: Reuse
) -> Prospect:
    first = trials[0][0]
    paid = [found for _, found in trials if found]
    missing = [trial for trial, found in trials if not found]
    changed: list[str] = []
    for record in paid:
        changed += grading.to_do(first.case, first.arm, {grade.check: grade for grade in record.grades})
    return Prospect(
        case=first.case.id,
        arm=first.arm,
        paid=len(paid),
        saved_usd=sum(record.usage.cost_usd or 0.0 for record in paid),
        to_run=len(missing),
        why=Counter(why for trial in missing for why in _reasons(trial, ground, past, reuse)),
        regraded=tuple(dict.fromkeys(changed)),
    )


def _reasons(trial: Trial, ground: Ground, past: Past, reuse: Reuse) -> Iterator[str]:
    if reuse.fresh:
        yield "--fresh asks for it"
        return
    if trial.arm in reuse.fresh_arms:
        yield f"--fresh-arm {trial.arm} asks for it"
        return
    found = past.latest(trial.case.id, trial.arm, trial.repeat)
    if found is None:
        yield NEVER
        return
    record, old = found
    if record.key == trial.key:
        yield _lost(record)
        return
    if old is None:
        yield "something changed that the older run did not write down"
        return
    yield from differences(old, ground, trial.case, trial.arm)
    if old.key(trial.case, trial.arm, trial.repeat) != record.key:
        yield "the case changed (its input, settings or files)"


def _lost(record: Record) -> str:
    if record.fault is not None:
        return f"it ended in an error before ({record.fault.kind})"
    return "its transcript is not kept any more"


def differences(old: Ground, new: Ground, case: Case, arm: str) -> Iterator[str]:
    """What changed between two grounds for one case on one arm, each in words."""
    yield from _set_up(old, new)
    yield from _item(old, new, arm, target_of(case))


def changes(old: Ground, new: Ground) -> Iterator[str]:
    """What changed between two grounds for any case, each in words."""
    yield from _set_up(old, new)
    if set(old.items) != set(new.items):
        yield f"the arms were {', '.join(old.items)}, now {', '.join(new.items)}"
        return
    for arm, items in new.items.items():
        for target in items:
            yield from _item(old, new, arm, target)


def _set_up(old: Ground, new: Ground) -> Iterator[str]:
    if old.harness != new.harness:
        yield f"the harness was {old.harness}, now {new.harness}"
    if old.model != new.model:
        yield f"the model was {old.model or 'the default'}, now {new.model or 'the default'}"
    changed = _changed(old.settings, new.settings)
    if changed:
        yield f"settings of the harness changed: {', '.join(changed)}"


def _item(old: Ground, new: Ground, arm: str, target: str) -> Iterator[str]:
    before, after = (ground.items.get(arm, {}).get(target) for ground in (old, new))
    if before != after:
        yield f"the item changed ({_short(before)} → {_short(after)})"


def _changed(old: Mapping[str, object], new: Mapping[str, object]) -> Collection[str]:
    return [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]


def _short(digest: str | None) -> str:
    return digest[:DIGITS] if digest else "none"
