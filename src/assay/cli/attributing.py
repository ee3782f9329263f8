"""The corners of `assay attribute`: what differs between two stored runs, and every mix of it, run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from assay.cli.harnesses import rig
from assay.cli.measure import say
from assay.cli.one_arm import OneArm
from assay.cli.run_ablation import suite_of
from assay.engine.rooms import Rooms
from assay.errors import AssayError, CannotRun, UsageError
from assay.items import find_item, item_at
from assay.items.history import restore, revision_with
from assay.schemas.skill_eval import SkillEval
from assay.suites import load_suite
from assay.verdict.attribution import Corner, Split, corners, split

if TYPE_CHECKING:
    from assay.cli.options import RunOptions
    from assay.model import JSON, Item, Suite
    from assay.verdict.trials import Scores

Held = TypeVar("Held", "Item", "Suite")
Factor: TypeAlias = Literal["item", "suite", "model", "harness", "judge"]
FACTORS: tuple[Factor, ...] = ("item", "suite", "model", "harness", "judge")


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs, with all that is needed to run its like again."""

    result: SkillEval
    item: Item
    suite: Suite
    harness: str
    """As an option says it."""

    def value(self, factor: Factor) -> str | None:
        """What it was, as its result has it."""
        return {
            "item": self.result.item_digest,
            "suite": self.result.suite_digest,
            "model": self.result.model,
            "harness": self.result.harness,
            "judge": self.result.judge_model,
        }[factor]


@dataclass(frozen=True, slots=True)
class Attributed:
    """The difference of two runs, split."""

    before: Side
    now: Side
    split: Split
    cases: int
    runs: int
    spent_usd: float
    trials: int
    reused: int

    def to_document(self) -> JSON:
        """The `attribution/1` document."""
        found = self.split
        return {
            "schema": "attribution/1",
            "before": self.before.result.run,
            "now": self.now.result.run,
            "cases": self.cases,
            "runs": self.runs,
            "scores": [found.before, found.now],
            "delta": found.delta,
            "interval": list(found.interval),
            "together": found.together,
            "shares": [
                {
                    "name": share.name,
                    "before": self.before.value(share.name),  # type: ignore[arg-type]
                    "now": self.now.value(share.name),  # type: ignore[arg-type]
                    "effect": share.effect,
                    "interval": list(share.interval),
                    "alone": share.alone,
                }
                for share in found.shares
            ],
            "spent_usd": self.spent_usd,
            "trials": self.trials,
            "reused": self.reused,
        }


def attribute(
    options: RunOptions, results: tuple[SkillEval, SkillEval], harnesses: tuple[str | None, str | None]
) -> Attributed:
    """Run what is missing between two runs and split their difference."""
    with Rooms() as rooms:
        before, now = (
            _side(options, result, harness, rooms.folder / name)
            for result, harness, name in zip(results, harnesses, ("before", "now"), strict=True)
        )
        names = [factor for factor in FACTORS if before.value(factor) != now.value(factor)]
        if not names:
            raise UsageError("the two runs differ in no item, suite, model, harness or judge: only in luck")
        common = {case.id for case in before.suite.cases} & {case.id for case in now.suite.cases}
        if not common:
            raise UsageError("the two runs have no case in common")
        runs = options.runs or max(case.runs_with or 1 for result in results for case in result.cases)
        mixes = corners(names)
        say(
            f"{len(mixes)} corners of {', '.join(names)}: {len(mixes) * len(common) * runs} trials, those"
            " that are stored among them",
            options,
        )
        bench = OneArm(replace(options, runs=None))
        mixed = _Mixed(options, (before, now), common, runs)
        scores = {mix: mixed.scores(mix, bench) for mix in mixes}
    return Attributed(
        before,
        now,
        split(names, scores),
        cases=len(common),
        runs=runs,
        spent_usd=bench.spent_usd,
        trials=bench.trials,
        reused=bench.reused,
    )


@dataclass(frozen=True, slots=True)
class _Mixed:
    """Runs any mix of two sides."""

    options: RunOptions
    sides: tuple[Side, Side]
    common: set[str]
    """The cases that both have."""
    runs: int

    def scores(self, mix: Corner, bench: OneArm) -> Mapping[str, Scores]:
        """Of one mix: what it names as in the run after, all else as before."""
        by = {factor: self.sides[factor in mix] for factor in FACTORS}
        model = by["model"].result.model
        asked = None if model == "default" else model
        judge = by["judge"].result.judge_model
        given = replace(self.options, harness=by["harness"].harness, model=asked, judge_model=judge)
        whole = by["suite"].suite
        suite = replace(whole, cases=tuple(case for case in whole.cases if case.id in self.common))
        parts = rig(given, (suite,), by["item"].item.kind)
        try:
            _check_same(by["harness"], parts.harness.stamp)
            label = "+".join(sorted(mix)) or "before"
            item = by["item"].item
            return bench.scores(parts, suite, item, label=label, runs=self.runs, model=asked)
        finally:
            parts.close()


def _check_same(side: Side, stamp: str) -> None:
    """Raise CannotRun where a harness is not what its run was made on."""
    if stamp != side.result.harness:
        raise CannotRun(
            f"{side.result.run} ran on {side.result.harness}, and {side.harness} is {stamp} here: name what"
            " it ran on with --harness or --harness-before"
        )


def _side(options: RunOptions, result: SkillEval, harness: str | None, folder: Path) -> Side:
    current = find_item(options.project.root, result.item)
    now = suite_of(replace(options, quiet=True), current)
    item = current
    if current.digest != result.item_digest:
        item = _item_then(options.project.root, current, result, folder / "item")
    suite = now
    if now.digest != result.suite_digest:
        suite = _suite_then(options.project.root, now, result, folder / "suite")
    return Side(result, item, suite, harness or (result.harness or "").partition("@")[0])


def _item_then(project: Path, current: Item, result: SkillEval, folder: Path) -> Item:
    """The item as it was run, from the commit that holds it."""

    def at(place: Path) -> Item:
        return item_at(place, current.kind)

    item = _held(project, current.root, folder, at, result.item_digest)
    if item is None:
        raise CannotRun(f"no commit holds {result.item} as {result.run} ran it ({result.item_digest})")
    return item


def _suite_then(project: Path, now: Suite, result: SkillEval, folder: Path) -> Suite:
    """The suite as it was run, from the commit that holds it."""

    def at(place: Path) -> Suite:
        return load_suite(place, name=now.name)

    suite = _held(project, now.root, folder, at, result.suite_digest)
    if suite is None:
        raise CannotRun(f"no commit holds the suite of {result.item} as {result.run} ran it")
    return suite


def _held(
    project: Path, root: Path, folder: Path, load: Callable[[Path], Held], digest: str | None
) -> Held | None:
    """What lies at `root` in the newest commit where it has that digest; None where none has."""

    def at(revision: str) -> Held | None:
        try:
            return load(restore(project, revision, root, folder / revision))
        except AssayError:
            return None

    def is_it(revision: str) -> bool:
        found = at(revision)
        return found is not None and found.digest == digest

    revision = revision_with(project, root, is_it)
    return at(revision) if revision else None
