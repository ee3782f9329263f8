"""The search of `assay bisect`: both ends measured, then the middle of what is left, until one is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.harnesses import rig
from assay.cli.measure import say
from assay.cli.one_arm import OneArm
from assay.cli.run_ablation import suite_of
from assay.engine.rooms import Rooms
from assay.errors import CannotRun, UsageError
from assay.gating import gate_of
from assay.items import find_item, item_at
from assay.items.history import Commit, commits_between, resolve, restore
from assay.verdict.bisect import Endpoints, Probe, bound, probes_of, rates
from assay.verdict.permutation import within_cases
from assay.verdict.trials import Scores

if TYPE_CHECKING:
    from assay.cli.harnesses import Rig
    from assay.cli.options import RunOptions
    from assay.model import JSON, Item, Suite

FIRST_RUNS = 2
"""Of a version in between, doubled until it is decided."""
CAP_TIMES = 4
"""Most runs of a version in between, as a multiple of those of the ends."""


@dataclass(frozen=True, slots=True)
class Version:
    """One version of the item: as a commit left it."""

    commit: Commit
    item: Item


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen of one version."""

    commit: Commit
    is_good: bool | None
    """None where its trials did not decide."""
    trials: int
    score: float


@dataclass(frozen=True, slots=True)
class Bisected:
    """Where the drop came from, as far as it is known."""

    item: str
    good: Commit
    bad: Commit
    p_drop: float
    """Of the drop between the ends: how often luck alone makes one as large."""
    error: float
    """The chance that the answer is wrong."""
    is_shown: bool
    suspects: tuple[Commit, ...]
    """Oldest first; one where it was found, more where a version between did not decide."""
    looks: tuple[Look, ...]
    spent_usd: float
    trials: int
    reused: int

    @property
    def found(self) -> Commit | None:
        return self.suspects[0] if self.is_shown and len(self.suspects) == 1 else None

    def to_document(self) -> JSON:
        """The `bisect/1` document."""
        return {
            "schema": "bisect/1",
            "item": self.item,
            "good": self.good.revision,
            "bad": self.bad.revision,
            "p_drop": self.p_drop,
            "error": self.error,
            "is_shown": self.is_shown,
            "found": self.found.revision if self.found else None,
            "suspects": [commit.revision for commit in self.suspects],
            "looks": [
                {
                    "revision": look.commit.revision,
                    "is_good": look.is_good,
                    "trials": look.trials,
                    "score": look.score,
                }
                for look in self.looks
            ],
            "spent_usd": self.spent_usd,
            "trials": self.trials,
            "reused": self.reused,
        }


@dataclass(frozen=True, slots=True)
class Search:
    """What was asked for."""

    options: RunOptions
    item: str
    good: str | None
    bad: str
    case: str | None
    runs: int
    error: float


def bisect(search: Search) -> Bisected:
    """Find the version at which the suite, or one case of it, dropped."""
    options = search.options
    current = find_item(options.project.root, search.item)
    suite = _suite(suite_of(options, current), search.case)
    with Rooms() as rooms:
        good, versions = _versions(search, current, rooms.folder)
        parts = rig(options, (suite,), current.kind)
        try:
            return _Bisection(search, suite, parts).run(good, versions)
        finally:
            parts.close()


