"""The page of a run in a real browser: hands, links, hostile outputs, widths, size and time."""

from pathlib import Path

import pytest

from assay.model import Fault, Grade, Record, Sight, ToolCall, Transcript, Usage
from assay.report import html as page_of_run
from assay.report.html import Material, html
from assay.report.summary import summarise
from assay.store.rows import Run
from support.browser import Watched, chromium

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ATTACKS = (
    "<script>window.hurt = 1; alert('script')</script>",
    "<img src=x onerror=\"window.hurt = 1; alert('img')\">",
    "</pre></details></template><svg onload=alert('svg')><style>* { display: none }</style>",
    "]]>--></script><script>window.hurt = 1</script>",
    "<iframe src='http://127.0.0.1:9/'></iframe><link rel=stylesheet href='http://127.0.0.1:9/x.css'>",
    "<form action='http://127.0.0.1:9/'><button autofocus onfocus=alert('form')>x</button></form>",
    "<a href=\"javascript:alert('link')\">click</a><base href='http://127.0.0.1:9/'>",
    "{{ 7 * 7 }}{% raw %}<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "\u202egnp.exe\x00\x1b[31m\ud800 “quotes” ' \" & \u2028",
)
EVIL = " ".join(ATTACKS)


def record(case, arm, passed, repeat=1, text=""):
    grades = (
        Grade(f"says-why {text}", "llm", passed, explanation=f"no reason {text}", votes=(True, passed), evidence=text or None),
        Grade("is short", "regex", True),
    )  # fmt: skip
    return Record(
        "r", "k", case, arm, repeat, "scored", 1.0 + passed, 2.0, grades, usage=Usage(10, 5, cost_usd=0.01),
        duration_s=0.5, model_reported=f"m{text}", transcript=f"{case}|{arm}|{repeat}",
    )  # fmt: skip


def scores(name, with_, without):
    delta = None if with_ is None else with_ - without
    word = None if delta is None else "improved" if delta > 0 else "regressed" if delta < 0 else "no-signal"
    return {"name": name, "with": with_, "without": without, "delta": delta, "verdict": word, "trigger_rate": None}  # fmt: skip


def run_of(cases, name="x"):
    document = {
        "schema": "skill-eval/1", "item": name, "with": 0.5, "without": 0.25, "delta": 0.25, "verdict": "improved",
        "trigger_rate": 1.0, "cost_usd": 0.07, "max_cost_usd": 2, "partial": False, "partial_reason": None,
        "curtailed": False, "model": "m", "model_reported": None, "judge_model": None, "item_digest": None,
        "suite_digest": None, "run": "r", "date": "2026-11-30", "cases": cases,
    }  # fmt: skip
    return Run("r", "ablation", name, "2026-11-30T10:00:00Z", "scripted@1", "m", 4, "done", document=document)


RUN = run_of([scores("worse", 0.5, 1.0), scores("better", 1.0, 0.5), scores("same", 1.0, 1.0), scores("lost", None, 1.0)])  # fmt: skip
RECORDS = (
    record("worse", "with", False),
    record("worse", "without", True),
    record("better", "with", True),
    record("better", "without", False),
    record("same", "with", True),
    record("same", "without", True),
    Record("r", "k", "lost", "with", 1, "error", fault=Fault("overloaded", "529 from the service")),
    record("lost", "without", True),
)


def transcript(digest):
    case, arm, _ = digest.split("|")
    return Transcript(
        f"The output of {case}, written {arm} it", (ToolCall("Read", {"path": "x.py"}, result="text"),)
    )


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture
def tab(browser):
    watched = Watched(browser)
    yield watched
    watched.context.close()


@pytest.fixture(scope="module", params=["inline", "packed"])
def file(request, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    most, page_of_run.INLINE_AT_MOST = page_of_run.INLINE_AT_MOST, 0 if request.param == "packed" else 10**7
    path.write_text(html(summarise(RUN, RECORDS), Material(transcript)), "utf-8")
    page_of_run.INLINE_AT_MOST = most
    return path


def shown(page):
    return page.locator(".case:visible").evaluate_all("rows => rows.map(row => row.dataset.id)")


def test_a_case_opens_by_a_click_and_by_its_address(tab, file):
    page = tab.open(file)
    page.locator("summary", has_text="better").click()
    body = page.locator("[data-id=better] .body")
    body.get_by_text("The output of better").first.wait_for()
    assert body.locator("mark").all_inner_texts() == ["with", "without"]
    assert "case=better" in page.evaluate("location.hash")
    again = Watched(tab.context.browser)
    other = again.open(file, "#case=better")
    other.locator("[data-id=better][open] .body h3").first.wait_for()
    assert other.evaluate("document.activeElement.closest('.case').dataset.id") == "better"
    assert tab.events == again.events == []
    again.context.close()


def test_filters_and_search_show_what_matches_and_say_how_many(tab, file):
    page = tab.open(file)
    assert shown(page) == ["lost", "worse", "same", "better"]
    page.get_by_role("button", name="Worse 1").click()
    assert shown(page) == ["worse"]
    page.get_by_role("button", name="Errors 1").click()
    assert shown(page) == ["lost"]
    assert page.locator("#said").inner_text() == "1 of 4 shown"
    page.get_by_role("button", name="All 4").click()
    page.get_by_role("searchbox", name="Search cases and reasons").fill("529 service")
    assert shown(page) == ["lost"]
    page.get_by_role("searchbox").fill("nothing like it")
    assert shown(page) == []
    page.get_by_role("button", name="Show all").click()
    assert len(shown(page)) == 4
    assert tab.events == []


def test_what_is_shown_stands_in_the_address(tab, file):
    page = tab.open(file, "#show=changed&q=r")
    assert shown(page) == ["worse", "better"]
    assert page.get_by_role("button", name="Changed 2").get_attribute("aria-pressed") == "true"
    page.evaluate("location.hash = 'show=error'")
    page.wait_for_function("document.querySelectorAll('.case:not([hidden])').length === 1")
    assert shown(page) == ["lost"]


def test_the_keyboard_is_enough(tab, file):
    page = tab.open(file)
    focus = "document.activeElement.closest('.case')?.dataset.id ?? document.activeElement.id"
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate(focus) == "worse"
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.locator("[data-id=lost][open] .warning").first.wait_for()
    page.keyboard.press("x")
    assert page.locator(".case[open]").count() == 0
    page.keyboard.press("1")
    assert shown(page) == ["worse"]
    page.keyboard.press("0")
    page.keyboard.press("/")
    assert page.evaluate(focus) == "search"
    page.keyboard.type("better")
    assert shown(page) == ["better"]
    page.keyboard.press("Escape")
    assert len(shown(page)) == 4
    page.keyboard.press("Tab")
    assert tab.events == []


def test_a_screen_reader_finds_its_way(tab, file):
    page = tab.open(file)
    for role in ("banner", "main", "contentinfo"):
        assert page.get_by_role(role).count() == 1
    assert page.get_by_role("heading", level=1).inner_text() == "x"
    assert page.get_by_role("heading", level=2).all_inner_texts() == ["Scores", "Cases"]
    assert page.get_by_role("row", name="with 0.50").count() >= 1
    unnamed = "[...document.querySelectorAll('button, input, summary')].filter(e => !(e.textContent.trim() || e.labels?.length)).length"
    assert page.evaluate(unnamed) == 0
    assert page.evaluate("document.documentElement.lang") == "en"


@pytest.mark.parametrize("width", [320, 400, 800, 1400])
def test_no_width_needs_scrolling_to_the_side(browser, file, width):
    tab = Watched(browser, viewport={"width": width, "height": 900})
    page = tab.open(file, "#case=worse")
    page.locator("[data-id=worse][open] .side").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    tab.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(browser, file, scheme):
    tab = Watched(browser, color_scheme=scheme)
    page = tab.open(file, "#case=worse")
    page.locator("[data-id=worse][open] .side").first.wait_for()
    contrasts = page.evaluate(CONTRAST)
    assert {name: ratio for name, ratio in contrasts.items() if ratio < 4.5} == {}
    tab.context.close()


CONTRAST = """() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$/.test(c)) return c; } return "rgb(255,255,255)"; };
  const found = {};
  for (const name of [".verdict span", ".fine", ".status.failed", ".status.error", ".status.passed", ".gain", ".loss", ".case-head span", "pre", "mark.k-with", "mark.k-without", ".mark.failed", ".mark.passed", ".why", ".flag"]) {
    const e = document.querySelector(name);
    if (!e) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort().reverse();
    found[name] = Math.round((Math.max(a, b) + .05) / (Math.min(a, b) + .05) * 100) / 100;
  }
  return found;
}"""


def test_printing_shows_what_is_open_and_no_tools(tab, file):
    page = tab.open(file, "#case=better")
    page.locator("[data-id=better][open] pre").first.wait_for()
    page.emulate_media(media="print")
    assert page.locator("#search").is_hidden()
    assert page.locator("[data-id=better] pre").first.is_visible()
    assert page.locator("[data-id=better] pre").first.evaluate("e => getComputedStyle(e).maxHeight") == "none"


def test_a_small_page_is_readable_without_javascript(browser, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(html(summarise(RUN, RECORDS), Material(transcript)), "utf-8")
    tab = Watched(browser, java_script_enabled=False)
    page = tab.open(path)
    page.locator("summary", has_text="better").first.click()
    assert page.get_by_text("The output of better").first.is_visible()
    tab.context.close()


def hostile_page(path, packed):
    sight = Sight(skills=(EVIL,), tools=(EVIL,), model=EVIL, client=EVIL)
    left = Transcript(
        EVIL, (ToolCall(EVIL, {"x": EVIL}, result=EVIL, is_error=True),), sight=sight, notes=(EVIL,)
    )
    evil = f"evil {EVIL}"
    records = [record(evil, arm, arm == "with", text=EVIL) for arm in ("with", "without")]
    records.append(Record("r", "k", evil, "with", 2, "error", fault=Fault("harness", EVIL)))
    run = run_of([scores(evil, 1.0, 0.5)], name=EVIL)
    most, page_of_run.INLINE_AT_MOST = page_of_run.INLINE_AT_MOST, 0 if packed else 10**9
    path.write_text(html(summarise(run, records), Material(lambda _: left)), "utf-8", errors="replace")
    page_of_run.INLINE_AT_MOST = most


@pytest.mark.parametrize("packed", [False, True], ids=["inline", "packed"])
def test_hostile_outputs_stay_text(tab, tmp_path, packed):
    hostile_page(tmp_path / "evil.html", packed)
    page = tab.open(tmp_path / "evil.html")
    page.locator(".case > summary").click()
    page.locator(".case .side pre").first.wait_for()
    page.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true })")
    page.mouse.wheel(0, 4000)
    page.evaluate("() => new Promise(done => setTimeout(done, 200))")
    assert page.evaluate("window.hurt") is None
    assert (
        page.evaluate(
            "document.querySelectorAll('.body script, img, iframe, form, base, meta[http-equiv=refresh], .body a, .body style').length"
        )
        == 0
    )
    assert (
        "<script>window.hurt = 1; alert('script')</script>"
        in page.locator(".case pre.text").first.inner_text()
    )
    assert "{{ 7 * 7 }}" in page.locator(".case pre.text").first.inner_text()
    assert tab.events == []


def test_the_policy_stops_a_script_that_came_in_all_the_same(tab, tmp_path):
    path = tmp_path / "broken.html"
    text = html(summarise(RUN, RECORDS), Material(transcript))
    planted = "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 2'><img src='http://127.0.0.1:9/x'>"
    path.write_text(text.replace("<main>", f"<main>{planted}"), "utf-8")
    answered = []
    tab.page.on("requestfinished", lambda request: answered.append(request.url))
    page = tab.open(path)
    page.locator("summary", has_text="better").click()
    assert page.evaluate("window.hurt") is None
    assert [url for url in answered if url != path.as_uri() and not url.startswith("data:")] == []
    refused = [event for event in tab.events if "Content Security Policy" in event]
    assert len(refused) >= 3
    assert page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'stopped')") == "stopped"


