"""What all tests share."""

import os
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src"

# Child processes find this checkout, wherever they are started.
os.environ["PYTHONPATH"] = os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
