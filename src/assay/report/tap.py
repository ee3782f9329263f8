"""TAP 14, for the many tools that read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.junit import headline
from assay.report.printable import one_line

if TYPE_CHECKING:
    from assay.report.summary import Summary


def tap(summary: Summary) -> str:
    """One test point a case; what went wrong stands in its comment."""
    lines = ["TAP version 14", f"1..{len(summary.cases)}"]
    for number, case in enumerate(summary.cases, 1):
        word = "ok" if case.status == "passed" else "not ok"
        lines.append(f"{word} {number} - {one_line(case.id).replace('#', chr(92) + '#')}")
        if case.status != "passed":
            lines.append(f"# {case.status}: {one_line(headline(summary, case))}")
    return "\n".join(lines) + "\n"
