"""Files of a suite in the workspace of a trial."""

from __future__ import annotations

import pytest

from assay.engine.room import TrialRoom
from assay.engine.stop import StopFlag
from assay.errors import TrialFailed
from assay.harnesses.command import CommandHarness
from assay.harnesses.files_given import lay_out
from assay.model import Case, FileGiven, Location, Trial


def a_case(*files):
    return Case("c", "c", "hi", (), Location("evals.json"), files=files)


def test_a_process_finds_them(tmp_path):
    source = tmp_path / "sales.csv"
    source.write_text("a,b", "utf-8")
    case = a_case(FileGiven("data/sales.csv", source, "sha256:0"))
    trial = Trial(case, "without", 1, None, None, "k")
    harness = CommandHarness(("cat", "data/sales.csv"), {"PATH": "/usr/bin:/bin"})
    with TrialRoom(StopFlag(), 10) as room:
        assert harness.run(trial, room).output == "a,b"


@pytest.mark.parametrize("path", ["../up.txt", "/etc/x"])
def test_none_is_written_outside(tmp_path, path):
    source = tmp_path / "x"
    source.write_text("x", "utf-8")
    with pytest.raises(TrialFailed, match="leads out of the workspace"):
        lay_out(a_case(FileGiven(path, source, "sha256:0")), tmp_path / "w")


def test_one_that_is_gone_is_a_fault_of_setup(tmp_path):
    with pytest.raises(TrialFailed, match="cannot be laid out") as caught:
        lay_out(a_case(FileGiven("a", tmp_path / "gone", "sha256:0")), tmp_path)
    assert caught.value.fault.kind == "setup"
