"""A stored run as OpenTelemetry spans: numbers and names, never a prompt, an output or an explanation.

Attribute names are those of the GenAI semantic conventions (opentelemetry.io/docs/specs/semconv/gen-ai), and
`assay.…` where those have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

from assay.errors import CannotRun
from assay.model import WITHOUT
from assay.version import __version__

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span, Tracer

    from assay.model import Record
    from assay.store.rows import Run

Attributes: TypeAlias = Mapping[str, str | int | float | bool]
EndOf: TypeAlias = Mapping[tuple[str, str, int], float]
"""(case, arm, repeat) → when the trial was written, in seconds of the epoch."""

SPANS_AT_ONCE = 512
TIMEOUT_S = 10
PROVIDERS = {"anthropic": "anthropic", "openai": "openai", "google-gla": "gcp.gen_ai"}
CLAUDE_HARNESSES = ("claude", "plugin-eval")


def spans(run: Run, records: Iterable[Record], end_of: EndOf) -> tuple[ReadableSpan, ...]:
    """One span for the run, and one below it for each trial, with an event for each grade.

    The ids come from the run's id: a run that is sent twice is the same trace. Raises CannotRun where the
    SDK is missing.
    """
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
        from opentelemetry.sdk.trace.id_generator import IdGenerator
        from opentelemetry.sdk.trace.sampling import ALWAYS_ON
    except ImportError:
        raise CannotRun("spans need OpenTelemetry: pip install 'assay[otel]'") from None

    class Ids(IdGenerator):
        def __init__(self) -> None:
            self._numbers = count(1)

        def generate_trace_id(self) -> int:
            return _number(run.id, 16)

        def generate_span_id(self) -> int:
            return _number(f"{run.id}\0{next(self._numbers)}", 8)

    kept = InMemorySpanExporter()
    resource = Resource({"service.name": "assay", "service.version": __version__})
    provider = TracerProvider(resource=resource, sampler=ALWAYS_ON, id_generator=Ids())
    provider.add_span_processor(SimpleSpanProcessor(kept))
    _trace(provider.get_tracer("assay", __version__), run, tuple(records), end_of)
    return kept.get_finished_spans()


def exporter(endpoint: str) -> SpanExporter:
    """Sends spans by OTLP over HTTP to `endpoint`, e.g. `http://127.0.0.1:4318/v1/traces`."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError:
        raise CannotRun("spans need OpenTelemetry: pip install 'assay[otel]'") from None
    return OTLPSpanExporter(endpoint=endpoint, timeout=TIMEOUT_S)


def send(found: Sequence[ReadableSpan], to: SpanExporter, where: str) -> None:
    """Raises CannotRun where they do not arrive."""
    from opentelemetry.sdk.trace.export import SpanExportResult

    try:
        for start in range(0, len(found), SPANS_AT_ONCE):
            if to.export(found[start : start + SPANS_AT_ONCE]) is not SpanExportResult.SUCCESS:
                raise CannotRun(f"the spans could not be sent to {where}: is a collector listening there?")
    finally:
        to.shutdown()


def _trace(tracer: Tracer, run: Run, records: Sequence[Record], end_of: EndOf) -> None:
    from opentelemetry.trace import set_span_in_context

    began = _seconds(run.started)
    ends = [end_of.get(_place(record), began) for record in records]
    ended = max([_seconds(run.ended) if run.ended else began, *ends])
    whole = tracer.start_span(f"assay run {run.name}", attributes=_run(run), start_time=_nanoseconds(began))
    inside = set_span_in_context(whole)
    for record, end in zip(records, ends, strict=True):
        attributes = _trial(run, record)
        took = 0.0 if record.cached else record.duration_s or 0.0
        span = tracer.start_span(
            f"invoke_agent {run.name}",
            context=inside,
            attributes=attributes,
            start_time=_nanoseconds(end - took),
        )
        _grades(span, record, end)
        span.end(_nanoseconds(end))
    whole.end(_nanoseconds(ended))


def _grades(span: Span, record: Record, end: float) -> None:
    from opentelemetry.trace import Status, StatusCode

    for grade in record.grades:
        told: dict[str, str | float] = {"gen_ai.evaluation.name": grade.name, "assay.grader.type": grade.type}
        if grade.passed is None:
            told["error.type"] = grade.fault.kind if grade.fault else "grader"
        else:
            told["gen_ai.evaluation.score.value"] = float(grade.passed)
            told["gen_ai.evaluation.score.label"] = "passed" if grade.passed else "failed"
        told["assay.weight"] = grade.weight if grade.scored else 0.0
        span.add_event("gen_ai.evaluation.result", told, _nanoseconds(end))
    if record.outcome == "error":
        span.set_status(Status(StatusCode.ERROR))


def _run(run: Run) -> Attributes:
    return dict(_known(_run_values(run)))


def _run_values(run: Run) -> Iterator[tuple[str, object]]:
    document = run.document or {}
    yield "assay.run.id", run.id
    yield "assay.run.kind", run.kind
    yield "assay.run.state", run.state
    yield "assay.item", run.name
    yield "assay.harness", run.harness
    yield "assay.planned", run.planned
    yield "gen_ai.request.model", run.model
    yield "assay.verdict", document.get("verdict")
    for name in ("with", "without", "delta", "cost_usd"):
        yield f"assay.{name}", document.get(name)


def _trial(run: Run, record: Record) -> Attributes:
    return dict(_known(_trial_values(run, record)))


def _trial_values(run: Run, record: Record) -> Iterator[tuple[str, object]]:
    usage = record.usage
    yield "gen_ai.operation.name", "invoke_agent"
    yield "gen_ai.provider.name", _provider(run)
    yield "gen_ai.agent.name", run.name if record.arm != WITHOUT else None
    yield "gen_ai.request.model", run.model
    yield "gen_ai.response.model", record.model_reported
    yield "gen_ai.usage.input_tokens", usage.input_tokens
    yield "gen_ai.usage.output_tokens", usage.output_tokens
    yield "gen_ai.usage.cache_read.input_tokens", usage.cache_read_tokens
    yield "gen_ai.usage.cache_creation.input_tokens", usage.cache_write_tokens
    yield "error.type", record.fault.kind if record.fault else None
    yield "assay.case", record.case
    yield "assay.arm", record.arm
    yield "assay.repeat", record.repeat
    yield "assay.outcome", record.outcome
    yield "assay.score", None if record.score is None else float(record.score)
    yield "assay.cost_usd", usage.cost_usd
    yield "assay.judge_cost_usd", record.judge_cost_usd
    yield "assay.attempts", record.attempts
    yield "assay.cached", record.cached


def _known(values: Iterable[tuple[str, object]]) -> Iterator[tuple[str, str | int | float | bool]]:
    """What is unknown is left out, never 0."""
    for name, value in values:
        if isinstance(value, str | int | float | bool):
            yield name, value


def _provider(run: Run) -> str | None:
    if run.harness.partition("@")[0] in CLAUDE_HARNESSES:
        return "anthropic"
    return PROVIDERS.get((run.model or "").partition(":")[0])


def _place(record: Record) -> tuple[str, str, int]:
    return record.case, record.arm, record.repeat


def _seconds(stamp: str) -> float:
    return datetime.fromisoformat(stamp).timestamp()


def _nanoseconds(moment: float) -> int:
    return int(moment * 1_000_000) * 1_000


def _number(text: str, size: int) -> int:
    return int.from_bytes(sha256(text.encode("utf-8", "replace")).digest()[:size], "big") or 1
