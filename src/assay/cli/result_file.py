"""A result in a file, assay's own or another tool's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.model import JSON


def result_file(path: Path) -> tuple[JSON, str]:
    """The document in a file and its report. Raises SuiteError or Unusable where it is no result."""
    from assay.suites.json_file import read_json

    document = read_json(path).value
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema == "skill-eval/1":
        from assay.report.ablation_text import ablation_text
        from assay.schemas.skill_eval import from_document

        return document, ablation_text(from_document(document, path.as_posix()))
    if isinstance(schema, str):
        return document, json.dumps(document, indent=2, ensure_ascii=False)
    from assay.report.foreign_text import foreign_text
    from assay.suites.results import read_result

    return document, foreign_text(read_result(path))
