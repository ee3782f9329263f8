"""No process outlives its run, even where the run is killed or the process hides."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from assay.harnesses import guard as guarding
from assay.harnesses.process import run_process

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX process groups")

RUN = """
import os, sys
from pathlib import Path
from assay.harnesses.process import run_process
child = {child!r}
run_process([sys.executable, "-c", child], cwd=Path("."), env=dict(os.environ), timeout_s=60)
"""
ESCAPING = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        {clean}
        open({file!r} + ".new", "w").write(str(os.getpid()) + " " + str(os.getppid()))
        os.rename({file!r} + ".new", {file!r})
        time.sleep(60)
    os._exit(0)
time.sleep(60)
"""


def wait_for(claim, seconds=20.0):
    until = time.monotonic() + seconds
    while not (found := claim()):
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.01)
    return found


def is_alive(pid):
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_children_and_hidden_grandchildren_die_with_a_killed_run(tmp_path):
    file = tmp_path / "pids"
    child = ESCAPING.format(file=str(file), clean="pass")
    run = subprocess.Popen([sys.executable, "-c", RUN.format(child=child)], cwd=tmp_path)
    wait_for(file.exists)
    hidden = int(file.read_text().split()[0])
    children = [process.pid for process in psutil.Process(run.pid).children(recursive=True)]
    assert len(children) >= 2
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    for pid in (*children, hidden):
        wait_for(lambda pid=pid: not is_alive(pid))


def test_a_process_that_escaped_is_ended_between_trials(tmp_path):
    file = tmp_path / "pids"
    code = ESCAPING.format(file=str(file), clean="pass").rpartition("time.sleep(60)")[0]
    code += f"\nwhile not os.path.exists({str(file)!r}): time.sleep(0.01)"
    run_process([sys.executable, "-c", code], cwd=tmp_path, env=dict(os.environ), timeout_s=20)
    hidden = int(file.read_text().split()[0])
    assert is_alive(hidden)
    assert guarding.guard.end_escaped() == 1
    wait_for(lambda: not is_alive(hidden))
    assert guarding.guard.end_escaped() == 0