class _Bisection:
    def __init__(self, search: Search, suite: Suite, parts: Rig) -> None:
        self._search, self._suite, self._rig = search, suite, parts
        self._bench = OneArm(search.options)
        self._looks: list[Look] = []

    def run(self, good: Version, versions: Sequence[Version]) -> Bisected:
        ends = [self._end(good, is_good=True), self._end(versions[-1], is_good=False)]
        cases = list(ends[0])
        p_drop = within_cases([ends[0][case] for case in cases], [ends[1][case] for case in cases]).less
        is_shown = p_drop <= self._search.error
        left = list(versions)
        if is_shown:
            left = self._narrowed(left, Endpoints(*map(rates, ends)))
        return Bisected(
            item=self._search.item,
            good=good.commit,
            bad=versions[-1].commit,
            p_drop=p_drop,
            error=self._search.error,
            is_shown=is_shown,
            suspects=tuple(version.commit for version in left),
            looks=tuple(self._looks),
            spent_usd=self._bench.spent_usd,
            trials=self._bench.trials,
            reused=self._bench.reused,
        )

    def _end(self, version: Version, *, is_good: bool) -> dict[str, Scores]:
        scores = self._scores(version, self._search.runs)
        self._note(version, scores, is_good=is_good)
        return scores

    def _narrowed(self, left: list[Version], ends: Endpoints) -> list[Version]:
        """The versions that may be the first bad one; the last of them always is bad."""
        needed = bound(self._search.error, probes_of(len(left) - 1))
        while len(left) > 1:
            middle = (len(left) - 1) // 2
            is_good = self._probed(left[middle], Probe(ends, needed))
            if is_good is None:
                break
            left = left[middle + 1 :] if is_good else left[: middle + 1]
        return left

    def _probed(self, version: Version, probe: Probe) -> bool | None:
        """Which end a version is like, after as few runs as tell; None where the cap did not tell."""
        runs, cap = FIRST_RUNS, CAP_TIMES * self._search.runs
        while True:
            scores = self._scores(version, min(runs, cap))
            if probe(scores) or runs >= cap:
                break
            runs *= 2
        self._note(version, scores, is_good=probe.is_good)
        return probe.is_good

    def _scores(self, version: Version, runs: int) -> dict[str, Scores]:
        return self._bench.scores(self._rig, self._suite, version.item, label=_short(version), runs=runs)

    def _note(self, version: Version, scores: dict[str, Scores], *, is_good: bool | None) -> None:
        rows = [row for row in scores.values() if row]
        mean = sum(float(sum(row)) / len(row) for row in rows) / max(1, len(rows))
        self._looks.append(Look(version.commit, is_good, sum(map(len, rows)), mean))
        word = {True: "good", False: "bad", None: "undecided"}[is_good]
        say(f"{_short(version)}: {word}, {mean:.2f}: {version.commit.subject}", self._search.options)


def _short(version: Version) -> str:
    return version.commit.revision[:12]


def _suite(suite: Suite, case: str | None) -> Suite:
    if case is None:
        return suite
    found = tuple(one for one in suite.cases if case in (one.id, one.id.rpartition("/")[2]))
    if len(found) != 1:
        known = ", ".join(one.id for one in suite.cases)
        raise UsageError(f"--case {case}: the cases are {known}")
    return replace(suite, cases=found)


def _versions(search: Search, current: Item, folder: Path) -> tuple[Version, list[Version]]:
    """The good end, and every version after it that differs from the one before, oldest first."""
    project = search.options.project.root
    good = search.good or _recorded(search)
    start = Commit(resolve(project, good), "", f"the good end, {good}")
    first = _at(project, current, start, folder)
    if first is None:
        raise UsageError(f"revision {good!r} holds no {current.kind} {current.name!r} that can be read")
    found = [first]
    for commit in commits_between(project, current.root, good, search.bad):
        version = _at(project, current, commit, folder)
        if version is not None and version.item.digest != found[-1].item.digest:
            found.append(version)
    if len(found) < 2:
        raise UsageError(f"nothing of {current.name!r} changed from {good} to {search.bad}")
    if found[-1].item.digest == first.item.digest:
        raise UsageError(f"{current.name!r} is the same at {good} and at {search.bad}")
    return first, found[1:]


def _recorded(search: Search) -> str:
    """The commit of the recorded best."""
    gate = gate_of(search.options.project.root, search.item)
    best = gate.best(search.options.model or search.options.project.config.model or "default")
    if best is None or best.revision is None:
        raise UsageError("no best with a commit is recorded: name the version that was good with --good")
    return best.revision


def _at(project: Path, current: Item, commit: Commit, folder: Path) -> Version | None:
    """The item as a commit left it; None where it holds none that can be read."""
    try:
        place = restore(project, commit.revision, current.root, folder / commit.revision)
        return Version(commit, item_at(place, current.kind))
    except (CannotRun, UsageError):
        return None
