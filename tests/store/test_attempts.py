"""Every result that is judged against a record counts once, wherever it was written down."""

from dataclasses import replace
from pathlib import Path

import pytest

from assay.store.attempts import Attempt, Attempts, remember
from assay.store.rows import Run
from assay.store.trials import TrialStore

FIRST = Attempt("commit", "haiku", "best-1", "run-1", accepted=False, by_luck=0.4)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    TrialStore(tmp_path / "t.sqlite").close()
    return tmp_path / "t.sqlite"


def test_attempts_add_up_and_a_run_judged_again_counts_once(store: Path) -> None:
    assert remember(store, FIRST) == Attempts(1, 0.4)
    assert remember(store, FIRST) == Attempts(1, 0.4)
    second = replace(FIRST, run="run-2", by_luck=0.1)
    assert remember(store, second).by_luck == pytest.approx(0.5)
    assert remember(store, replace(second, by_luck=0.3)) == Attempts(2, 0.7)
    assert remember(store, second) == Attempts(2, 0.7), "the larger chance stays"


def test_another_record_model_or_item_starts_anew(store: Path) -> None:
    remember(store, FIRST)
    for other in (replace(FIRST, best="best-2"), replace(FIRST, model="opus"), replace(FIRST, item="x")):
        assert remember(store, replace(other, run="run-9")).number == 1


def test_what_the_ledger_alone_holds_counts_but_for_other_models(store: Path) -> None:
    trials = TrialStore(store)
    trials.begin(Run("of-opus", "ablation", "commit", "2026-11-30T10:00:00Z", "h", "opus", 1))
    trials.close()
    remember(store, FIRST)
    found = remember(store, replace(FIRST, run="run-2"), ("run-1", "of-opus", "elsewhere"))
    assert found == Attempts(3, 0.8, unknown=1)


def test_without_a_store_the_ledger_counts(tmp_path: Path) -> None:
    damaged = tmp_path / "broken.sqlite"
    damaged.write_text("no store at all, and long enough to be looked at" * 40, "utf-8")
    for path in (None, tmp_path / "none.sqlite", damaged):
        assert remember(path, FIRST, ("run-0",)) == Attempts(2, 0.4, unknown=1)
    assert not (tmp_path / "none.sqlite").exists()