def test_a_thousand_cases_are_cheap_to_open_and_under_8_mb(browser, tmp_path):
    names = [f"case-{number:04d}" for number in range(1000)]
    records = [
        record(name, arm, (number + repeat) % 3 > 0, repeat)
        for number, name in enumerate(names)
        for arm in ("with", "without")
        for repeat in (1, 2, 3)
    ]
    words = Path(__file__).read_text("utf-8").split()

    def left(digest):
        start = hash(digest) % (len(words) - 250)
        return Transcript(f"{digest} " + " ".join(words[start : start + 250]), transcript("a|b|1").tool_calls)

    run = run_of([scores(name, 0.5, 0.75) for name in names])
    path = tmp_path / "large.html"
    path.write_text(html(summarise(run, records), Material(left)), "utf-8")
    assert path.stat().st_size < 8_000_000
    tab = Watched(browser)
    before = spent(browser)
    page = tab.open(path, "#case=case-0777")
    page.locator("[data-id=case-0777][open] .side").first.wait_for()
    after = spent(browser)
    assert (
        sum(after.values()) - sum(before.values()) < 6
    )  # it is about 2: Chromium works in several processes
    tab.context.close()


def spent(browser):
    """Seconds of CPU of each process of the browser: unlike time on the clock the same on a busy machine."""
    session = browser.new_browser_cdp_session()
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return {process["id"]: process["cpuTime"] for process in found}
