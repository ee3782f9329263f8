"""What a run leaves on disk: nothing; and what a killed one leaves, the next removes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from assay.engine.room import TrialRoom
from assay.engine.rooms import LOCK, PREFIX, Rooms, sweep
from assay.engine.stop import StopFlag

RUN = """
import os, subprocess, sys, time
from pathlib import Path
from assay.engine.room import TrialRoom
from assay.engine.rooms import Rooms
from assay.engine.stop import StopFlag
with Rooms(where=Path(sys.argv[1])) as rooms, TrialRoom(StopFlag(), 1, rooms=rooms) as room:
    where = {"cwd": room.folder} if sys.argv[2] == "cwd" else {"env": {**os.environ, "HOME": str(room.folder)}}
    child = subprocess.Popen(["sleep", "600"], start_new_session=True, **where)
    print(child.pid, flush=True)
    time.sleep(600)
"""


@pytest.fixture(params=["cwd", "home"])
def running(tmp_path, request):
    """A run in another process, with a child of its own at work in a room."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(tmp_path), request.param],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    child = psutil.Process(int(process.stdout.readline()))
    yield process, child
    process.kill()
    process.wait()
    process.stdout.close()
    if child.is_running():
        child.kill()


def folders(where):
    return list(where.glob(f"{PREFIX}*"))


def test_nothing_is_left_and_nothing_is_made_unless_it_is_used(tmp_path):
    with Rooms(where=tmp_path) as rooms:
        assert folders(tmp_path) == []
        with TrialRoom(StopFlag(), 1, rooms=rooms) as room:
            assert room.folder.parent == rooms.folder
        assert not room.folder.exists()
    assert folders(tmp_path) == []


def test_kept_rooms_stay_and_are_never_swept(tmp_path):
    with Rooms(where=tmp_path, keep=True) as rooms, TrialRoom(StopFlag(), 1, keep=True, rooms=rooms) as room:
        (room.folder / "made").touch()
    sweep(tmp_path)
    assert (room.folder / "made").exists()


def test_a_killed_runs_folders_and_children_are_removed_by_the_next(tmp_path, running):
    process, child = running
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(folders(tmp_path)) == 1
    with Rooms(where=tmp_path):
        assert folders(tmp_path) == []
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


def test_a_living_run_is_left_alone(tmp_path, running):
    with Rooms(where=tmp_path):
        assert len(folders(tmp_path)) == 1
    assert running[1].is_running()


def test_a_folder_without_a_lock_is_given_a_minute(tmp_path):
    starting = tmp_path / f"{PREFIX}starting"
    starting.mkdir()
    sweep(tmp_path)
    assert starting.exists()
    past = time.time() - 3600
    os.utime(starting, (past, past))
    sweep(tmp_path)
    assert not starting.exists()


def test_folders_of_others_are_not_looked_at(tmp_path):
    (tmp_path / "assay-notes").mkdir()
    (tmp_path / f"{PREFIX}x").mkdir()
    (tmp_path / f"{PREFIX}x" / LOCK).touch()
    sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["assay-notes"]
