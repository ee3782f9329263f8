"""assay: did this change make it better or worse, and can the numbers bear that answer?

    import assay

    result = assay.run("commit-subject", model="local", runs=3)
    decision = assay.gate(result)
    print(decision.accepted, decision.reasons)

Names are imported when they are used, so that `import assay` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.version import __version__

if TYPE_CHECKING:
    from assay.api import gate, load, read_result, run, run_tasks
    from assay.errors import AssayError, CannotRun, SuiteError, Unusable, UsageError
    from assay.model import Case, Grade, GraderSpec, Item, Record, Suite, Transcript, Trial
    from assay.schemas.golden_eval import GoldenEval
    from assay.schemas.skill_eval import SkillEval
    from assay.verdict.gate import Decision

__all__ = [
    "AssayError",
    "CannotRun",
    "Case",
    "Decision",
    "GoldenEval",
    "Grade",
    "GraderSpec",
    "Item",
    "Record",
    "SkillEval",
    "Suite",
    "SuiteError",
    "Transcript",
    "Trial",
    "Unusable",
    "UsageError",
    "__version__",
    "gate",
    "load",
    "read_result",
    "run",
    "run_tasks",
]

_MODULES = {
    "assay.api": ("gate", "load", "read_result", "run", "run_tasks"),
    "assay.errors": ("AssayError", "CannotRun", "SuiteError", "Unusable", "UsageError"),
    "assay.model": ("Case", "Grade", "GraderSpec", "Item", "Record", "Suite", "Transcript", "Trial"),
    "assay.schemas.golden_eval": ("GoldenEval",),
    "assay.schemas.skill_eval": ("SkillEval",),
    "assay.verdict.gate": ("Decision",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
