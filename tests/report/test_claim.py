"""No report says "improved" or "regressed" of a difference unless the exact test does."""

import re
from dataclasses import replace

import numpy as np
import pytest

from assay.model import WITH, WITHOUT, Record
from assay.report.ablation_text import ablation_text
from assay.report.claim import claim
from assay.report.evidence_text import evidence_lines
from assay.report.formats import NAMES, render
from assay.report.gate_text import gate_text
from assay.report.html import Material
from assay.report.summary import summarise
from assay.schemas.skill_eval import CaseScores, SkillEval, from_document
from assay.store.rows import Run
from assay.verdict.evidence_of_result import evidence_of_run
from assay.verdict.gate import decide

FORMATS = [name for name in NAMES if name != "parquet"]
CLAIMS = re.compile(r"(?<![_\w])(improved|regressed)(?![_\w])", re.IGNORECASE)


def measured(now: float, cases: int = 6, runs: int = 3, seed: int = 1) -> tuple[SkillEval, list[Record]]:
    """A run whose trials pass by luck: half the time without the item, `now` of the time with it."""
    rng = np.random.default_rng(seed)
    passes = {WITH: rng.random((cases, runs)) < now, WITHOUT: rng.random((cases, runs)) < 0.5}
    records = [
        Record(
            "r", f"sha256:{case}{arm}{run}", f"c{case}", arm, run + 1, "scored", float(hits[case, run]), 1.0
        )
        for arm, hits in passes.items()
        for case in range(cases)
        for run in range(runs)
    ]
    rows = []
    for case in range(cases):
        trials = {arm: tuple((float(hit), 1.0) for hit in hits[case]) for arm, hits in passes.items()}
        rows.append(
            CaseScores(
                f"c{case}",
                float(passes[WITH][case].mean()),
                float(passes[WITHOUT][case].mean()),
                None,
                runs,
                runs,
                0,
                trials,
            )
        )
    result = SkillEval(
        item="commit",
        run="eval-commit-1",
        date="2026-11-30",
        model="m",
        with_score=float(passes[WITH].mean()),
        without_score=float(passes[WITHOUT].mean()),
        trigger_rate=None,
        cases=tuple(rows),
        cost_usd=0.1,
        max_cost_usd=2.0,
    )
    return replace(result, evidence=evidence_of_run(result, records)), records


def reports(result: SkillEval, records: list[Record]) -> dict[str, str]:
    """What every report says of a run, the page without its own code and styles."""
    document = result.to_document()
    run = Run(
        result.run, "ablation", "commit", "2026-11-30T10:00:00Z", "h", "m", 36, "done", document=document
    )
    summary = summarise(run, records)
    found = {name: render(name, summary, Material() if name == "html" else None) for name in FORMATS}
    texts = {name: text if isinstance(text, str) else text.decode() for name, text in found.items()}
    texts["html"] = re.sub(r"<(script|style)\b.*?</\1>", "", texts["html"], flags=re.DOTALL)
    again = from_document(document)
    return {**texts, "run": ablation_text(again), "gate": gate_text(decide(again, None))}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("now", [0.45, 0.7])
def test_luck_is_called_neither(now: float, seed: int) -> None:
    result, records = measured(now, seed=seed)
    assert result.evidence is not None
    assert result.verdict in ("improved", "regressed", "no-signal"), "the literal word of the document stays"
    if result.evidence["verdict"] in ("improved", "regressed"):
        pytest.skip("luck that the test takes for a change")
    for name, text in reports(result, records).items():
        assert not CLAIMS.search(text), (name, CLAIMS.search(text))


def test_what_the_test_shows_is_called_so() -> None:
    result, records = measured(1.0, cases=8, runs=5)
    assert result.evidence is not None
    assert result.evidence["verdict"] == "improved"
    for name in ("html", "markdown", "junit", "json", "run"):
        assert CLAIMS.search(reports(result, records)[name]), name


def test_without_evidence_only_the_sign_is_told() -> None:
    result, records = measured(0.9)
    for name, text in reports(replace(result, evidence=None), records).items():
        assert not CLAIMS.search(text), name
    assert [claim(word) for word in ("improved", "regressed", "no-signal", None)] == [
        "higher",
        "lower",
        "no-signal",
        "no verdict",
    ]
    assert list(evidence_lines({"verdict": "improved"})) == []
