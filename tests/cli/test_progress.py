"""Progress of a run: what the line says."""

import io

from assay.cli.progress import Progress
from assay.model import Fault, Record, Usage


def record(arm, passed, **more):
    given = {"outcome": "scored", "passed_weight": passed, "scored_weight": 1.0, "usage": Usage(cost_usd=0.1)}
    return Record("r", "k", "c", arm, 1, **(given | more))


def test_the_line_counts_and_gives_running_intervals():
    progress = Progress(8, stream=io.StringIO())
    progress.add([record("with", 1.0), record("with", 1.0), record("without", 0.0)])
    progress.add([record("without", 0.0, outcome="error", fault=Fault("auth", "no"))])
    line = progress.line(progress._started + 4)
    assert line == (
        "4/8 trials · 1 error · $0.40 · 4 s left · with 1.00 (0.34-1.00) · without 0.00 (0.00-0.79)"
    )


def test_what_comes_from_the_store_costs_nothing():
    progress = Progress(2, stream=io.StringIO())
    progress.add([record("with", 1.0, cached=True)])
    assert progress.line(0).startswith("1/2 trials · $0.00 · with 1.00")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_dumb_terminal_is_not_drawn_over(monkeypatch):
    for kind, drawn in (("xterm", "\r\x1b[K"), ("dumb", "")):
        monkeypatch.setenv("TERM", kind)
        stream = Terminal()
        Progress(2, stream=stream).close()
        assert stream.getvalue() == drawn
