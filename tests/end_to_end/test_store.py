"""`assay store`, and stores that fail: nothing is lost, everything is told."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from assay.store.migrations import STEPS

STORE = ".assay/trials.sqlite"


@pytest.fixture
def polite(project):
    """Six cases, three with a score, on a price of a cent."""
    project.skill("polite", "Say please.")
    for number in range(6):
        project.write(f"evals/polite/c{number}/prompt.md", f"Ask {number}\n")
        project.write(f"evals/polite/c{number}/graders/g.md", "---\ntype: regex\npattern: please\n---\n")
    project.rules(
        "{item_contains: please, case: 'c[0-3]', say: ['please', 'no', 'please'], cost_usd: 0.01}",
        "{say: 'no', cost_usd: 0.01}",
    )
    return project


def measure(project, *arguments):
    done = project.run("polite", "--json", *arguments)
    assert done.code == 0, done.err
    return json.loads(done.out)


def verdict(result):
    """What of a result does not depend on when and where it was measured."""
    return {key: value for key, value in result.items() if key not in ("run", "date", "cost_usd")}


def same(one, other):
    def rounded(value):
        text = json.dumps(value, sort_keys=True)
        return json.loads(text, parse_float=lambda number: round(float(number), 9))

    return rounded(one) == rounded(other)


def test_shards_merged_give_the_verdict_of_one_run_at_no_cost(polite):
    whole = measure(polite, "--store", str(polite.root / "whole.sqlite"))
    for number in (1, 2, 3):
        shard = measure(polite, "--shard", f"{number}/3", "--store", str(polite.root / f"{number}.sqlite"))
        assert len(shard["cases"]) == 2
    files = [str(polite.root / f"{number}.sqlite") for number in (1, 2, 3)]
    taken = json.loads(polite.assay("store", "import", *files, "--json").out)
    assert [(row["runs"], row["trials"]) for row in taken] == [(1, 12)] * 3
    again = json.loads(polite.assay("store", "import", *files, "--json").out)
    assert [(row["runs"], row["trials"]) for row in again] == [(0, 0)] * 3
    merged = measure(polite)
    assert merged["cost_usd"] == 0
    for result in (merged, whole):
        result["evidence"].pop("settle", None)  # in minutes, which the clock has its part in
    assert same(verdict(merged), verdict(whole))


def test_what_is_exported_is_a_store_with_everything_in_it(polite):
    run = measure(polite)["run"]
    measure(polite, "--fresh", "--runs", "1")
    done = json.loads(
        polite.assay("store", "export", str(polite.root / "out.sqlite"), "--run", run, "--json").out
    )
    assert done == {"runs": 1, "trials": 36}
    checked = polite.assay("store", "check", "--store", str(polite.root / "out.sqlite"))
    assert (checked.code, checked.out) == (0, "sound\n")
    again = polite.assay("store", "export", str(polite.root / "out.sqlite"))
    assert (again.code, "is there already" in again.err) == (3, True)


def test_info_counts_trials_and_money(polite):
    measure(polite)
    measure(polite)
    found = json.loads(polite.assay("store", "info", "--json").out)
    assert (found["runs"], found["trials"], found["cached"], found["schema"]) == (2, 72, 36, len(STEPS))
    assert (found["paid_usd"], found["saved_usd"]) == (pytest.approx(0.36), pytest.approx(0.36))
    assert "72 trials: 72 scored, 0 errors; 36 from the store" in polite.assay("store", "info").out


def test_gc_removes_what_no_trial_names_and_old_runs_where_asked(polite):
    measure(polite)
    with sqlite3.connect(polite.root / STORE) as db:
        db.execute("INSERT INTO transcripts (digest, body) VALUES (?, ?)", (b"x" * 32, b"j{}"))
        db.execute("UPDATE runs SET started = '2020-01-01T00:00:00Z'")
    db.close()
    dry = polite.assay("store", "gc", "--dry-run").out
    assert dry.startswith("would remove 0 runs, 0 trials and 1 transcripts")
    assert json.loads(polite.assay("store", "gc", "--json").out)["transcripts"] == 1
    gone = json.loads(polite.assay("store", "gc", "--older-than", "30", "--json").out)
    assert (gone["runs"], gone["trials"]) == (1, 36)
    assert json.loads(polite.assay("store", "info", "--json").out)["transcripts"] == 0
    assert measure(polite)["cost_usd"] == pytest.approx(0.36)


def test_check_finds_damage(polite):
    measure(polite)
    with sqlite3.connect(polite.root / STORE) as db:
        db.execute("UPDATE transcripts SET body = x'7A00' WHERE number = 1")
        db.execute("DELETE FROM transcripts WHERE number = 2")
    db.close()
    done = polite.assay("store", "check")
    assert done.code == 1
    assert "is damaged" in done.out
    assert "whose transcript is not kept: they would be run again" in done.out


# --- stores that cannot be used ---


def damaged(path):
    """A page in the middle of the file, overwritten."""
    data = bytearray(path.read_bytes())
    for start in range(4096, len(data), 4096):
        data[start : start + 64] = b"\xff" * 64
    path.write_bytes(data)


def newer(path):
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    db.close()


def no_store(path):
    path.write_text("this is a text and no database\n" * 200)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [(damaged, "malformed"), (newer, "newer assay"), (no_store, "not a database")],
    ids=["damaged", "newer", "no store"],
)
def test_a_store_that_cannot_be_used_is_told_and_the_result_is_there_all_the_same(polite, spoil, told):
    measure(polite, "--runs", "1")
    spoil(polite.root / STORE)
    out = polite.root / "r.json"
    done = polite.run("polite", "--runs", "1", "--json", "--out", str(out))
    assert done.code == 0
    assert told in done.err
    assert "NOT STORED" in done.err
    assert "Traceback" not in done.err
    assert json.loads(done.out) == json.loads(out.read_text("utf-8"))
    assert json.loads(done.out)["with"] == pytest.approx(4 / 6)


def test_a_read_only_folder_is_told_and_the_result_is_there(polite):
    if os.geteuid() == 0:
        (polite.root / "file").write_text("")
        store = polite.root / "file" / "trials.sqlite"  # for root every folder is writable, but not this
    else:
        store = polite.root / "ro" / "trials.sqlite"
        store.parent.mkdir()
        store.parent.chmod(0o500)
    done = polite.run("polite", "--runs", "1", "--json", "--store", str(store))
    assert done.code == 0
    assert "NOT STORED" in done.err
    assert json.loads(done.out)["with"] == pytest.approx(4 / 6)


FULL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from assay.cli import main
main(sys.argv[1:])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files")
def test_a_disk_that_fills_up_loses_no_result(polite):
    """The size of files is limited, so that the store's writes fail in the middle of the run."""
    polite.rules("{say: '" + "please " * 2000 + "{input}', cost_usd: 0.01}")
    command = [
        sys.executable,
        "-c",
        FULL,
        "run",
        "polite",
        "--harness",
        "scripted:rules.yaml",
        "--runs",
        "40",
    ]
    done = subprocess.run(
        [*command, "--max-cost-usd", "99", "--json"],
        cwd=polite.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "NOT STORED" in done.stderr
    assert json.loads(done.stdout)["with"] == 1
    assert json.loads(done.stdout)["cases"][0]["runs_with"] == 40


def test_two_runs_at_once_lose_nothing(polite):
    command = [sys.executable, "-m", "assay", "run", "polite", "--harness", "scripted:rules.yaml", "--quiet"]
    extra = ["--fresh", "--runs", "20", "--json", "--max-cost-usd", "99"]
    running = [
        subprocess.Popen([*command, *extra], cwd=polite.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    done = [process.communicate() for process in running]
    results = [json.loads(out) for out, _ in done]
    assert results[0]["run"] != results[1]["run"]
    with sqlite3.connect(Path(polite.root) / STORE) as db:
        assert db.execute("SELECT count(*), sum(outcome = 'scored') FROM trials").fetchone() == (480, 480)
    db.close()
    assert polite.assay("store", "check").code == 0


def test_show_gives_the_verdict_alone_or_with_everything(polite):
    run = measure(polite)["run"]
    brief = polite.assay("show", "latest", "--brief").out
    assert brief.startswith(f"{run}: polite: improved: 0.44, without 0.00\ndone, 36 of 36 trials, m, $0.36")
    assert json.loads(polite.assay("show", run, "--brief", "--json").out)["verdict"] == "improved"
    assert "36 of 36 trials: 36 scored; 0 from the store" in polite.assay("show", run).out
    assert polite.assay("show", "nothing", "--brief").code == 2
