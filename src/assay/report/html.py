"""A finished run as one HTML file: nothing is loaded from elsewhere, and what agents wrote stays text.

Templates escape by themselves; the page's policy allows its own script and style only, by their digests.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.model import WITH, WITHOUT
from assay.report import numbers
from assay.report.caps import OUTPUT_AT_MOST, Caps
from assay.report.claim import UNSURE
from assay.report.detail import CaseDetail, TranscriptOf, detail
from assay.report.history import RunPoint, case_history
from assay.report.pages import asset, kind_of, label_of, policy, rendered, when
from assay.report.plots import Position, track, trend
from assay.version import __version__

if TYPE_CHECKING:
    from markupsafe import Markup

    from assay.model import Case
    from assay.report.summary import ArmSummary, CaseSummary, Summary

INLINE_AT_MOST = 1_500_000
"""Bytes of details that lie in the page as they are, readable without JavaScript; above, they are packed."""
PACK_BYTES = 150_000
PAGE_AT_MOST = 8_000_000
"""Bytes of a page. Where it would be larger, less of each text is shown."""
REASONS_FOUND = 400
"""Characters of a case's reasons that the search looks at."""


@dataclass(frozen=True, slots=True)
class Material:
    """What a page is made of beside the summary; each may be missing."""

    transcript_of: TranscriptOf = lambda _: None
    sources: Mapping[str, Case] = field(default_factory=dict)
    """By case id: the case as its author wrote it."""
    points: tuple[RunPoint, ...] = ()
    """The runs of the same item before, oldest first."""


@dataclass(frozen=True, slots=True)
class Live:
    """How far a run is that still goes on, and the address that tells how far it is by now."""

    source: str
    done: int
    planned: int
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """A case in the list; its details are in the page, in a pack, or at an address."""

    place: int
    case: CaseSummary
    track: Markup
    flags: tuple[str, ...]
    reasons: str
    reference_name: str
    html: Markup | None = None
    pack: int | None = None
    slot: int | None = None
    source: str | None = None

    @property
    def word(self) -> str:
        """What became of the case: compared with the arm without the item, or passed and failed."""
        if self.reference_name != WITHOUT or self.case.status == "error":
            return self.case.status
        return {"gain": "better", "loss": "worse", "": "same"}[self.way]

    @property
    def tone(self) -> str:
        """The look of the word: a case that is as good with and without is neither good nor bad."""
        return "plain" if self.word == "same" else self.case.status

    @property
    def way(self) -> str:
        delta = self.case.delta or 0.0
        return "gain" if delta > 0 else "loss" if delta < 0 else ""


def html(summary: Summary, material: Material | None = None) -> str:
    """The page of a run, under 8 MB: where it would be more, outputs are cut further, and it says so."""
    material = material or Material()
    caps = Caps.of(sum(len(case.trials) for case in summary.cases))
    while True:
        page = _page(summary, material, caps)
        if len(page.encode("utf-8", "replace")) <= PAGE_AT_MOST or caps.output < 100:
            return page
        caps = caps.halved()


def case_html(summary: Summary, case: CaseSummary, material: Material, caps: Caps) -> str:
    """The details of one case, as they stand in the page."""
    found = detail(
        case,
        material.transcript_of,
        caps,
        source=material.sources.get(case.id),
        history=case_history(material.points, case.id),
    )
    return rendered("case.html", _case_view(found, caps))


def shell(
    summary: Summary,
    material: Material,
    rows: Iterable[Row],
    *,
    packs: Sequence[str] = (),
    shown_note: str = "",
    home: str = "",
    live: Live | None = None,
    part: tuple[int, int, int] | None = None,
) -> str:
    """The page around the rows. `home` is the address of the list of runs, where there is one.

    `part` says which cases are listed where not all are: (from, to, of).
    """
    script, style = asset("page.js") + asset("live.js") if live else asset("page.js"), asset("page.css")
    view = {
        "summary": summary,
        "tone": _tone(summary),
        "arms": [_arm_row(arm, summary) for arm in summary.arms],
        "facts": list(_facts(summary)),
        "points": material.points,
        "trend": _trend(material.points),
        "triggers": summary.triggers,
        "filters": list(_filters(summary)),
        "rows": list(rows),
        "packs": packs,
        "shown_note": shown_note,
        "home": home,
        "live": live,
        "part": part,
        "policy": policy(script, style, is_served=bool(home)),
        "script": script,
        "style": style,
        "version": __version__,
    }
    return rendered("page.html", view)


def rows(
    summary: Summary,
    more: Callable[[int, CaseSummary], Mapping[str, object]],
    part: slice = slice(None),
) -> Iterator[Row]:
    """The rows of the list, or of a part of it; `more` says for each where its details are."""
    for place, case in list(enumerate(summary.cases))[part]:
        yield Row(
            place=place,
            case=case,
            track=track(_positions(case)),
            flags=tuple(flag for flag in ("flaky", "error") if flag in case.flags and flag != case.status),
            reasons=" · ".join(case.reasons)[:REASONS_FOUND],
            reference_name=summary.reference_name,
            **more(place, case),  # type: ignore[arg-type]
        )


# --- the page ---


