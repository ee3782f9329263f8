"""The trial store on a real SQLite file."""

import sqlite3
from dataclasses import replace

import pytest

from assay.errors import StoreError
from assay.model import FileMade, Grade, Record, ToolCall, Transcript, Usage
from assay.store.migrations import STEPS
from assay.store.rows import pack, trial_row
from assay.store.trials import Run, TrialStore

KEY = "sha256:" + "ab" * 32
RUN = Run("eval-x-1", "ablation", "x", "2026-11-30T10:00:00Z", "scripted@1", "m", 2, info={"arms": ["with"]})
RECORD = Record(
    run=RUN.id,
    key=KEY,
    case="a/b",
    arm="with",
    repeat=1,
    outcome="scored",
    passed_weight=1.0,
    scored_weight=2.0,
    grades=(Grade("g", "regex", True), Grade("h", "llm", False, votes=(True, False), cost_usd=0.01)),
    usage=Usage(10, 5, cost_usd=0.5),
    duration_s=0.25,
)
TRANSCRIPT = Transcript(
    "out " * 400,
    tool_calls=(ToolCall("Read", {"file": "a"}, id="1"),),
    files=(FileMade("a.txt", 3, "d", "abc"),),
    trace=('{"type": "init"}',),
)


@pytest.fixture
def store(tmp_path):
    store = TrialStore(tmp_path / ".assay" / "trials.sqlite")
    yield store
    store.close()


def test_what_is_written_is_read_back_equal_by_another_connection(store):
    store.begin(RUN)
    store.write([(RECORD, TRANSCRIPT)])
    other = TrialStore(store.path, read_only=True)
    [record] = other.records(RUN.id)
    assert replace(record, transcript=None) == RECORD
    assert other.transcript(record.transcript) == TRANSCRIPT
    assert other.run(RUN.id) == RUN
    other.close()


def test_a_taken_run_id_gets_a_number(store):
    assert [store.begin(RUN).id, store.begin(RUN).id] == ["eval-x-1", "eval-x-1-2"]


def test_a_paid_trial_is_known_by_its_key_and_an_error_is_not(store):
    store.begin(RUN)
    store.write(
        [(RECORD, TRANSCRIPT), (replace(RECORD, key="sha256:" + "cd" * 32, repeat=2, outcome="error"), None)]
    )
    assert store.known(KEY).usage == RECORD.usage
    assert store.known("sha256:" + "cd" * 32) is None
    assert store.known("sha256:" + "ef" * 32) is None


def test_typical_cost_counts_paid_trials_with_their_judges(store):
    assert store.typical_cost("scripted@1", "m") is None
    store.begin(RUN)
    store.write([(replace(RECORD, judge_cost_usd=0.1), None), (replace(RECORD, repeat=2, cached=True), None)])
    assert store.typical_cost("scripted@1", "m") == pytest.approx(0.6)


def test_a_newer_store_is_refused_with_what_to_do(tmp_path):
    path = tmp_path / "s.sqlite"
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    with pytest.raises(StoreError, match=r"newer assay.*upgrade"):
        TrialStore(path)


def test_a_file_that_is_no_store_is_named(tmp_path):
    path = tmp_path / "s.sqlite"
    path.write_text("hello, this is not a database, it is text\n" * 50)
    with pytest.raises(StoreError, match=r"s\.sqlite.*move it away"):
        TrialStore(path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file/store"):
        TrialStore(tmp_path / "file" / "store" / "s.sqlite")


def test_a_store_of_every_older_schema_is_brought_up_to_date(tmp_path):
    path = tmp_path / "old.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(STEPS[0] + "PRAGMA user_version = 1;")
        db.execute(
            "INSERT INTO runs VALUES ('eval-x-1', 'ablation', 'x', '2026-11-30T10:00:00Z', 'scripted@1', 'm',"
            " 2, 'done', NULL, '{\"arms\": [\"with\"]}', NULL)"
        )
        digest, body = pack(TRANSCRIPT)
        row = trial_row(RECORD, digest)
        db.execute(f"INSERT INTO trials VALUES ('eval-x-1', {', '.join('?' * 13)})", row)
        db.execute("INSERT INTO transcripts VALUES (?, ?)", (bytes.fromhex(digest), body))
    db.close()
    store = TrialStore(path)
    assert store.run("eval-x-1") == replace(RUN, state="done")
    [record] = store.records("eval-x-1")
    assert replace(record, transcript=None) == RECORD
    assert store.known(KEY) == record
    assert store.transcript(record.transcript) == TRANSCRIPT
    store.close()


def test_a_migration_that_fails_leaves_the_old_store_as_it_was(tmp_path):
    path = tmp_path / "odd.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript("CREATE TABLE runs (id TEXT); PRAGMA user_version = 1;")
    with pytest.raises(StoreError):
        TrialStore(path)
    assert sqlite3.connect(path).execute("SELECT name FROM sqlite_master").fetchall() == [("runs",)]


def test_processes_that_make_one_store_at_once_wait_for_each_other(tmp_path):
    import subprocess
    import sys

    code = "import sys, pathlib; from assay.store.trials import TrialStore; TrialStore(pathlib.Path(sys.argv[1])).close()"
    command = [sys.executable, "-c", code, str(tmp_path / "new/trials.sqlite")]
    started = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(5)]
    assert [process.communicate()[1].decode() for process in started] == [""] * 5
