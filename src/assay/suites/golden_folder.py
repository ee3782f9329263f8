"""Which folders hold golden tasks: asked by every run, so it imports nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_NOT_SUITES = frozenset({"node_modules", "results", "mocks"})


def is_suite(folder: Path) -> bool:
    """Whether a folder holds golden tasks."""
    return (
        not folder.name.startswith(".")
        and folder.name not in _NOT_SUITES
        and any(path.is_file() for path in folder.glob("G-*.md"))
    )
