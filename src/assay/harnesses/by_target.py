"""One run, two harnesses: the project's own features by theirs, everything else by the chosen one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.harnesses import Harness, Room
    from assay.model import Transcript, Trial


class ByTarget:
    """Sends a `feature:` task to `features`, any other to `chosen`; the stamp is that of the chosen one."""

    name = "by-target"

    def __init__(self, chosen: Harness, features: Harness) -> None:
        self._chosen = chosen
        self._features = features
        self.concurrency = chosen.concurrency
        self.reports_cost = chosen.reports_cost
        self.is_free = chosen.is_free

    @property
    def stamp(self) -> str:
        return self._chosen.stamp

    def settings(self) -> dict[str, Any]:
        """Those of the chosen one: a feature's are part of the digest that its trials are keyed by."""
        return self._chosen.settings()

    def run(self, trial: Trial, room: Room) -> Transcript:
        target = trial.case.target
        is_feature = target is not None and target.kind == "feature"
        return (self._features if is_feature else self._chosen).run(trial, room)

    def close(self) -> None:
        self._chosen.close()
        self._features.close()
