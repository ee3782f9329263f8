"""Spans of a run: what is in them and what never is; sent to a receiver on loopback."""

import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from assay.cli import main
from assay.model import Fault, Grade, Usage
from support.stored_runs import fill, run_of, trial_of

pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="the extra `otel` is not installed")

from assay.report.tracing import spans

SECRET = "only for my eyes"


def made():
    run = run_of({"easy": (1.0, 0.5)}, ended="2026-11-30T10:00:09Z", harness="claude@2")
    one, _ = trial_of("r1", "easy", "with", 0.5)
    grades = (*one.grades, Grade("judged", "llm", None, explanation=SECRET, evidence=SECRET, fault=Fault("judge", SECRET)))  # fmt: skip
    one = replace(one, grades=grades, usage=Usage(10, 5, None, None, 0.01), model_reported="m-1")
    lost = replace(
        one, arm="without", outcome="error", fault=Fault("server", SECRET), usage=Usage(), grades=()
    )
    again = replace(one, repeat=2, cached=True)
    ends = {("easy", "with", 1): 1796032804.5, ("easy", "without", 1): 1796032808.0}
    return run, (one, lost, again), ends


def test_a_run_is_a_trace_of_numbers_and_names():
    found = spans(*made())
    trial, lost, again, whole = found
    assert whole.name == "assay run commit"
    assert whole.parent is None
    assert {span.parent.span_id for span in (trial, lost, again)} == {whole.context.span_id}
    assert dict(trial.attributes) == {
        "gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": "anthropic", "gen_ai.agent.name": "commit",
        "gen_ai.request.model": "m", "gen_ai.response.model": "m-1", "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 5, "assay.case": "easy", "assay.arm": "with", "assay.repeat": 1,
        "assay.outcome": "scored", "assay.score": 0.5, "assay.cost_usd": 0.01, "assay.attempts": 1, "assay.cached": False,
    }  # fmt: skip
    assert whole.attributes["assay.verdict"] == "improved"
    assert whole.attributes["assay.delta"] == 0.5
    assert (trial.end_time, trial.end_time - trial.start_time) == (1796032804_500_000_000, 500_000_000)
    assert again.end_time == again.start_time
    assert whole.start_time <= min(span.start_time for span in found)


def test_grades_are_events_and_faults_are_errors():
    trial, lost, _, _ = spans(*made())
    said = [dict(event.attributes) for event in trial.events]
    assert {event.name for event in trial.events} == {"gen_ai.evaluation.result"}
    assert said[0] == {"gen_ai.evaluation.name": "says why", "assay.grader.type": "llm", "gen_ai.evaluation.score.value": 1.0, "gen_ai.evaluation.score.label": "passed", "assay.weight": 1.0}  # fmt: skip
    assert said[2] == {"gen_ai.evaluation.name": "judged", "assay.grader.type": "llm", "error.type": "judge", "assay.weight": 1.0}  # fmt: skip
    assert lost.attributes["error.type"] == "server"
    assert lost.status.status_code.name == "ERROR"
    assert not [name for name in lost.attributes if "token" in name or "cost" in name]
    assert "gen_ai.agent.name" not in lost.attributes


def test_no_text_of_a_trial_is_in_them_and_twice_is_the_same_trace():
    one, other = spans(*made()), spans(*made())
    assert SECRET not in "".join(span.to_json() for span in one)
    assert [span.context for span in one] == [span.context for span in other]
    assert len({span.context.span_id for span in one}) == 4


@pytest.fixture
def receiver():
    """A collector on loopback; `got` are the requests that it took."""
    got = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            got.append(
                (
                    self.path,
                    self.headers["Content-Type"],
                    self.rfile.read(int(self.headers["Content-Length"])),
                )
            )
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1/traces", got
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_stored_run_arrives_at_a_collector(tmp_path, receiver, capsys):
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    endpoint, got = receiver
    fill(tmp_path / "s", run_of({"easy": (1.0, 0.5)})).close()
    with pytest.raises(SystemExit) as ended:
        main(["ci", "trace", "--endpoint", endpoint, "--store", str(tmp_path / "s")])
    assert ended.value.code == 0
    assert "sent 3 spans of r1" in capsys.readouterr().err
    [(path, kind, body)] = got
    assert (path, kind) == ("/v1/traces", "application/x-protobuf")
    request = ExportTraceServiceRequest.FromString(body)
    [resource] = request.resource_spans
    assert {span.name for span in resource.scope_spans[0].spans} == {
        "assay run commit",
        "invoke_agent commit",
    }
    assert b"The output of" not in body


def test_a_collector_that_refuses_is_told(tmp_path, capsys):
    fill(tmp_path / "s", run_of({"easy": (1.0, 0.5)})).close()

    class Refuses(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(400)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Refuses)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    endpoint = f"http://127.0.0.1:{server.server_port}/v1/traces"
    with pytest.raises(SystemExit) as ended:
        main(["ci", "trace", "--endpoint", endpoint, "--store", str(tmp_path / "s")])
    server.shutdown()
    thread.join()
    server.server_close()
    assert ended.value.code == 3
    assert f"the spans could not be sent to {endpoint}" in capsys.readouterr().err
