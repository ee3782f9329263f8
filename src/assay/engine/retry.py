"""Which faults are worth another try, and how long to wait before it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.model import Fault, FaultKind

TRANSIENT: frozenset[FaultKind] = frozenset(
    {"rate_limit", "overloaded", "server", "api_timeout", "network", "empty", "judge"}
)
"""Faults that pass. A usage limit, a wrong key or a contaminated arm does not: trying again only costs."""
THROTTLED: frozenset[FaultKind] = frozenset({"rate_limit", "overloaded"})
"""Faults that say: fewer calls. They cost nothing and tell nothing of the trial: more tries are allowed."""
THROTTLED_FACTOR = 5


@dataclass(frozen=True, slots=True)
class Retry:
    """Exponential back-off with full jitter; what the provider asks for wins."""

    attempts: int = 4
    first_s: float = 0.5
    most_s: float = 60.0

    def wait_s(self, fault: Fault, attempt: int) -> float | None:
        """Seconds to wait after the failed `attempt` (from 1); None where it is not tried again."""
        most = self.attempts * (THROTTLED_FACTOR if fault.kind in THROTTLED else 1)
        if fault.kind not in TRANSIENT or attempt >= most:
            return None
        if fault.retry_after_s is not None:
            return min(fault.retry_after_s, self.most_s)
        ceiling = min(self.most_s, self.first_s * 2 ** (attempt - 1))
        return random.uniform(ceiling / 2, ceiling)  # jitter, no secret
