"""Files that look like part of a suite and are never read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from assay.suites.findings import Finding, finding
from assay.suites.walk import DEFINITIONS, NEVER_ENTERED, CaseFolder, join

_LOOKALIKES = frozenset({"prompt.md", "case.yaml", "case.yml", "prompt.markdown", "prompt.txt"})
_DEEPEST = 4
"""How far below a case nested cases are looked for."""


def lint_group(path: str, shown: str, entries: frozenset[str]) -> Iterator[Finding]:
    """A folder that is no case: names that would make it one, were they spelled right."""
    for name in sorted(entries):
        if name.casefold() in _LOOKALIKES and name not in DEFINITIONS:
            wanted = "case.yaml" if name.casefold().startswith("case") else "prompt.md"
            message = f"{name} does not make a case: only {wanted}, so spelled, does"
            yield finding("L21", join(shown, name), None, message, mend=f"rename it to {wanted}")


def lint_case_tree(folder: CaseFolder, shown: str) -> Iterator[Finding]:
    """A case's folder: spellings that are not read, grader files that are not, cases inside the case."""
    for name in sorted(folder.entries):
        if name.casefold() in _LOOKALIKES and name not in DEFINITIONS:
            wanted = "case.yaml" if name.casefold().startswith("case") else "prompt.md"
            message = f"{name} is not read: only {wanted}, so spelled, is"
            yield finding(
                "L21", join(shown, name), None, message, mend=f"rename it to {wanted}, or delete it"
            )
    yield from _graders(Path(folder.path) / "graders", join(shown, "graders"))
    yield from _nested(folder.path, shown, _DEEPEST)


def _graders(folder: Path, shown: str) -> Iterator[Finding]:
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        place = join(shown, path.name)
        if path.is_dir():
            if any(path.glob("*.md")):
                message = "graders in a folder of graders/ are not read"
                yield finding("L21", place, None, message, mend="move them up into graders/")
        elif path.suffix.casefold() in (".yaml", ".yml", ".md", ".markdown") and not path.name.endswith(
            ".md"
        ):
            message = f"{path.name} is not read: a grader is a file NAME.md, with a frontmatter"
            yield finding("L21", place, None, message, mend="make it a .md file with a frontmatter")


def _nested(path: str, shown: str, depth: int) -> Iterator[Finding]:
    try:
        with os.scandir(path) as found:
            folders = sorted(
                (entry.name, entry.path) for entry in found if entry.is_dir(follow_symlinks=False)
            )
    except OSError:
        return
    for name, below in folders:
        if name in NEVER_ENTERED or name == "graders":
            continue
        place = join(shown, name)
        inside = next((word for word in sorted(DEFINITIONS) if (Path(below) / word).is_file()), None)
        if inside:
            message = "a case inside a case is never seen: the search stops at the outer one"
            yield finding("L21", join(place, inside), None, message, mend="move it beside the outer case")
        elif depth > 1:
            yield from _nested(below, place, depth - 1)
