"""What all tests share."""

import os
import signal
import threading
from pathlib import Path

from hypothesis import settings

SOURCE = Path(__file__).parent.parent / "src"

# Child processes find this checkout, wherever they are started.
os.environ["PYTHONPATH"] = os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)

# Begun in the background of a shell, this process ignores Ctrl-C, and its children would too.
if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    and threading.current_thread() is threading.main_thread()
):
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No test may depend on how fast the machine is.
settings.register_profile("assay", deadline=None)
settings.load_profile("assay")
