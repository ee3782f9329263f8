"""Child processes: output, time-outs, and trees that do not want to die."""

import os
import sys
import time
from pathlib import Path

import psutil
import pytest

from assay.harnesses.process import Completed, run_process

ENV = {"PATH": os.environ["PATH"]}


def run(tmp_path: Path, code: str, **options: object) -> Completed:
    settings = {"timeout_s": 20, "env": ENV, "cwd": tmp_path} | options
    return run_process([sys.executable, "-c", code], **settings)


def test_output_and_exit_code_come_back(tmp_path):
    done = run(
        tmp_path,
        "import sys; print(sys.stdin.read().upper()); print('e', file=sys.stderr); sys.exit(3)",
        stdin=b"abc",
    )
    assert (done.stdout, done.stderr, done.exit_code, done.ended) == (b"ABC\n", b"e\n", 3, "done")


def test_input_larger_than_a_pipe_is_passed_whole(tmp_path):
    big = b"x" * 3_000_000
    assert run(tmp_path, "import sys; print(len(sys.stdin.buffer.read()))", stdin=big).stdout == b"3000000\n"


def test_a_child_that_does_not_read_its_input_is_no_error(tmp_path):
    assert run(tmp_path, "print('done')", stdin=b"x" * 3_000_000).stdout == b"done\n"


def test_output_over_the_cap_is_cut_and_said(tmp_path):
    done = run(tmp_path, "print('y' * 1_000_000)", output_cap=1000)
    assert (len(done.stdout), done.capped, done.exit_code) == (1000, True, 0)


def test_a_time_out_kills_children_that_ignore_signals(tmp_path):
    deaf = "import signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    code = (
        f"{deaf} import subprocess; child = {deaf + 'time.sleep(60)'!r};"
        "p = subprocess.Popen([sys.executable, '-c', child], start_new_session=True);"
        "print(p.pid, flush=True); time.sleep(60)"
    )
    done = run(tmp_path, code, timeout_s=1.5, grace_s=0.2)
    assert (done.ended, done.exit_code) == ("timeout", None)
    assert not _alive(int(done.stdout))


def test_a_grandchild_that_holds_the_pipe_open_does_not_hang_us(tmp_path):
    code = (
        "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(30)']);"
        "print('ok', flush=True)"
    )
    started = time.monotonic()
    done = run(tmp_path, code)
    assert (done.stdout, done.ended) == (b"ok\n", "done")
    assert time.monotonic() - started < 10


def test_silence_is_an_idle_time_out(tmp_path):
    done = run(tmp_path, "import time; print('a', flush=True); time.sleep(60)", idle_timeout_s=0.5)
    assert (done.ended, done.stdout) == ("idle_timeout", b"a\n")


def test_a_program_that_is_not_there_raises(tmp_path):
    with pytest.raises(FileNotFoundError):
        run_process(["no-such-program-at-all"], cwd=tmp_path, env=ENV, timeout_s=1)


def _alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
