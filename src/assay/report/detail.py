"""One case of a run in full: what each trial left, side by side, for the formats that have the room."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from assay.report.caps import Caps, Shown, shorten
from assay.report.differ import Piece, difference, whole
from assay.verdict.intervals import wilson

if TYPE_CHECKING:
    from assay.model import JSON, Case, FileMade, Grade, Record, Sight, ToolCall, Transcript
    from assay.report.history import CasePoint
    from assay.report.summary import CaseSummary

Mark: TypeAlias = Literal["passed", "failed", "error"]
TranscriptOf: TypeAlias = "Callable[[str], Transcript | None]"
Interval: TypeAlias = tuple[float, float]

SIGHT_KINDS = ("skills", "plugins", "commands", "agents", "tools", "mcp_servers")


@dataclass(frozen=True, slots=True)
class ArmBar:
    """The score of one arm of a case with its 95 % interval (Wilson, of the share of weight that passed)."""

    arm: str
    score: float | None
    interval: Interval | None
    runs: int


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One grader over all trials of a case."""

    name: str
    type: str
    weight: float
    scored: bool
    trigger: bool
    marks: Mapping[str, tuple[Mark, ...]]
    """By arm, in the order of the repeats; empty where it does not run on that arm."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; `depth` is 0 in the main session, 1 in a sub-agent that it started."""

    name: str
    input: Shown
    result: Shown | None
    is_error: bool | None
    depth: int


@dataclass(frozen=True, slots=True)
class GradeShown:
    """A grade whose texts are cut to what the page has room for."""

    grade: Grade
    mark: Mark
    explanation: Shown
    evidence: Shown | None


@dataclass(frozen=True, slots=True)
class TrialShown:
    """One trial as the page shows it."""

    record: Record
    output: tuple[Piece, ...]
    left_out: int
    """Characters of the output that are not shown."""
    is_empty: bool
    grades: tuple[GradeShown, ...]
    calls: tuple[Call, ...]
    calls_left_out: int
    files: tuple[FileMade, ...]
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """The trials of one repeat, arm beside arm. `compared` says how outputs were compared, if at all."""

    repeat: int
    trials: Mapping[str, TrialShown]
    compared: str | None


@dataclass(frozen=True, slots=True)
class SightShown:
    """What one arm could see: by kind (name, whether only this arm saw it)."""

    arm: str
    kinds: Mapping[str, tuple[tuple[str, bool], ...]]
    left_out: int
    model: str | None
    client: str | None
    differs: bool
    """True where another trial of the arm saw something else."""


@dataclass(frozen=True, slots=True)
class CaseDetail:
    """Everything that there is to say of one case."""

    case: CaseSummary
    prompt: Shown | None
    place: str | None
    bars: tuple[ArmBar, ...]
    checks: tuple[CheckRow, ...]
    rounds: tuple[Round, ...]
    sights: tuple[SightShown, ...]
    history: tuple[CasePoint, ...]


def detail(
    case: CaseSummary,
    transcript_of: TranscriptOf,
    caps: Caps,
    *,
    source: Case | None = None,
    history: Sequence[CasePoint] = (),
) -> CaseDetail:
    """The case with its transcripts, read now. `source` is the case as its author wrote it, where known."""
    arms = [arm.arm for arm in case.arms]
    left = {id(trial): transcript_of(trial.transcript) if trial.transcript else None for trial in case.trials}
    rounds = []
    for repeat in sorted({trial.repeat for trial in case.trials}):
        trials = [trial for trial in case.trials if trial.repeat == repeat]
        trials.sort(key=lambda trial: arms.index(trial.arm) if trial.arm in arms else len(arms))
        rounds.append(_round(repeat, [(trial, left[id(trial)]) for trial in trials], caps))
    return CaseDetail(
        case=case,
        prompt=shorten(source.prompt, caps.output) if source else None,
        place=str(source.source) if source else None,
        bars=tuple(_bar(arm.arm, arm.score, case.trials) for arm in case.arms),
        checks=_checks(case.trials),
        rounds=tuple(rounds),
        sights=_sights([(trial.arm, left[id(trial)]) for trial in case.trials], caps),
        history=tuple(history),
    )


# --- trials ---


def _round(repeat: int, trials: Sequence[tuple[Record, Transcript | None]], caps: Caps) -> Round:
    outputs = [shorten(left.output if left else "", caps.output) for _, left in trials]
    texts = [_joined(output) for output in outputs]
    pieces, compared = [whole(text) for text in texts], None
    if len(trials) == 2 and all(left is not None for _, left in trials):
        found = difference(*texts)
        pieces = [found.one, found.other]
        compared = "the same" if found.is_same else found.unit or "too long to compare"
    return Round(
        repeat,
        {
            trial.arm: _trial(trial, left, pieces[place], outputs[place].left_out, caps)
            for place, (trial, left) in enumerate(trials)
        },
        compared,
    )


def _joined(shown: Shown) -> str:
    if not shown.left_out:
        return shown.head
    return f"{shown.head}\n[… {shown.left_out:,} characters are not shown …]\n{shown.tail}"


