"""The table of formats that a finished run can be written in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, TypeAlias

from assay.named import named

if TYPE_CHECKING:
    from assay.report.html import Material
    from assay.report.summary import Summary

Render: TypeAlias = "Callable[[Summary], str | bytes]"

FORMATS = {
    "csv": "assay.report.tables:csv_table",
    "json": "assay.report.formats:as_json",
    "junit": "assay.report.junit:junit",
    "markdown": "assay.report.markdown:markdown",
    "parquet": "assay.report.tables:parquet_table",
    "tap": "assay.report.tap:tap",
}
"""Name → dotted path of a function from a Summary to text or bytes; others by entry points."""
HTML = "html"
"""The one format that shows transcripts as well."""
NAMES = tuple(sorted([HTML, *FORMATS]))


def render(name: str, summary: Summary, material: Material | None = None) -> str | bytes:
    """The summary in the format of that name; `material` is what the page shows beside it.

    Raises UsageError for no such format, CannotRun for a missing extra.
    """
    if name == HTML:
        from assay.report.html import html

        return html(summary, material)
    function: Render = named("format", name, FORMATS, "assay.reports")
    return function(summary)


def as_json(summary: Summary) -> str:
    """The view model itself, for tools of one's own."""
    import json

    return json.dumps(asdict(summary), indent=2, ensure_ascii=False, default=sorted) + "\n"
