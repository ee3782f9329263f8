"""How runs, records and transcripts become rows of the trial store, and rows become them again."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from assay.model import Activation, Fault, Grade, Record, Transcript, Usage

if TYPE_CHECKING:
    from assay.model import JSON

COMPRESS_FROM = 512
"""Bytes from which a transcript is compressed; below it costs more than it saves."""

State: TypeAlias = Literal["running", "done", "partial", "interrupted", "failed"]
Row: TypeAlias = "tuple[JSON, ...]"


@dataclass(frozen=True, slots=True)
class Run:
    """One call of `assay run`: what was asked for, and what came of it."""

    id: str
    kind: Literal["ablation", "golden", "triggers"]
    name: str
    """The item, or the suites of a golden run."""
    started: str
    """ISO 8601, UTC."""
    harness: str
    model: str | None
    planned: int
    state: State = "running"
    ended: str | None = None
    info: dict[str, Any] = field(default_factory=dict)
    """Arms, digests, judge, settings: JSON-clean."""
    document: dict[str, Any] | None = None
    """The result document, once there is one."""


@dataclass(frozen=True, slots=True)
class _Rest:
    """The part of a record that is looked at one trial at a time."""

    grades: tuple[Grade, ...]
    fault: Fault | None
    usage: Usage
    attempts: int
    model_reported: str | None
    activation: Activation | None = None


encode = msgspec.json.Encoder().encode
decode = msgspec.json.decode
_decode_rest = msgspec.json.Decoder(_Rest).decode
_decode_transcript = msgspec.json.Decoder(Transcript).decode

TRIAL_COLUMNS = (
    "case_id, arm, repeat, key, outcome, passed, scored, cost_usd, judge_cost_usd, duration_s, cached,"
    " transcript, rest"
)
RUN_COLUMNS = "id, kind, name, started, harness, model, planned, state, ended, info, document"


def binary(key: str) -> bytes:
    """A key or digest as stored."""
    return bytes.fromhex(key.removeprefix("sha256:"))


def pack(transcript: Transcript) -> tuple[str, bytes]:
    """A transcript as stored: its digest, and its JSON with a leading byte that says how it is packed."""
    body = encode(transcript)
    digest = sha256(body).hexdigest()
    return digest, b"z" + zlib.compress(body, 1) if len(body) >= COMPRESS_FROM else b"j" + body


def unpack(stored: bytes) -> Transcript:
    """What `pack` packed. Raises ValueError where the bytes are damaged."""
    body = stored[1:]
    try:
        return _decode_transcript(zlib.decompress(body) if stored[:1] == b"z" else body)
    except (zlib.error, msgspec.MsgspecError) as error:
        raise ValueError(f"a stored transcript is damaged: {error}") from error


def trial_row(record: Record, digest: str | None) -> Row:
    """A record as the values of `TRIAL_COLUMNS`."""
    return (
        record.case,
        record.arm,
        record.repeat,
        binary(record.key),
        record.outcome,
        record.passed_weight,
        record.scored_weight,
        record.usage.cost_usd,
        record.judge_cost_usd,
        record.duration_s,
        record.cached,
        None if digest is None else bytes.fromhex(digest),
        encode(
            _Rest(
                record.grades,
                record.fault,
                record.usage,
                record.attempts,
                record.model_reported,
                record.activation,
            )
        ),
    )


def record_of(row: Row, run: str) -> Record:
    """The record in a row of `TRIAL_COLUMNS`."""
    case, arm, repeat, key, outcome, passed, scored, _, judge_cost, duration, cached, transcript, rest = row
    more = _decode_rest(rest)
    return Record(
        run=run,
        key=f"sha256:{key.hex()}",
        case=case,
        arm=arm,
        repeat=repeat,
        outcome=outcome,
        passed_weight=passed,
        scored_weight=scored,
        grades=more.grades,
        fault=more.fault,
        usage=more.usage,
        judge_cost_usd=judge_cost,
        duration_s=duration,
        attempts=more.attempts,
        cached=bool(cached),
        model_reported=more.model_reported,
        transcript=None if transcript is None else transcript.hex(),
        activation=more.activation,
    )


def run_row(run: Run) -> Row:
    """A run as the values of `RUN_COLUMNS`."""
    return (
        run.id,
        run.kind,
        run.name,
        run.started,
        run.harness,
        run.model,
        run.planned,
        run.state,
        run.ended,
        encode(run.info),
        None if run.document is None else encode(run.document),
    )


def run_of(row: Row) -> Run:
    """The run in a row of `RUN_COLUMNS`."""
    run_id, kind, name, started, harness, model, planned, state, ended, info, document = row
    return Run(
        id=run_id,
        kind=kind,
        name=name,
        started=started,
        harness=harness,
        model=model,
        planned=planned,
        state=state,
        ended=ended,
        info=decode(info),
        document=None if document is None else decode(document),
    )