def _page(summary: Summary, material: Material, caps: Caps) -> str:
    fragments = [case_html(summary, case, material, caps) for case in summary.cases]
    note = _shown_note(summary, caps)
    if sum(map(len, fragments)) <= INLINE_AT_MOST:
        from markupsafe import Markup

        inline = rows(summary, lambda place, _: {"html": Markup(fragments[place])})
        return shell(summary, material, inline, shown_note=note)
    packs, places = _packed(fragments)
    packed = rows(summary, lambda place, _: dict(zip(("pack", "slot"), places[place], strict=True)))
    return shell(summary, material, packed, packs=packs, shown_note=note)


def _packed(fragments: Sequence[str]) -> tuple[list[str], list[tuple[int, int]]]:
    """Fragments in compressed packs, and for each its pack and its place there."""
    packs: list[list[str]] = [[]]
    places = []
    size = 0
    for fragment in fragments:
        if size > PACK_BYTES:
            packs.append([])
            size = 0
        places.append((len(packs) - 1, len(packs[-1])))
        packs[-1].append(fragment)
        size += len(fragment)
    return [_pack(pack) for pack in packs], places


def _pack(fragments: Sequence[str]) -> str:
    text = json.dumps(fragments, ensure_ascii=False).encode("utf-8", "replace")
    return b64encode(zlib.compress(text, 9)).decode("ascii")


def _shown_note(summary: Summary, caps: Caps) -> str:
    trials = sum(len(case.trials) for case in summary.cases)
    if caps.output >= OUTPUT_AT_MOST:
        return f"{numbers.plural(trials, 'trial')}; outputs above {caps.output:,} characters are cut."
    return (
        f"{numbers.plural(trials, 'trial')}: so that the page stays small, outputs above {caps.output:,}"
        f" characters and tool texts above {caps.tool:,} are cut in the middle. The trial store holds all"
        " of them."
    )


def _facts(summary: Summary) -> Iterator[tuple[str, str]]:
    stamp = summary.stamp
    yield "model", stamp.model
    yield "harness", stamp.harness
    yield "started", when(stamp.started)
    done = sum(len(case.trials) for case in summary.cases)
    yield "trials", f"{done:,}" if done == stamp.planned else f"{done:,} of {stamp.planned:,}"
    if stamp.cached:
        yield "from the store", f"{stamp.cached:,}"
    yield "cost", "unknown" if summary.cost_usd is None else numbers.money(summary.cost_usd)
    durations = [case.duration_s for case in summary.cases if case.duration_s is not None]
    if durations:
        yield "time of the trials", numbers.seconds(sum(durations))
    if summary.trigger_rate is not None:
        yield "trigger rate", numbers.percent(summary.trigger_rate)


def _filters(summary: Summary) -> Iterator[tuple[str, str, int]]:
    yield "all", "All", len(summary.cases)
    failed = "Worse" if summary.kind == "ablation" else "Failed"
    for flag, label in (("failed", failed), ("changed", "Changed"), ("flaky", "Flaky"), ("error", "Errors")):
        yield flag, label, len(summary.flagged(flag))  # type: ignore[arg-type]


def _tone(summary: Summary) -> str:
    if summary.verdict in ("improved", "passed"):
        return "good"
    if summary.verdict in ("regressed", "failed"):
        return "bad"
    return "unsure" if summary.verdict in ("incomplete", "interrupted", *UNSURE) else ""


# --- arms and cases ---


@dataclass(frozen=True, slots=True)
class ArmRow:
    """An arm as it is drawn."""

    kind: str
    label: str
    track: Markup
    score: float | None
    interval: tuple[float, float] | None
    runs: int
    errors: int = 0
    arm: str = ""


def _arm_row(arm: ArmSummary, summary: Summary) -> ArmRow:
    interval = summary.bearing.intervals.get(arm.arm) if summary.bearing else None
    position = Position(kind_of(arm.arm), arm.score, interval)
    label = label_of(arm.arm) if summary.kind == "ablation" else "this run"
    return ArmRow(kind_of(arm.arm), label, track([position]), arm.score, interval, arm.runs, arm.errors)


def _positions(case: CaseSummary) -> list[Position]:
    return [
        Position(kind_of(WITH), case.score),
        Position("k-reference", case.reference),
    ]


def _trend(points: Sequence[RunPoint]) -> Markup:
    series = [(kind_of(WITHOUT), [point.reference for point in points])]
    return trend([*series, (kind_of(WITH), [point.score for point in points])])


def _case_view(found: CaseDetail, caps: Caps) -> dict[str, object]:
    names = [arm.arm for arm in found.case.arms]
    bars = [
        ArmRow(
            kind_of(bar.arm),
            label_of(bar.arm),
            track([Position(kind_of(bar.arm), bar.score, bar.interval)]),
            bar.score,
            bar.interval,
            bar.runs,
            arm=bar.arm,
        )
        for bar in found.bars
    ]
    spark = trend(
        [
            (kind_of(WITHOUT), [point.reference for point in found.history]),
            (kind_of(WITH), [point.score for point in found.history]),
        ]
    )
    return {
        "detail": found,
        "bars": bars,
        "arm_names": names,
        "spark": spark,
        "reason_most": caps.reason,
    }
