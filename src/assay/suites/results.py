"""Results that other tools wrote: the platform's aggregate-result.json, benchmark.json, grading.json and kin.

They are read for `assay show`; what `assay gate` takes of them is in `assay.foreign`.
"""

from __future__ import annotations

from pathlib import Path

from assay.errors import Problem, SuiteError
from assay.suites.foreign_result import ForeignResult
from assay.suites.json_file import read_json
from assay.suites.recognise import recognise
from assay.suites.result_shapes import READERS


def read_result(path: Path, shown: str | None = None) -> ForeignResult:
    """Read a result of another tool. Raises SuiteError where the file is none, saying what it is."""
    file = read_json(path, shown)
    found = recognise(file.value)
    reader = READERS.get(found.kind)
    if reader is None:
        what = found.reason or f"it holds {found.kind}"
        raise SuiteError([Problem(file.shown, None, f"not a result: {what}")])
    try:
        result = reader(file.value, path)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        message = f"looks like a result ({found.kind}), but does not hold what one holds: {error!r}"
        raise SuiteError([Problem(file.shown, None, message)]) from error
    if not any(runs for case in result.cases for runs in case.arms.values()):
        raise SuiteError([Problem(file.shown, None, f"a result ({found.kind}) without any run")])
    return result
