"""numpy is loaded without threads of its own, and no child process is told so."""

import subprocess
import sys

import pytest

CODE = """
import os, threading
{before}
import assay.verdict.bayes
print(os.environ.get("OPENBLAS_NUM_THREADS"), len(os.listdir("/proc/self/task")))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads are counted in /proc")
@pytest.mark.parametrize(
    ("before", "told"), [("", "None 1"), ('os.environ["OPENBLAS_NUM_THREADS"] = "2"', "2 1")]
)
def test_numbers_are_reckoned_in_this_thread_alone(before, told):
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(before=before)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == told
