"""What a page of a run shows beside its summary: transcripts, inputs as they still stand, earlier runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.report.history import history
from assay.report.html import Material

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from assay.model import Case, Suite
    from assay.store.rows import Run
    from assay.store.trials import TrialStore


def material_of(trials: TrialStore, run: Run, project: Path) -> Material:
    """What the store and the project have on a run; the store has to stay open while it is used."""
    return Material(trials.transcript, sources_of(run, project), history(run, trials.runs()))


def sources_of(run: Run, project: Path) -> dict[str, Case]:
    """The cases by the names that records give them; none of a suite that is not what was run any more."""
    try:
        return {case.id: case for suite in _suites(run, project) for case in suite.cases}
    except AssayError:
        return {}


def _suites(run: Run, project: Path) -> Iterator[Suite]:
    evals = project / "evals"
    if run.kind == "ablation":
        from assay.suites import load_suite

        if (evals / run.name).is_dir():
            suite = load_suite(evals / run.name, name=run.name)
            if suite.digest == run.info.get("suite_digest"):
                yield suite
    elif run.kind == "golden" and evals.is_dir():
        from assay.suites.golden import load_golden
        from assay.verdict.golden_eval import case_key

        digests = run.info.get("suites", {})
        for suite in load_golden(evals):
            if suite.digest == digests.get(suite.name):
                cases = tuple(replace(case, id=case_key(suite.name, case.id)) for case in suite.cases)
                yield replace(suite, cases=cases)
