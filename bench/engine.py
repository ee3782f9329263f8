"""What the engine itself costs: whole processes against bare floors that do the same work, in one run.

    python bench/engine.py            # instant cases, waits, commands, stored runs, gate, help
    python bench/engine.py --all      # 100,000 instant cases as well

CPU seconds are of the process and its children, wall seconds of the whole; memory is the peak of the process.
A case of the instant workload is one trial here: half as many entries in one evals.json, on two arms.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

FLOOR_INSTANT = """
import json, os, re, sys
cases = json.load(open(sys.argv[1]))["evals"]
with open(sys.argv[2], "w") as out:
    for case in cases:
        for arm in ("with", "without"):
            said = case["prompt"]
            passed = all(re.search(re.escape(check["value"]), said) for check in case["assertions"])
            out.write(json.dumps({"id": case["id"], "arm": arm, "output": said, "passed": passed}) + "\\n")
    out.flush()
    os.fsync(out.fileno())
"""
FLOOR_WAIT = """
import sys, threading, time
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(int(sys.argv[2])) as pool:
    list(pool.map(lambda _: time.sleep(0.05), range(int(sys.argv[1]))))
"""
FLOOR_COMMAND = """
import subprocess, sys
from concurrent.futures import ThreadPoolExecutor
def one(_):
    return subprocess.run(["/bin/echo", "hello"], capture_output=True, input=b"x", check=True).stdout
with ThreadPoolExecutor(int(sys.argv[2])) as pool:
    list(pool.map(one, range(int(sys.argv[1]))))
"""


@dataclass(frozen=True)
class Cost:
    """Of one whole process."""

    cpu_s: float
    wall_s: float
    peak_mb: float


def cost_of(argv: list[str], cwd: Path, *, code: int | None = 0) -> Cost:
    """Run a process and take its own account of CPU and memory, children included."""
    read, write = os.pipe()
    started = time.perf_counter()
    pid = os.fork()
    if pid == 0:  # a process between, so that only this command's children are counted
        os.close(read)
        done = subprocess.run(argv, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        told = [done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss, done.stderr[-2000:].decode()]
        os.write(write, json.dumps(told).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        status, cpu_s, peak, said = json.loads(pipe.read())
    os.waitpid(pid, 0)
    if code is not None and status != code:
        raise SystemExit(f"{argv} ended with {status}: {said}")
    return Cost(cpu_s, time.perf_counter() - started, peak / 1024)


def best(
    argv: list[str], cwd: Path, times: int = 3, *, clean: tuple[str, ...] = (), code: int | None = 0
) -> Cost:
    """The cheapest of some runs, each from the same state."""
    costs = []
    for _ in range(times):
        for name in clean:
            for path in cwd.glob(name):
                path.unlink()
        costs.append(cost_of(argv, cwd, code=code))
    return min(costs, key=lambda cost: cost.cpu_s)


def make_project(root: Path, cases: int) -> None:
    """A skill and one file with so many cases, each graded by one text check."""
    (root / "skills/x").mkdir(parents=True)
    (root / "skills/x/SKILL.md").write_text("---\nname: x\ndescription: d\n---\nDo x.\n", "utf-8")
    (root / "evals/x").mkdir(parents=True)
    rows = [
        {"id": n, "prompt": f"say number {n}", "assertions": [{"type": "contains", "value": str(n)}]}
        for n in range(cases)
    ]
    (root / "evals/x/evals.json").write_text(json.dumps({"skill_name": "x", "evals": rows}), "utf-8")


def assay(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "assay", *arguments]


def row(name: str, ours: Cost, floor: Cost | None, target: str, *, of: str = "cpu_s") -> None:
    ratio = f"{getattr(ours, of) / getattr(floor, of):5.1f}×" if floor else "      "
    base = f"{getattr(floor, of):6.2f} s" if floor else "        "
    print(
        f"{name:44} cpu {ours.cpu_s:6.2f} s  wall {ours.wall_s:6.2f} s  {ours.peak_mb:5.0f} MB"
        f"  floor {base}  {ratio}  target {target}",
        flush=True,
    )


STORE = (".assay/*",)


def instant(trials: int, target: str, times: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_project(root, trials // 2)
        run = assay("run", "x", "--harness", "scripted", "--runs", "1", "--out", "r.json", "--quiet")
        ours = best(run, root, times, clean=STORE)
        floor = best([sys.executable, "-c", FLOOR_INSTANT, "evals/x/evals.json", "out.jsonl"], root, times)
        row(f"{trials:,} instant trials", ours, floor, target)
        warm = best(run, root, times)
        row(f"{trials:,} the same, all from the store", warm, None, "-")
        if trials >= 10_000:
            row(
                f"{trials:,} trials: show the stored run",
                best(assay("show", "latest"), root, times),
                None,
                "-",
            )
            gate = assay("gate", "x", "r.json")
            row(
                f"{trials:,} trials: gate on the result file",
                best(gate, root, times, code=None),
                None,
                "1.5 s cpu",
            )


def waiting(count: int, jobs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_project(root, count // 2)
        (root / "rules.yaml").write_text("- {seconds: 0.05}\n", "utf-8")
        run = assay("run", "x", "--harness", "scripted:rules.yaml", "--runs", "1", "-j", str(jobs), "--quiet")
        ours = best(run, root, clean=STORE)
        floor = best([sys.executable, "-c", FLOOR_WAIT, str(count), str(jobs)], root)
        row(f"{count:,} trials of 50 ms, {jobs} at once", ours, floor, "1.15 × ideal + start", of="wall_s")


def commands(count: int, jobs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_project(root, count // 2)
        run = assay(
            "run", "x", "--harness", "command:/bin/echo hello", "--runs", "1", "-j", str(jobs), "--quiet"
        )
        ours = best(run, root, clean=STORE)
        floor = best([sys.executable, "-c", FLOOR_COMMAND, str(count), str(jobs)], root)
        row(f"{count:,} commands, {jobs} at once", ours, floor, "1.3 × floor, wall", of="wall_s")


def small() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        floor = best([sys.executable, "-c", "pass"], root)
        row("--help", best(assay("--help"), root), floor, "0.15 s cpu")
        make_project(root, 20)
        run = assay("run", "x", "--harness", "scripted", "--out", "r.json", "--quiet")
        best(run, root, 1)
        row(
            "gate on the result of 20 cases",
            best(assay("gate", "x", "r.json"), root, code=None),
            None,
            "1.5 s cpu",
        )


def main() -> int:
    small()
    instant(1_000, "0.45 s cpu, 70 MB", 3)
    instant(10_000, "1.5 s cpu, 110 MB", 3)
    if "--all" in sys.argv[1:]:
        instant(100_000, "linear, 250 MB", 1)
    waiting(1_000, 64)
    commands(1_000, 16)
    return 0


if __name__ == "__main__":
    sys.exit(main())
