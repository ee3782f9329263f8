"""Results on disk are read back as they were written, or refused with their file's name."""

from dataclasses import replace
from pathlib import Path

import pytest

from assay.errors import Unusable
from assay.schemas.skill_eval import CaseScores, SkillEval
from assay.store.results import read_skill_eval, write_skill_eval

RESULT = SkillEval(
    item="commit",
    run="eval-commit-20261009T084444Z",
    date="2026-10-09",
    model="haiku",
    with_score=0.5,
    without_score=None,
    trigger_rate=None,
    cases=(CaseScores("größe", None, None, trials={}, triggers=None),),
    cost_usd=None,
    max_cost_usd=2.0,
    partial=True,
    partial_reason="errors",
)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    write_skill_eval(tmp_path / "r.json", RESULT)
    assert read_skill_eval(tmp_path / "r.json").with_score == 0.5
    assert read_skill_eval(tmp_path / "r.json").cases[0].name == "größe"


def test_a_result_that_breaks_its_schema_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="max_cost_usd"):
        write_skill_eval(tmp_path / "r.json", replace(RESULT, max_cost_usd=0))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot be read: No such file"),
        (b"\xff\xfe{", "is not UTF-8 text"),
        (b"{}", "is not a skill-eval/1"),
    ],
)
def test_a_file_that_is_no_result_is_named(tmp_path: Path, content: bytes | None, told: str) -> None:
    path = tmp_path / "r.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(Unusable, match=rf"r\.json.* {told}"):
        read_skill_eval(path)
