"""The pages over the store, asked by HTTP."""

import http.client
import json
from dataclasses import replace
from urllib.parse import quote, urlsplit

import pytest

from assay.schemas.triggers import SkillTriggers, TriggerAnswer
from assay.store.trials import TrialStore
from support.stored_runs import fill, run_of, trial_of
from support.viewing import viewing

EVIL = "<script>alert(1)</script>/../%2e \u202e\"'"


def ask(address, path, host=None, method="GET"):
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    connection.request(method, path, headers={"Host": host} if host else {})
    answer = connection.getresponse()
    body = answer.read().decode("utf-8")
    connection.close()
    return answer.status, dict(answer.getheaders()), body


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("view") / "trials.sqlite"
    triggers = SkillTriggers(
        "commit", (TriggerAnswer("save my work", True, False), TriggerAnswer("sing", False, False))
    )
    golden = run_of({}, run_id="g1", started="2026-11-29T10:00:00Z")
    golden = replace(golden, kind="golden", name="alpha, beta", document={"schema": "golden-eval/1", "suites": [{"score": 0.25}, {"score": 0.75}], "triggers": [triggers.to_document()]})  # fmt: skip
    store = fill(
        path,
        run_of({"easy": (1.0, 0.5), "hard": (0.5, 0.5)}, run_id="r1"),
        run_of({"easy": (0.5, 0.5), "hard": (1.0, 0.5)}, run_id="r2", started="2026-11-30T11:00:00Z"),
        run_of({}, run_id=EVIL, name=EVIL, started="2026-11-28T11:00:00Z", state="running", model=EVIL),
        golden,
    )
    store.write(
        [trial_of(EVIL, EVIL, "with", 0.0, output=EVIL), trial_of(EVIL, EVIL, EVIL, 0.0, output=EVIL)]
    )
    store.close()
    with viewing(path) as found:
        yield found


def test_the_list_of_runs_links_each_and_says_what_came_of_it(address):
    status, headers, body = ask(address, "/")
    assert status == 200
    assert headers["cache-control"] == "no-store"
    assert 'href="/runs/r2"' in body
    assert "no-signal" in body or "higher" in body
    assert "1 to 4 of 4 runs" in body
    assert body.index("/runs/r2") < body.index("/runs/r1") < body.index("/runs/g1")
    assert "0.50" in body  # the mean of the golden suites


def test_pages_of_the_list(tmp_path):
    runs = [
        run_of({"a": (1.0, 0.5)}, run_id=f"r{n:03}", started=f"2026-11-30T10:{n // 60:02}:{n % 60:02}Z")
        for n in range(60)
    ]
    fill(tmp_path / "s", *runs).close()
    with viewing(tmp_path / "s") as address:
        _, _, first = ask(address, "/")
        _, _, second = ask(address, "/?from=50")
    assert "/runs/r059" in first
    assert "/runs/r009" not in first
    assert 'href="/?from=50"' in first
    assert "51 to 60 of 60 runs" in second
    assert "/runs/r009" in second
    assert 'href="/?from=0"' in second


def test_a_run_has_its_cases_and_each_case_its_details(address):
    _, _, body = ask(address, "/runs/r1")
    assert 'data-source="/runs/r1/case?id=easy"' in body
    _, headers, detail = ask(address, "/runs/r1/case?id=easy")
    assert "written <mark" in detail or "The output of easy" in detail
    assert headers["content-security-policy"] == "default-src 'none'; sandbox"


def test_an_item_over_time_compares_each_run_with_the_one_before(address):
    _, _, body = ask(address, "/items/commit")
    assert 'href="/compare?before=r1&amp;now=r2"' in body
    assert 'class="number loss">0.50' in body
    assert 'class="number gain">1.00' in body
    _, _, items = ask(address, "/items")
    assert 'href="/items/commit"' in items
    assert 'href="/items/alpha%2C%20beta"' in items


