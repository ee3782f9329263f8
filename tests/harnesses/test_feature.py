"""Features through real processes and a real small HTTP server."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from assay.engine.stop import StopFlag
from assay.errors import TrialFailed, UsageError
from assay.harnesses import Setup, set_up
from assay.harnesses.feature import Feature, FeatureHarness
from assay.model import Case, Location, Target, Trial


class Room:
    def __init__(self, folder: Path, timeout_s: float = 20) -> None:
        self.folder = folder
        self.timeout_s = timeout_s
        self.stop = StopFlag()


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "work").mkdir()
    return tmp_path / "project"


def run(project, feature: Feature, prompt="hello", timeout_s=20.0):
    case = Case("s/G-001", "n", prompt, (), Location("x"), target=Target("feature", feature.id))
    trial = Trial(case, "with", 1, None, None, "key")
    harness = FeatureHarness({feature.id: feature}, project, {"PATH": "/usr/bin:/bin", "KEPT": "yes"})
    return harness.run(trial, Room(project.parent / "work", timeout_s))


def python(code: str, *arguments: str, **more) -> Feature:
    return Feature("f", (sys.executable, "-c", code, *arguments), **more)


def test_the_input_comes_on_standard_input(project):
    done = run(project, python("import sys; print(sys.stdin.read().upper(), end='')"), "höllo\n")
    assert done.output == "HÖLLO\n"


def test_or_in_a_file(project):
    code = "import sys; print(open(sys.argv[1], encoding='utf-8').read() + '|' + sys.stdin.read(), end='')"
    assert run(project, python(code, "{input_file}"), "héllo").output == "héllo|"


def test_a_file_of_the_project_is_found_from_the_folder_of_the_trial(project):
    (project / "app.py").write_text("import os; print(os.getcwd())", "utf-8")
    assert run(project, Feature("f", (sys.executable, "app.py"))).output.strip() == str(
        project.parent / "work"
    )


def test_the_environment_is_the_users_and_the_features(project):
    code = "import os; print(os.environ['KEPT'], os.environ['MODE'])"
    assert run(project, python(code, env={"MODE": "test"})).output.split() == ["yes", "test"]


def test_the_output_at_a_json_path(project):
    code = "import json; print(json.dumps({'a': {'b': 'text'}, 'n': [1]}))"
    assert run(project, python(code, output="$.a.b")).output == "text"
    assert run(project, python(code, output="$.n")).output == "[1]"


def test_the_output_in_a_file_and_the_files_left(project):
    code = "open('out.txt', 'w').write('written')"
    done = run(project, python(code, output="file:out.txt"))
    assert done.output == "written"
    assert [file.path for file in done.files] == ["out.txt"]


@pytest.mark.parametrize(
    ("code", "output", "told"),
    [
        ("import sys; sys.exit('broken')", "all", "ended with status 1: broken"),
        ("print('no json')", "$.a", "did not answer with JSON"),
        ("print('{}')", "$.a", "nothing at $.a"),
        ("pass", "file:out.txt", "wrote no text file 'out.txt'"),
    ],
)
def test_a_feature_that_is_broken_is_an_error_and_no_score(project, code, output, told):
    with pytest.raises(TrialFailed, match=told.replace("$", r"\$")):
        run(project, python(code, output=output))


def test_a_program_that_is_not_there_is_an_error(project):
    with pytest.raises(TrialFailed, match="could not be started"):
        run(project, Feature("f", ("no-such-program-here",)))


def test_a_time_out_is_a_transcript(project):
    done = run(project, python("import time; print('x', flush=True); time.sleep(60)", timeout_s=0.5))
    assert (done.ended, done.output) == ("timeout", "")


def test_it_is_not_chosen_by_hand(project):
    with pytest.raises(UsageError, match="leave it out"):
        set_up("feature", Setup(project))


# --- the endpoint -------------------------------------------------------------------------------------


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode("utf-8")
        self.server.seen.append((self.path, self.headers["Content-Type"], body))
        status, headers, answer = self.server.answers[self.path.partition("?")[0]]
        if answer is None:
            self.server.released.wait(30)
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.seen, http.released = [], threading.Event()
    http.answers = {
        "/json": (200, {}, b'{"answer": "h\xc3\xa9llo"}'),
        "/text": (200, {}, b"plain"),
        "/busy": (429, {"Retry-After": "7"}, b"slow down"),
        "/broken": (503, {}, b"oops"),
        "/denied": (401, {}, b""),
        "/moved": (302, {"Location": "/json"}, b""),
        "/big": (200, {}, b"x" * 3_000_000),
        "/hangs": (200, {}, None),
    }
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    yield http
    http.released.set()
    http.shutdown()
    http.server_close()


def url(server, path: str) -> str:
    return f"http://127.0.0.1:{server.server_port}{path}"


def test_the_input_is_posted_as_json(project, server):
    done = run(project, Feature("f", url=url(server, "/json?v=1"), output="$.answer"), "hé")
    assert done.output == "héllo"
    path, kind, body = server.seen[0]
    assert (path, kind, json.loads(body)) == ("/json?v=1", "application/json", {"input": "hé"})


def test_or_as_text(project, server):
    assert run(project, Feature("f", url=url(server, "/text"), body="text"), "hé").output == "plain"
    assert server.seen[0][1:] == ("text/plain; charset=utf-8", "hé")


@pytest.mark.parametrize(
    ("path", "kind", "after"),
    [
        ("/busy", "rate_limit", 7.0),
        ("/broken", "server", None),
        ("/denied", "auth", None),
        ("/moved", "harness", None),
    ],
)
def test_a_status_that_is_no_success_is_an_error(project, server, path, kind, after):
    with pytest.raises(TrialFailed) as caught:
        run(project, Feature("f", url=url(server, path)))
    assert (caught.value.fault.kind, caught.value.fault.retry_after_s) == (kind, after)


def test_nobody_there_is_a_network_error(project, server):
    gone = url(server, "/json")
    server.shutdown()
    server.server_close()
    with pytest.raises(TrialFailed) as caught:
        run(project, Feature("f", url=gone))
    assert caught.value.fault.kind == "network"


def test_an_answer_that_does_not_come_is_a_time_out(project, server):
    assert run(project, Feature("f", url=url(server, "/hangs"), timeout_s=0.3)).ended == "timeout"


def test_a_long_answer_is_capped(project, server):
    assert len(run(project, Feature("f", url=url(server, "/big"))).output) == 1024 * 1024


def test_a_stopped_run_ends_the_call(project, server):
    feature = Feature("f", url=url(server, "/hangs"))
    room = Room(project.parent / "work", 30)
    case = Case("s/G-001", "n", "x", (), Location("x"), target=Target("feature", "f"))
    caught = []

    def call():
        try:
            FeatureHarness({"f": feature}, project, {}).run(Trial(case, "with", 1, None, None, "k"), room)
        except TrialFailed as error:
            caught.append(error.fault.kind)

    thread = threading.Thread(target=call)
    thread.start()
    while not server.seen:
        thread.join(0.01)
    room.stop.set()
    thread.join(10)
    assert caught == ["interrupted"]
