"""Reports in terminals: narrow ones, dumb ones, and none at all."""

import os
import subprocess
import sys
import unicodedata

import pytest

from support.stored_runs import fill, run_of

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals on this system")

NAMES = {"a-long-name/of-a-case": (0.5, 1.0), "easy": (1.0, 0.5)}


@pytest.fixture
def store(tmp_path):
    fill(tmp_path / "s", run_of(NAMES)).close()
    return tmp_path / "s"


def shown(store, columns, **env):
    """What `assay show` writes into a terminal of that width, line by line."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "assay", "show", "latest", "--store", str(store)]
    environment = {**os.environ, "COLUMNS": str(columns), **env}
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment, close_fds=True) as running:
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 65536):
                text += part
        except OSError:  # the other end is closed: Linux says so by an error
            pass
        assert running.wait(60) == 0
    os.close(ours)
    return text.decode("utf-8").replace("\r\n", "\n").splitlines()


def table(lines):
    """From the sentence to the stamp: what the report itself lays out."""
    start = next(place for place, line in enumerate(lines) if line.startswith("commit: "))
    return lines[start + 2 : -1]


def test_a_wide_terminal_has_a_table_and_a_narrow_one_a_list(store):
    wide, narrow = table(shown(store, 80)), table(shown(store, 40))
    assert [line.split() for line in wide][1] == ["a-long-name/of-a-case", "0.50", "1.00", "-0.50"]
    assert max(map(len, wide)) <= 80
    assert narrow[:4] == [
        "a-long-name/of-a-case",
        "  with 0.50 without 1.00 -0.50",
        "easy",
        "  with 1.00 without 0.50 +0.50",
    ]
    assert max(map(len, narrow)) <= 40


@pytest.mark.parametrize("env", [{"TERM": "dumb"}, {"NO_COLOR": "1"}, {"TERM": "xterm-256color"}])
def test_no_terminal_is_sent_a_control_character(store, env):
    for line in shown(store, 80, **env):
        assert [letter for letter in line if unicodedata.category(letter) == "Cc"] == []


def test_a_file_does_not_depend_on_the_terminal(store):
    command = [sys.executable, "-m", "assay", "show", "latest", "--store", str(store)]
    one, other = (
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, "COLUMNS": width}).stdout
        for width in ("40", "120")
    )
    assert one == other
