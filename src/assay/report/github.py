"""GitHub workflow commands: an annotation on the file of each case that failed or has no score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.junit import headline
from assay.report.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.model import Location
    from assay.report.summary import Summary


def annotate(summary: Summary, places: Mapping[str, Location]) -> str:
    """One `::error` or `::warning` line a case; `places` says which file and line a case stands in."""
    lines = []
    for case in summary.cases:
        if case.status == "passed":
            continue
        word = "warning" if case.status == "error" else "error"
        place = places.get(case.id)
        where = f" file={_value(place.path)},line={place.line or 1}," if place else " "
        lines.append(f"::{word}{where}title={_value(f'assay: {case.id}')}::{_data(headline(summary, case))}")
    return "\n".join(lines) + ("\n" if lines else "")


def _data(text: str) -> str:
    return one_line(text).replace("%", "%25")


def _value(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
