"""`assay view` as a process: it prints its address, answers, and ends with Ctrl-C."""

import signal
import subprocess
import sys
import urllib.request

import pytest

from support.stored_runs import fill, run_of

pytest.importorskip("starlette", reason="the extra `view` is not installed")


def test_the_command_serves_until_it_is_interrupted(tmp_path):
    fill(tmp_path / "s", run_of({"easy": (1.0, 0.5)})).close()
    command = [
        sys.executable,
        "-m",
        "assay",
        "view",
        "--store",
        str(tmp_path / "s"),
        "--project",
        str(tmp_path),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        try:
            address = running.stdout.readline().split()[0]
            assert address.startswith("http://127.0.0.1:")
            with urllib.request.urlopen(f"{address}runs/r1", timeout=60) as answer:
                assert "easy" in answer.read().decode("utf-8")
            port = address.rstrip("/").rpartition(":")[2]
            taken = subprocess.run(
                [*command, "--port", port], check=False, capture_output=True, text=True, timeout=60
            )
            assert taken.returncode == 3
            assert f"port {port} of 127.0.0.1 cannot be used" in taken.stderr
        finally:
            running.send_signal(signal.SIGINT)
        assert running.wait(60) == 0
        assert running.stderr.read() == ""
