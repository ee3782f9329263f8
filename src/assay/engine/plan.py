"""What will be run: every case on every arm, `runs` times, in an order that stays balanced if cut short."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, TypeAlias

from assay.engine.material import material_digest
from assay.model import Trial, digest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from assay.harnesses import Harness
    from assay.model import JSON, Case, Item

ItemOf: TypeAlias = "Callable[[Case], Item | None]"
"""What an arm has loaded for a case."""

DEFAULT_RUNS = 3


@dataclass(frozen=True, slots=True)
class Ground:
    """What the trials of a run stand on beside their cases: JSON-clean, kept with the run."""

    harness: str
    """`name@version`."""
    settings: JSON
    """Of the harness."""
    model: str | None
    """As asked for; None where each case says."""
    items: Mapping[str, Mapping[str, str | None]]
    """Arm → target (empty where cases name none) → digest of the item; None without one."""

    def key(self, case: Case, arm: str, repeat: int) -> str:
        """The key of a trial of `case` as it is now, on this ground."""
        digest = self.items.get(arm, {}).get(target_of(case))
        model = self.model or case.settings.model
        return _key(_base_key(case, digest, self.harness, digest_of(self.settings), model), repeat)


def target_of(case: Case) -> str:
    """The name under which a ground knows the item of a case."""
    return str(case.target) if case.target else ""


@dataclass(frozen=True, slots=True)
class Plan:
    """Cases × arms × runs on one harness. Case ids are unique within a plan."""

    cases: tuple[Case, ...]
    arms: Mapping[str, ItemOf]
    runs: int | None
    """None: what each case says, else `default_runs`."""
    model: str | None
    default_runs: int = DEFAULT_RUNS

    def runs_of(self, case: Case) -> int:
        return self.runs or case.runs or self.default_runs

    @property
    def size(self) -> int:
        """How many trials there will be."""
        return len(self.arms) * sum(self.runs_of(case) for case in self.cases)

    def ground(self, harness: Harness) -> Ground:
        """What its trials stand on, beside the cases."""
        items: dict[str, dict[str, str | None]] = {arm: {} for arm in self.arms}
        for case in {target_of(case): case for case in self.cases}.values():
            for arm, item_of in self.arms.items():
                item = item_of(case)
                items[arm][target_of(case)] = item.digest if item else None
        return Ground(harness.stamp, harness.settings(), self.model, items)

    def trials(self, harness: Harness) -> Iterator[Trial]:
        """Every trial: repeat by repeat, case by case, arm beside arm."""
        stamp, settings = harness.stamp, digest_of(harness.settings())
        bases: dict[tuple[str, str], str] = {}
        for repeat in range(1, max(map(self.runs_of, self.cases), default=0) + 1):
            for case in self.cases:
                runs = self.runs_of(case)
                if repeat > runs:
                    continue
                model = self.model or case.settings.model
                for arm, item_of in self.arms.items():
                    item = item_of(case)
                    base = bases.pop((case.id, arm), None)
                    if base is None:
                        base = _base_key(case, item.digest if item else None, stamp, settings, model)
                    if repeat < runs:
                        bases[case.id, arm] = base
                    yield Trial(case, arm, repeat, item, model, _key(base, repeat))


def _base_key(case: Case, item: str | None, stamp: str, settings: str, model: str | None) -> str:
    """What produces a trial, but for the number of the repeat. The arm itself is no part of it."""
    parts: tuple[str | None, ...] = (
        case.input_digest,
        item,
        stamp,
        settings,
        model,
    )
    material = material_digest(case)
    parts = (*parts, material) if material else parts
    return sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()


def _key(base: str, repeat: int) -> str:
    return f"sha256:{sha256(f'{base}#{repeat}'.encode()).hexdigest()}"
