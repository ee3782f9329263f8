"""The scripted server on the wire, asked by plain HTTP as any client would."""

import http.client
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from assay.testing import ScriptedServer, parse_rules

JUDGE = "Criterion:\nhello\n\nAgent output (last_message):\n{}\n\nRespond with one word: PASS or FAIL."


def serve(text):
    return ScriptedServer(parse_rules(text))


def request(server, method, path, body=None, headers=None):
    where = urlsplit(server.url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=20)
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers or {})
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read().decode()
    finally:
        connection.close()


def message(server, prompt="hi", **more):
    body = {"model": "m", "messages": [{"role": "user", "content": prompt}], **more}
    return request(
        server,
        "POST",
        "/v1/messages?beta=true",
        body,
        {"x-api-key": "sk-secret", "authorization": "Bearer t"},
    )


def events(text):
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]


def test_plain_and_streamed_answers_say_the_same():
    with serve("rules:\n- say: héllo\n  call: {tool: Read, input: {file_path: a.txt}}\n") as server:
        plain = json.loads(message(server)[2])
        stream = events(message(server, stream=True)[2])
    assert [block["type"] for block in plain["content"]] == ["text", "tool_use"]
    assert plain["stop_reason"] == "tool_use"
    deltas = [event["delta"] for event in stream if event["type"] == "content_block_delta"]
    assert deltas[0]["text"] == plain["content"][0]["text"] == "héllo"
    assert json.loads(deltas[1]["partial_json"]) == plain["content"][1]["input"]
    assert (stream[0]["type"], stream[-1]["type"]) == ("message_start", "message_stop")


def test_failures_carry_status_kind_and_retry_after_then_stop_after_times():
    with serve("rules:\n- times: 2\n  fail: {status: 429, retry_after: 1.5}\n- say: ok\n") as server:
        statuses = [message(server) for _ in range(3)]
    assert [status for status, _, _ in statuses] == [429, 429, 200]
    assert statuses[0][1]["retry-after"] == "1.5"
    assert json.loads(statuses[0][2])["error"]["type"] == "rate_limit_error"


@pytest.mark.parametrize(("said", "word"), [("hello there", "PASS"), ("bye", "FAIL")])
def test_the_judge_looks_at_the_output_only(said, word):
    with serve("rules:\n- when: {judge: true}\n  judge: {passes: hello}\n") as server:
        assert json.loads(message(server, JUDGE.format(said))[2])["content"][0]["text"] == word


def test_hang_up_and_empty_answers():
    with serve("rules:\n- when: {prompt: gone}\n  hang_up: true\n- empty: true\n") as server:
        with pytest.raises(http.client.RemoteDisconnected):
            message(server, "gone")
        assert message(server)[::2] == (200, "")


def test_closing_cuts_a_slow_answer_off():
    server = serve("rules:\n- delay_s: 600\n  say: late\n").start()
    caught = []

    def wait():
        try:
            message(server)
        except (http.client.HTTPException, OSError) as error:
            caught.append(error)

    client = threading.Thread(target=wait)
    client.start()
    while not server.requests:
        pass
    server.close()
    client.join(20)
    assert len(caught) == 1


def test_the_other_paths_a_client_asks_for():
    with serve("rules: []") as server:
        assert request(server, "HEAD", "/")[::2] == (200, "")
        assert request(server, "GET", "/api/anything")[2] == "{}"
        assert (
            json.loads(request(server, "POST", "/v1/messages/count_tokens", {"messages": []})[2])[
                "input_tokens"
            ]
            > 0
        )
        assert request(server, "POST", "/v1/messages", [])[0] == 400
        assert "no rule" in message(server)[2]


def test_openai_clients_get_their_own_form():
    with serve("usage: {input_tokens: 7, output_tokens: 3}\nrules:\n- say: hello\n") as server:
        body = {
            "model": "gpt",
            "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
        }
        answer = json.loads(request(server, "POST", "/v1/chat/completions", body)[2])
        assert server.requests[0].asked.prompt == "u"
    assert answer["choices"][0]["message"]["content"] == "hello"
    assert answer["usage"]["total_tokens"] == 10


def test_no_secret_reaches_the_log(tmp_path):
    log = tmp_path / "requests.jsonl"
    with ScriptedServer(parse_rules("rules:\n- say: hi\n  name: greet\n"), log=log) as server:
        message(server, metadata={"user_id": "sk-secret"})
        kept = repr(server.requests)
    logged = json.loads(log.read_text(encoding="utf-8"))
    assert (logged["rule"], logged["asked"]["prompt"]) == ("greet", "hi")
    assert "sk-secret" not in log.read_text(encoding="utf-8") + kept
    assert "Bearer" not in log.read_text(encoding="utf-8") + kept


def test_bursts_are_answered_each_once():
    with serve("rules:\n- times: 20\n  fail: {status: 529}\n- say: ok\n") as server:
        statuses = []
        threads = [threading.Thread(target=lambda: statuses.append(message(server)[0])) for _ in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(statuses) == [200] * 20 + [529] * 20


def test_the_command_prints_its_url_and_serves(tmp_path):
    rules = tmp_path / "server.yaml"
    rules.write_text("rules:\n- say: hi\n", encoding="utf-8")
    source = str(Path(__file__).parents[2] / "src")
    environment = {**os.environ, "PYTHONPATH": source}
    command = [sys.executable, "-m", "assay.testing", str(rules)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout.readline().startswith("http://127.0.0.1:")
        finally:
            process.kill()


def test_the_command_refuses_a_wrong_file(tmp_path):
    rules = tmp_path / "server.yaml"
    rules.write_text("rules:\n- sya: hi\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    command = [sys.executable, "-m", "assay.testing", str(rules)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 2
    assert "server.yaml:2: rule 1: unknown key 'sya'" in done.stderr
    assert "Traceback" not in done.stderr
