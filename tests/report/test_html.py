"""The page of a run as text: what it holds, what it escapes, how large it gets."""

import json
import re
import zlib
from base64 import b64decode
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from assay.model import Case, Fault, Grade, Location, Record, Sight, ToolCall, Transcript, Usage
from assay.report.caps import Caps, shorten
from assay.report.detail import detail
from assay.report.formats import render
from assay.report.history import history
from assay.report.html import PAGE_AT_MOST, Material, html
from assay.report.summary import summarise
from assay.store.rows import Run

HOSTILE = "</pre></script><script>alert(1)</script><img src=x onerror=alert(1)>"


def record(case, arm, passed, repeat=1, **more):
    grade = Grade(
        "says-why", "llm", passed, explanation="no reason given", votes=(passed, True, False), evidence="“so”"
    )
    known = {"usage": Usage(10, 5, cost_usd=0.01), "duration_s": 0.5, "transcript": f"{case}-{arm}"} | more
    return Record("r", "sha256:00", case, arm, repeat, "scored", float(passed), 1.0, (grade,), **known)


def scores(name, with_, without):
    delta = None if None in (with_, without) else with_ - without
    word = None if delta is None else "improved" if delta > 0 else "regressed" if delta < 0 else "no-signal"
    return {"name": name, "with": with_, "without": without, "delta": delta, "verdict": word, "trigger_rate": None}  # fmt: skip


def run_of(cases, **more):
    document = {
        "schema": "skill-eval/1", "item": "x", "with": 0.5, "without": 0.25, "delta": 0.25, "verdict": "improved",
        "trigger_rate": 1.0, "cost_usd": 0.07, "max_cost_usd": 2, "partial": False, "partial_reason": None,
        "curtailed": False, "model": "m", "model_reported": None, "judge_model": None, "item_digest": None,
        "suite_digest": None, "run": "r", "date": "2026-11-30", "cases": cases,
    } | more  # fmt: skip
    return Run("r", "ablation", "x", "2026-11-30T10:00:00Z", "scripted@1", "m", 4, "done", document=document)


RECORDS = (record("one", "with", True), record("one", "without", False), record("two", "with", False))
RUN = run_of([scores("one", 1.0, 0.0), scores("two", 0.0, None)])
TRANSCRIPTS = {
    "one-with": Transcript(
        "Fix the parser", (ToolCall("Skill", {"skill": "x"}, "t1"), ToolCall("Read", {}, "t2", "t1", HOSTILE, True)),
        sight=Sight(skills=("x",), tools=("Read",), client="claude-code@2"),
    ),
    "one-without": Transcript("Fixed the parser", sight=Sight(tools=("Read",))),
    "two-with": Transcript(HOSTILE),
}  # fmt: skip


@pytest.fixture
def page():
    return html(summarise(RUN, RECORDS), Material(TRANSCRIPTS.get))


def visible(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page.split("<main>")[1].split("</main>")[0]))


def test_it_says_what_happened_and_shows_both_outputs(page):
    text = visible(page)
    assert "x: the model scored higher with it: +0.25." in page
    for part in (
        "says-why",
        "no reason given",
        "“so”",
        "1 of 3 votes",
        "Skill",
        "in a sub-agent",
        "claude-code@2",
    ):
        assert part in text
    assert '<mark class="k-with">Fix</mark> the parser' in page
    assert '<mark class="k-without">Fixed</mark> the parser' in page


def test_what_only_one_arm_saw_is_marked(page):
    seen = page.split("What each arm could see")[1]
    assert '<mark class="k-with">x</mark>' in seen
    assert "<mark" not in seen.split("k-without")[1]


def test_what_agents_wrote_is_never_markup(page):
    class Tags(HTMLParser):
        scripts = 0
        images = 0

        def handle_starttag(self, tag, attrs):
            self.scripts += tag == "script"
            self.images += tag == "img"
            assert not [name for name, _ in attrs if name.startswith("on") or name == "style"]

    tags = Tags()
    tags.feed(page)
    assert (tags.scripts, tags.images) == (1, 0)
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page


def test_the_worst_case_comes_first_and_a_missing_score_is_no_zero(page):
    names = re.findall(r'data-id="(\w+)"', page)
    assert names == ["two", "one"]
    two = page.split('data-id="two"')[1].split("</summary>")[0]
    assert "–" in two
    assert "error" in two