def test_two_runs_side_by_side(address):
    _, _, body = ask(address, "/compare?before=r1&now=r2")
    assert "1 case" in body or "worse" in body
    assert body.index('data-id="easy"') < body.index('data-id="hard"')
    _, _, detail = ask(address, "/compare/case?before=r1&now=r2&arm=with&case=easy")
    assert '<mark class="k-without">r1</mark>' in detail
    assert '<mark class="k-with">r2</mark>' in detail
    assert "is short" in detail
    assert "says why" not in detail


def test_the_confusion_of_the_triggers(address):
    _, _, body = ask(address, "/triggers")
    assert "save my work" in body
    assert "did not fire, should" in body
    assert "recall 0 of 1" in body
    assert "specificity 1 of 1" in body


def test_names_of_agents_are_text_everywhere(address):
    name = quote(EVIL, safe="")
    paths = ["/", "/items", f"/items/{name}", f"/runs/{name}", f"/runs/{name}/case?id={name}", f"/compare?before={name}&now={name}"]  # fmt: skip
    for path in paths:
        status, _, body = ask(address, path)
        assert status == (404 if path.startswith("/items/") else 200)
        assert "<script>alert" not in body


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil", "0.0.0.0", "10.0.0.1"]
)
def test_another_host_is_refused(address, host):
    assert ask(address, "/", host)[0] == 400
    assert ask(address, "/runs/r1/live", f"{host}:80")[0] == 400


def test_loopback_names_are_answered(address):
    assert ask(address, "/", "localhost:1")[0] == ask(address, "/", "127.0.0.1:1")[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_changed(address, method):
    assert ask(address, "/runs/r1", method=method)[0] == 405


@pytest.mark.parametrize(
    "path",
    [
        "/runs/none",
        "/items/none",
        "/compare",
        "/runs/r1/case?id=none",
        "/nothing",
        "/runs/none/live",
        "/?from=99999999999999999999",
    ],
)
def test_what_is_not_there_is_said(address, path):
    status, _, body = ask(address, path)
    assert status == (200 if path.startswith("/?") else 404)
    assert "assay" in body


def test_a_run_that_goes_on_tells_how_far_it_is(tmp_path):
    store = fill(tmp_path / "s", run_of({}, run_id="now", state="running", planned=4))
    with viewing(tmp_path / "s") as address:
        _, _, body = ask(address, "/runs/now")
        assert 'data-source="/runs/now/live"' in body
        assert "0 of 4 trials" in body
        store.write([trial_of("now", "easy", "with", 1.0)])
        told = json.loads(ask(address, "/runs/now/live")[2])
        assert told == {"state": "running", "done": 1, "planned": 4, "text": "1 of 4 trials, $0.01"}
        store.finish(replace(run_of({"easy": (1.0, 0.5)}, run_id="now"), planned=4))
        assert json.loads(ask(address, "/runs/now/live")[2])["state"] == "done"
        assert 'id="live"' not in ask(address, "/runs/now")[2]
    store.close()


def test_a_store_that_is_not_there_yet_and_one_that_is_none(tmp_path):
    path = tmp_path / "s"
    with viewing(path) as address:
        assert "Nothing is stored yet" in ask(address, "/")[2]
        assert ask(address, "/runs/r1")[0] == 404
        TrialStore(path).close()
        assert "Nothing is stored yet" in ask(address, "/")[2]
        path.write_bytes(b"no database " * 100)
        status, _, body = ask(address, "/")
        assert status == 500
        assert "not a database" in body


def test_a_huge_run_is_listed_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr("assay.view.app.CASES_A_PAGE", 2)
    fill(tmp_path / "s", run_of({"a": (0.0, 1.0), "b": (0.5, 1.0), "c": (1.0, 1.0)})).close()
    with viewing(tmp_path / "s") as address:
        first, second = ask(address, "/runs/r1")[2], ask(address, "/runs/r1?from=2")[2]
        assert "1 case more" in ask(address, "/compare?before=r1&now=r1")[2]
    assert "Cases 1 to 2 of 3" in first
    assert 'data-id="b"' in first
    assert 'data-id="c"' not in first
    assert 'href="?from=2"' in first
    assert 'data-id="c"' in second
