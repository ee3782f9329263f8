"""The pictures of docs/reports.md, made from runs of the examples: `make pictures`.

Runs the example plugin on the real Claude Code with its scripted model, and the house style on the embedded
model, then looks at their pages in Chromium at three widths, light and dark. All pictures go to
build/pictures, those of the documentation to docs/pictures as well. With a FOLDER the runs are kept there,
and taken from there the next time.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
CLAUDE = ROOT / ".claude-cli/current/node_modules/.bin"
BUILD, DOCS = ROOT / "build/pictures", ROOT / "docs/pictures"
WIDTHS = (400, 800, 1400)
SCHEMES = ("light", "dark")
MOST = 300_000
"""Bytes of a picture in the documentation."""


@dataclass(frozen=True)
class Shot:
    """A page to look at: a file or an address, what is opened in it, and which pictures the docs show."""

    name: str
    address: str
    open_case: str | None = None
    shown: frozenset[tuple[int, str]] = frozenset()
    height: int = 900


def main(folder: str | None = None) -> int:
    """Run what is not there yet, and take every picture."""
    for pictures in (BUILD, DOCS):
        pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="assay-pictures-") as temp:
        work = Path(folder or temp)
        plugin, style = work / "plugin", work / "house-style"
        if not plugin.exists():
            run_plugin(copied("plugin", work), work)
        if not style.exists():
            run_house_style(copied("house-style", work))
        figures(style)
        with viewing(style) as address:
            look(shots(plugin, style, address))
    return 0


def run_plugin(project: Path, home: Path) -> None:
    """The example plugin on Claude Code and its scripted model, twice."""
    with model_server(project) as url:
        env = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "scripted", "HOME": str(home)}
        for _ in range(2):
            assay(project, "run", "tdd-flow", "--fresh", **env)


def run_house_style(project: Path) -> None:
    """The house style on the embedded model: an ablation run, a baseline, and a run that got worse."""
    model = ("--harness", "model:48", "--model", "local")
    assay(project, "run", "commit-subject", "--runs", "1", *model)
    assay(project, "run", "evals/", "--accept", "--yes", *model)
    shutil.copy(project / "worse/commit-subject.md", project / "prompts/commit-subject.md")
    assay(project, "run", "evals/", *model, codes=(1,))


def shots(plugin: Path, style: Path, address: str) -> list[Shot]:
    """The pages, written beside the projects, and the addresses of `assay view`."""
    ablation = newest(style, "ablation")
    both = frozenset({(1400, "light"), (400, "dark")})
    return [
        Shot("plugin", page(plugin, "latest"), "bug", both, 1480),
        Shot("demo", page(style, ablation), "adds-dark-mode", both, 1000),
        Shot("golden", page(style, "latest"), "", frozenset({(800, "dark")}), 1000),
        Shot("view-runs", address, shown=frozenset({(1400, "light")}), height=480),
        Shot("view-item", f"{address}items/subjects", shown=frozenset({(800, "light")}), height=700),
    ]


# --- runs ---


def copied(name: str, temp: Path) -> Path:
    """An example in a repository of its own."""
    project = temp / name
    shutil.copytree(EXAMPLES / name, project, ignore=shutil.ignore_patterns(".assay"))
    who = ["-c", "user.name=assay", "-c", "user.email=assay@localhost"]
    for arguments in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "Begin"]):
        subprocess.run(["git", *arguments], cwd=project, check=True)
    return project


@contextlib.contextmanager
def model_server(plugin: Path) -> Iterator[str]:
    """The scripted model of the example plugin."""
    command = [sys.executable, "-m", "assay.testing", "server.yaml"]
    with subprocess.Popen(command, cwd=plugin, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


@contextlib.contextmanager
def viewing(project: Path) -> Iterator[str]:
    """`assay view` over a project's store."""
    command = [sys.executable, "-m", "assay", "view"]
    with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            yield server.stdout.readline().split()[0]
        finally:
            server.terminate()


def assay(project: Path, *arguments: str, codes: tuple[int, ...] = (0,), **env: str) -> None:
    """Run assay in the project; ends the script where it does not end as it should."""
    path = f"{CLAUDE}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-m", "assay", *arguments]
    code = subprocess.run(
        command, cwd=project, env={**os.environ, "PATH": path, **env}, check=False
    ).returncode
    if code not in codes:
        sys.exit(f"pictures: assay {' '.join(arguments)} ended with {code}")


def newest(project: Path, kind: str) -> str:
    """The id of the newest run of a kind."""
    from assay.store.trials import TrialStore

    store = TrialStore(project / ".assay/trials.sqlite", read_only=True)
    try:
        return next(run.id for run in store.runs() if run.kind == kind)
    finally:
        store.close()


def page(project: Path, run: str) -> str:
    """The address of a run's page, written beside the project."""
    file = project / f"{run}.html"
    assay(project, "report", run, "--format", "html", "--out", str(file))
    return file.as_uri()


def figures(style: Path) -> None:
    """The figures of the documentation."""
    run = newest(style, "ablation")
    for name, arguments in {
        "plot-cases": [run],
        "plot-history-dark": ["latest", "--kind", "history", "--dark"],
    }.items():
        assay(style, "plot", *arguments, "--out", str(DOCS / f"{name}.svg"))


# --- pictures ---


def look(found: list[Shot]) -> None:
    """Open each page at each width, light and dark."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    if program is None:
        sys.exit("pictures: Chromium is not installed (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for shot in found:
            for width in WIDTHS:
                for scheme in SCHEMES:
                    take(browser, shot, width, scheme)
        browser.close()


def take(browser: Browser, shot: Shot, width: int, scheme: str) -> None:
    """One picture of a page, its first case (or the one named) open."""
    context = browser.new_context(viewport={"width": width, "height": shot.height}, color_scheme=scheme)
    tab = context.new_page()
    tab.goto(shot.address)
    if shot.open_case is not None:
        row = tab.locator(f'.case[data-id="{shot.open_case}"]' if shot.open_case else ".case").first
        row.locator("summary").first.click()
        row.locator(".side").first.wait_for()
        tab.locator("body").click(position={"x": 2, "y": 2})
    if (width, scheme) in shot.shown:
        small = tab.screenshot()
        if len(small) > MOST:
            sys.exit(f"pictures: {shot.name} at {width} has {len(small):,} bytes, more than {MOST:,}")
        (DOCS / f"{shot.name}-{width}-{scheme}.png").write_bytes(small)
    height = tab.evaluate("document.documentElement.scrollHeight")
    tab.set_viewport_size({"width": width, "height": height})  # what is out of sight is not drawn
    tab.screenshot(path=BUILD / f"{shot.name}-{width}-{scheme}.png")
    context.close()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
