"""Debian's Chromium through Playwright, and pages to look at in it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def chromium() -> Iterator[object]:
    """A browser; skips, and says why, where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


class Watched:
    """A tab that notes every dialog, error and request beside the page itself."""

    def __init__(self, browser, **options):
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.events = []
        self.page.on(
            "dialog", lambda dialog: (self.events.append(f"dialog {dialog.message}"), dialog.dismiss())
        )
        self.page.on("pageerror", lambda error: self.events.append(f"error {error}"))
        self.page.on("console", lambda line: self.events.append(f"console {line.text}"))
        self.page.on("popup", lambda _: self.events.append("popup"))
        self.page.on("request", lambda request: self._asked(request.url))
        self.address = ""

    def open(self, path: Path, fragment: str = ""):
        self.address = path.as_uri()
        self.page.goto(self.address + fragment)
        return self.page

    def _asked(self, url):
        if url.split("#")[0] != self.address and not url.startswith(("data:", "blob:")):
            self.events.append(f"request {url}")
