"""What all tests share."""

import os
from pathlib import Path

from hypothesis import settings

SOURCE = Path(__file__).parent.parent / "src"

# Child processes find this checkout, wherever they are started.
os.environ["PYTHONPATH"] = os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)

# No test may depend on how fast the machine is.
settings.register_profile("assay", deadline=None)
settings.load_profile("assay")
