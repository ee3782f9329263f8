"""`assay view` in a real browser: from page to page, two runs compared, a run that goes on, a large store."""

from dataclasses import replace

import pytest

from support.browser import Watched, chromium
from support.stored_runs import fill, run_of, trial_of
from support.viewing import viewing

pytestmark = [pytest.mark.browser, pytest.mark.slow]

EVIL = "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 1'>"


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("view") / "trials.sqlite"
    one = run_of({"easy": (1.0, 0.5), "hard": (0.5, 0.5)}, run_id="r1")
    other = run_of({"easy": (0.5, 0.5), "hard": (1.0, 0.5)}, run_id="r2", started="2026-11-30T11:00:00Z")
    evil = run_of({}, run_id="evil", name=EVIL, started="2026-11-29T11:00:00Z", state="failed", model=EVIL)
    store = fill(path, one, other, replace(evil, document=None))
    store.write([trial_of("evil", EVIL, arm, 0.0, output=f"{EVIL} {arm}") for arm in ("with", "without")])
    store.close()
    with viewing(path) as found:
        yield found


@pytest.fixture
def tab(browser):
    watched = Watched(browser)
    yield watched
    watched.context.close()


def foreign(tab, address):
    return [event for event in tab.events if not event.startswith(f"request {address}")]


def test_from_the_list_to_a_case_and_to_the_item(tab, address):
    page = tab.page
    page.goto(address)
    page.get_by_role("link", name="commit").first.click()
    page.locator("summary", has_text="easy").click()
    page.locator("[data-id=easy] .side").first.wait_for()
    assert page.locator("[data-id=easy] mark").all_inner_texts() == ["with", "without"]
    page.get_by_role("link", name="items").click()
    page.get_by_role("link", name="commit").click()
    assert page.get_by_role("heading", level=1).inner_text() == "commit"
    page.get_by_role("link", name="with the one before").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Comparison"
    assert foreign(tab, address) == []


def test_two_runs_are_picked_and_compared(tab, address):
    page = tab.page
    page.goto(address)
    page.get_by_label("r1 as the one before").check()
    page.get_by_label("r2 as the one now").check()
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("button", name="Worse 1").click()
    rows = page.locator(".case:visible")
    assert rows.count() == 1
    rows.locator("summary").first.click()
    page.locator("[data-id=easy] mark").first.wait_for()
    assert page.locator("[data-id=easy] mark").all_inner_texts() == ["r1", "r2"]
    assert "case=easy" in page.evaluate("location.hash")
    assert foreign(tab, address) == []


def test_a_run_that_goes_on_moves_by_itself_and_ends_in_its_verdict(tab, tmp_path):
    store = fill(tmp_path / "s", run_of({}, run_id="now", state="running", planned=4))
    with viewing(tmp_path / "s") as address:
        page = tab.page
        page.goto(f"{address}/runs/now")
        page.get_by_text("0 of 4 trials", exact=True).wait_for()
        store.write([trial_of("now", "easy", "with", 1.0)])
        page.get_by_text("1 of 4 trials, $0.01").wait_for()
        page.get_by_role("button", name="show the new trials").click()
        page.locator("[data-id=easy]").wait_for()
        store.write([trial_of("now", "easy", "without", 0.5)])
        store.finish(replace(run_of({"easy": (1.0, 0.5)}, run_id="now"), planned=4))
        page.locator(".verdict", has_text="higher").wait_for()
        assert page.locator("#live").count() == 0
        page.goto("about:blank")
    store.close()
    assert foreign(tab, address) == []


def test_hostile_names_and_outputs_stay_text(tab, address):
    page = tab.page
    for path in ("/", "/items", "/runs/evil", "/compare?before=evil&now=evil"):
        page.goto(address + path)
        if path.startswith(("/runs", "/compare")):
            page.locator(".case > summary").first.click()
            page.locator(".case .side").first.wait_for()
            assert EVIL in page.locator(".case pre.text").first.inner_text()
        assert page.locator("main img, main script").count() == 0
        assert page.evaluate("window.hurt") is None
    assert foreign(tab, address) == []


@pytest.mark.parametrize("width", [320, 400, 800, 1400])
def test_no_page_needs_scrolling_to_the_side(browser, address, width):
    tab = Watched(browser, viewport={"width": width, "height": 900})
    for path in ("/", "/items", "/items/commit", "/runs/r1", "/compare?before=r1&now=r2", "/triggers", "/no"):
        tab.page.goto(address + path)
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width, path
    tab.context.close()
