"""SIGKILL at seeded random moments of runs with real child processes: nothing finished is lost or paid twice."""

import json
import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
import time

import psutil
import pytest

KILLS = 200
SEED = 20261201
CASES, REPEATS = 30, 2
WHOLE = CASES * 2 * REPEATS
PROGRAM = """#!/bin/sh
read line
printf '%s %s\\n' "$line" "${ASSAY_ITEM:-none}" >> LOG
sleep 0.02 &
sleep 0.02
cat "$ASSAY_ITEM/SKILL.md" 2>/dev/null
echo "$line"
wait
"""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs SIGKILL and process groups"),
]


@pytest.fixture
def counted(project):
    project.skill("polite", "Say please.")
    for number in range(CASES):
        project.write(f"evals/polite/c{number:02}/prompt.md", f"Ask {number}\n")
        pattern = "please" if number % 3 else f"Ask {number}"
        project.write(
            f"evals/polite/c{number:02}/graders/g.md", f"---\ntype: regex\npattern: {pattern}\n---\n"
        )
    program = project.write("agent", PROGRAM.replace("LOG", f"'{project.root / 'log'}'"))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return project


def command(project, *arguments):
    harness = f"command:{project.root / 'agent'}"
    return [sys.executable, "-m", "assay", "run", "polite", "--harness", harness, "--json", *arguments]


def stored(project):
    """Finished trials of the newest run, or none where no store is there yet."""
    path = project.root / ".assay/trials.sqlite"
    if not path.is_file():
        return set()
    with sqlite3.connect(path, timeout=30) as db:
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        rows = db.execute("SELECT case_id, arm, repeat FROM trials").fetchall() if tables else []
    db.close()
    assert len(rows) == len(set(rows))
    return set(rows)


def started(project):
    log = project.root / "log"
    return log.read_text("utf-8").splitlines() if log.exists() else []


def children_of_runs(project):
    """Processes of killed runs that still live: those that stand in our program."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        line = " ".join(process.info["cmdline"] or [])
        if str(project.root / "agent") in line and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found


def verdict(result):
    result["evidence"].pop("settle", None)
    gone = ("run", "date", "cost_usd")
    return {key: value for key, value in result.items() if key not in gone}


DRIVER = """
import os, sys
from pathlib import Path
from assay.engine.budget import Budget
from assay.engine.grading import Grading
from assay.engine.plan import Plan
from assay.engine.retry import Retry
from assay.engine.session import Reuse, Session
from assay.engine.stop import StopFlag
from assay.graders import Bench
from assay.harnesses.command import CommandHarness
from assay.model import WITH, WITHOUT, Case, GraderSpec, Item, Location
from assay.store.trials import Run, TrialStore

root, cases, repeats = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
item = Item("skill", "polite", root / "skills/polite", "sha256:1", "Say please.")
check = {"pattern": "please", "flags": "", "match": "contains", "target": "last_message"}
specs = (GraderSpec("g", "regex", config=check),)
tasks = tuple(Case(f"c{n:02}", f"c{n:02}", f"Ask {n}", specs, Location("c")) for n in range(cases))
arms = {WITH: lambda _: item, WITHOUT: lambda _: None}
harness, stop, retry = CommandHarness((str(root / "agent"),), dict(os.environ)), StopFlag(), Retry()
store = TrialStore(root / ".assay/trials.sqlite")
if store.run("r") is None:
    store.begin(Run("r", "ablation", "polite", "2026-12-01T00:00:00Z", harness.stamp, None, 0))
session = Session(
    "r", harness=harness, grading=Grading(Bench(), tuple(arms), retry, stop), journal=store,
    budget=Budget(None), retry=retry, stop=stop, reuse=Reuse(resume=True),
)
finish = session.execute(Plan(tasks, arms, repeats, None), 8, lambda _: None)
sys.exit(0 if finish.partial_reason is None else 1)
"""


def test_200_kills_lose_nothing_that_had_finished(counted):
    """The engine alone, started and killed over and over; once a run is done the next one begins."""
    project = counted

    def command_of(_before):
        return [sys.executable, "-c", DRIVER, str(project.root), str(CASES), str(REPEATS)]

    def check(_out):
        with sqlite3.connect(project.root / ".assay/trials.sqlite") as db:
            rows = db.execute("SELECT arm, outcome, passed, scored, count(*) FROM trials GROUP BY 1, 2, 3, 4")
            found = sorted(rows)
        db.close()
        half = WHOLE // 2
        assert found == [("with", "scored", 1.0, 1.0, half), ("without", "scored", 0.0, 1.0, half)]

    storm(project, KILLS, command_of, check)


def test_kills_of_the_command_line_leave_the_verdict_as_it_was(counted):
    project = counted
    first = command(project, "--runs", str(REPEATS), "-j", "8")
    done = subprocess.run(first, cwd=project.root, capture_output=True, check=True)
    whole = json.loads(done.stdout)

    def command_of(before):
        return command(project, *(["--resume"] if before else ["--runs", str(REPEATS)]), "-j", "8")

    def check(out):
        assert json.loads(out)["partial"] is False
        assert same(json.loads(out), whole)

    storm(project, 8, command_of, check)


def storm(project, kills, command_of, check):
    """Kill runs at seeded moments and let them go on, until `kills` were made and the last one is done."""
    chance, made = random.Random(SEED), 0
    while made < kills:
        (project.root / "log").unlink(missing_ok=True)
        for name in ("", "-wal", "-shm"):
            (project.root / f".assay/trials.sqlite{name}").unlink(missing_ok=True)
        at_work = 0
        while True:
            before = stored(project)
            process = subprocess.Popen(
                command_of(before), cwd=project.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            if made >= kills or not _killed(process, project, chance):
                break
            made, at_work = made + 1, at_work + 8
            process.communicate()
            assert before <= stored(project)  # what was finished is there
        out, err = process.communicate()
        assert process.returncode == 0, err.decode()
        check(out)
        assert len(stored(project)) == WHOLE
        assert WHOLE <= len(started(project)) <= WHOLE + at_work  # only what was at work is run again
    gone_by = time.monotonic() + 20
    while children_of_runs(project) and time.monotonic() < gone_by:
        time.sleep(0.05)
    assert children_of_runs(project) == []


def same(one, other):
    def rounded(value):
        text = json.dumps(verdict(dict(value)), sort_keys=True)
        return json.loads(text, parse_float=lambda number: round(float(number), 9))

    return rounded(one) == rounded(other)


def _killed(process, project, chance):
    """Kill a run after a random number of further trials, at a random moment then; False: it had ended."""
    target = len(started(project)) + chance.randrange(0, 12)
    while process.poll() is None and len(started(project)) < target:
        time.sleep(0.002)
    time.sleep(chance.uniform(0, 0.03))
    if process.poll() is not None:
        return False
    process.send_signal(signal.SIGKILL)
    return True
