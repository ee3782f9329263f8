"""numpy, loaded without threads of its own: nothing here is large enough to share out.

Its linear algebra starts a thread a core on import, which spin for work that never comes: a fifth of the CPU
of a short run. The variable that prevents it is taken back at once, so that no child process finds it.
"""

from __future__ import annotations

import os

_VARIABLE = "OPENBLAS_NUM_THREADS"
_before = os.environ.get(_VARIABLE)
os.environ[_VARIABLE] = "1"
try:
    import numpy as np
    from numpy.typing import NDArray
finally:
    if _before is None:
        del os.environ[_VARIABLE]
    else:
        os.environ[_VARIABLE] = _before

__all__ = ["NDArray", "np"]
