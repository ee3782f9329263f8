"""`assay plot` from the command line."""

import pytest

from assay.cli import main
from support.stored_runs import fill, run_of

pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")


def plot(tmp_path, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["plot", "--store", str(tmp_path / "s"), *arguments])
    return ended.value.code


def test_a_run_becomes_a_file_by_the_end_of_its_name(tmp_path, capsys):
    fill(tmp_path / "s", run_of({"easy": (1.0, 0.5)})).close()
    assert plot(tmp_path, "--out", str(tmp_path / "a.svg")) == 0
    assert (tmp_path / "a.svg").read_bytes().startswith(b"<?xml")
    assert plot(tmp_path, "r1", "--kind", "history", "--dark", "--out", str(tmp_path / "a.png")) == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert plot(tmp_path, "--out", str(tmp_path / "a.pdf")) == 2
    assert "must end in .svg or .png" in capsys.readouterr().err
    assert plot(tmp_path, "--kind", "triggers", "--out", str(tmp_path / "b.svg")) == 2
    assert "asked no trigger questions" in capsys.readouterr().err
    assert not (tmp_path / "b.svg").exists()