def test_fault_and_empty_output_are_said():
    lost = Record("r", "k", "two", "with", 1, "error", fault=Fault("overloaded", "529 from the service"))
    page = html(summarise(RUN, (*RECORDS[:2], lost)), Material(TRANSCRIPTS.get))
    assert "<strong>overloaded</strong>: 529 from the service" in page
    assert "No output was kept." in page


def test_the_input_is_shown_where_it_is_known():
    case = Case("one", "one", "Write a subject", (), Location("evals/x/one/prompt.md", 3))
    page = html(summarise(RUN, RECORDS), Material(TRANSCRIPTS.get, {"one": case}))
    assert "evals/x/one/prompt.md:3" in page
    assert "Write a subject" in page


def test_what_the_numbers_can_bear_is_told_from_the_evidence():
    evidence = {
        "sentence": "No detectable change (+0.25 measured).", "interval_same_cases": [-0.1, 0.6], "probability_improved": 0.8,
        "arms": [{"name": "without", "interval_new_cases": None}, {"name": "with", "interval_new_cases": [0.2, 1.2]}],
    }  # fmt: skip
    page = html(summarise(run_of(RUN.document["cases"], evidence=evidence), RECORDS))
    assert "No detectable change (+0.25 measured)." in page
    assert "−0.10 to +0.60" in page
    assert "0.20 to 1.00" in page


def test_earlier_runs_of_the_same_item_are_its_history():
    other = replace(RUN, id="q", started="2026-11-29T10:00:00Z")
    unlike = [
        replace(other, id="n", name="y"),
        replace(other, id="o", model="n"),
        replace(other, id="p", document=None),
    ]
    points = history(RUN, [RUN, other, *unlike])
    assert [point.run for point in points] == ["q", "r"]
    page = html(summarise(RUN, RECORDS), Material(TRANSCRIPTS.get, points=points))
    assert "The 2 runs as a table" in page
    assert "its last 2 runs: 1.00 on 2026-11-29 to 1.00 now" in page


def test_a_large_run_is_packed_stays_under_8_mb_and_loses_no_case(monkeypatch):
    monkeypatch.setattr("assay.report.html.INLINE_AT_MOST", 1000)
    monkeypatch.setattr("assay.report.html.PACK_BYTES", 3000)
    cases = [f"c{number}" for number in range(12)]
    records = [record(case, arm, True) for case in cases for arm in ("with", "without")]
    run = run_of([scores(case, 1.0, 1.0) for case in cases])
    page = html(summarise(run, records), Material(lambda digest: Transcript(f"output of {digest} {HOSTILE}")))
    packs = [
        json.loads(zlib.decompress(b64decode(text)))
        for text in re.findall(r'<script type="application/octet-stream" id="pack-\d+">([^<]*)<', page)
    ]
    assert len(packs) > 1
    for case, pack, slot in re.findall(r'data-id="(\w+)".*?data-pack="(\d+)" data-slot="(\d+)"', page):
        fragment = packs[int(pack)][int(slot)]
        assert f">{case}-with</mark> &lt;/pre&gt;" in fragment
        assert "<img" not in fragment
        cases.remove(case)
    assert cases == []


def test_a_page_that_would_be_too_large_is_cut_further_and_says_so(monkeypatch):
    monkeypatch.setattr("assay.report.html.PAGE_AT_MOST", 60_000)
    page = html(summarise(RUN, RECORDS), Material(lambda _: Transcript("word " * 9000)))
    assert len(page) < 60_000
    assert "characters are not shown" in page
    assert "so that the page stays small, outputs above" in page
    assert PAGE_AT_MOST == 8_000_000


def test_a_run_that_is_going_on_has_a_page():
    page = html(summarise(replace(RUN, document=None, state="running"), RECORDS), Material(TRANSCRIPTS.get))
    assert "3 of 4 trials are done" in page


def test_the_command_line_table_knows_the_page():
    assert str(render("html", summarise(RUN, RECORDS))).startswith("<!doctype html>")


def test_a_long_text_is_cut_in_the_middle():
    shown = shorten("a" * 300 + "b" * 100, 100)
    assert (shown.head, shown.left_out, shown.tail) == ("a" * 75, 300, "b" * 25)


def test_calls_of_sub_agents_lie_deeper():
    calls = (
        ToolCall("Task", {}, "1"),
        ToolCall("Task", {}, "2", "1"),
        ToolCall("Read", {}, "3", "2"),
        ToolCall("Read"),
    )
    case = summarise(RUN, RECORDS).cases[1]
    found = detail(case, lambda _: Transcript("", calls), Caps())
    assert [call.depth for call in found.rounds[0].trials["with"].calls] == [0, 1, 2, 0]
