"""Where the cases of a run stand in the project, for annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.model import Location

if TYPE_CHECKING:
    from pathlib import Path

    from assay.report.summary import Summary


def places_of(summary: Summary, project: Path) -> dict[str, Location]:
    """Case id → the file that an author would open; a case whose file is gone is left out."""
    found = {}
    for case in summary.cases:
        path = (
            _golden(project, case.id) if summary.kind == "golden" else _case(project, summary.name, case.id)
        )
        if path is not None:
            found[case.id] = Location(path.relative_to(project).as_posix(), 1)
    return found


def _golden(project: Path, case: str) -> Path | None:
    suite, _, task = case.rpartition("/")
    files = sorted((project / "evals" / suite).glob(f"{task}-*.md"))
    return files[0] if files else None


def _case(project: Path, item: str, case: str) -> Path | None:
    folder = project / "evals" / item / case
    return next((folder / name for name in ("prompt.md", "case.yaml") if (folder / name).is_file()), None)