def _trial(
    record: Record, left: Transcript | None, output: tuple[Piece, ...], left_out: int, caps: Caps
) -> TrialShown:
    calls = left.tool_calls if left else ()
    depths = _depths(calls)
    return TrialShown(
        record=record,
        output=output,
        left_out=left_out,
        is_empty=left is None or not left.output,
        grades=tuple(_grade(grade, caps) for grade in record.grades),
        calls=tuple(
            _call(call, depth, caps) for call, depth in zip(calls[: caps.tools], depths, strict=False)
        ),
        calls_left_out=max(0, len(calls) - caps.tools),
        files=left.files[: caps.names] if left else (),
        facts=tuple(_facts(record, left)),
        notes=left.notes if left else (),
    )


def _grade(grade: Grade, caps: Caps) -> GradeShown:
    told = grade.explanation
    if grade.fault:
        told = f"{grade.fault.kind}: {grade.fault.message}"
    return GradeShown(
        grade,
        _mark(grade),
        shorten(told, caps.reason),
        shorten(grade.evidence, caps.reason) if grade.evidence else None,
    )


def _mark(grade: Grade) -> Mark:
    if grade.passed is None:
        return "error"
    return "passed" if grade.passed else "failed"


def _call(call: ToolCall, depth: int, caps: Caps) -> Call:
    result = None if call.result is None else shorten(call.result, caps.tool)
    return Call(call.name, shorten(_json(call.input), caps.tool), result, call.is_error, depth)


def _json(value: JSON) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


def _depths(calls: Sequence[ToolCall]) -> list[int]:
    """How deep each call lies: a sub-agent's calls name the call that started it."""
    depth_of: dict[str, int] = {}
    depths = []
    for call in calls:
        depth = depth_of.get(call.parent, 0) + 1 if call.parent else 0
        if call.id:
            depth_of[call.id] = depth
        depths.append(min(depth, 4))
    return depths


def _facts(record: Record, left: Transcript | None) -> Iterable[tuple[str, str]]:
    from assay.report.numbers import count, money, seconds

    usage = record.usage
    if record.duration_s is not None:
        yield "time", seconds(record.duration_s)
    yield "cost", "unknown" if usage.cost_usd is None else money(usage.cost_usd)
    if record.judge_cost_usd is not None:
        yield "judge", money(record.judge_cost_usd)
    tokens = ((usage.input_tokens, "in"), (usage.output_tokens, "out"), (usage.cache_read_tokens, "cached"))
    told = [f"{count(number)} {word}" for number, word in tokens if number is not None]
    if told:
        yield "tokens", ", ".join(told)
    if left and left.turns is not None:
        yield "turns", str(left.turns)
    if left and left.ended != "done":
        yield "ended", left.ended.replace("_", " ")
    if left and left.exit_code:
        yield "exit code", str(left.exit_code)
    if record.attempts > 1:
        yield "attempts", str(record.attempts)
    if record.cached:
        yield "source", "the store, not paid for again"
    if record.model_reported:
        yield "model", record.model_reported


# --- checks, arms, sights ---


def _bar(arm: str, score: float | None, trials: Sequence[Record]) -> ArmBar:
    scores = [float(trial.score) for trial in trials if trial.arm == arm and trial.score is not None]
    interval = wilson(sum(scores), len(scores)) if scores else None
    return ArmBar(arm, score, interval, len(scores))


def _checks(trials: Sequence[Record]) -> tuple[CheckRow, ...]:
    found: dict[tuple[str, str], list[tuple[Record, Grade]]] = {}
    for trial in trials:
        for grade in trial.grades:
            found.setdefault((grade.name, grade.type), []).append((trial, grade))
    rows = []
    for (name, kind), grades in found.items():
        marks: dict[str, list[Mark]] = {}
        for trial, grade in grades:
            marks.setdefault(trial.arm, []).append(_mark(grade))
        first = grades[0][1]
        scored = any(grade.scored for _, grade in grades)
        by_arm = {arm: tuple(row) for arm, row in marks.items()}
        rows.append(CheckRow(name, kind, first.weight, scored, first.trigger, by_arm))
    return tuple(rows)


def _sights(trials: Sequence[tuple[str, Transcript | None]], caps: Caps) -> tuple[SightShown, ...]:
    by_arm: dict[str, list[Sight]] = {}
    for arm, left in trials:
        if left and left.sight:
            by_arm.setdefault(arm, []).append(left.sight)
    return tuple(_sight(arm, by_arm, caps) for arm in by_arm)


def _sight(arm: str, by_arm: Mapping[str, Sequence[Sight]], caps: Caps) -> SightShown:
    own = by_arm[arm]
    others = [sights[0] for name, sights in by_arm.items() if name != arm]
    kinds: dict[str, tuple[tuple[str, bool], ...]] = {}
    left_out = 0
    for kind in SIGHT_KINDS:
        names: tuple[str, ...] = getattr(own[0], kind)
        elsewhere = {name for other in others for name in getattr(other, kind)}
        rows = [(name, bool(others) and name not in elsewhere) for name in names]
        rows.sort(key=lambda row: not row[1])
        left_out += max(0, len(rows) - caps.names)
        if rows:
            kinds[kind.replace("_", " ")] = tuple(rows[: caps.names])
    return SightShown(
        arm, kinds, left_out, own[0].model, own[0].client, any(sight != own[0] for sight in own)
    )
