"""What `assay run --harness claude` costs beside the same sessions of a bare `claude -p`.

    python bench/claude_sessions.py           # 24 sessions, 4 at once
    python bench/claude_sessions.py 100 8     # so many, so many at once

On a scripted model, half of the sessions with a skill that fires. Wall time and CPU time of whole process
trees, the scripted model's apart. The bare sessions are what a shell script would start: one home for all,
nothing read, graded or kept. Each side runs twice, in turn; the better of each counts. Needs Claude Code
(`scripts/install_claude.sh`, or `claude` on the PATH).
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PINNED = ROOT / ".claude-cli/current/node_modules/.bin/claude"
MODEL = "claude-sonnet-5-5"
PROMPT = "Write the message of a commit that renames getUser to fetchUser."
SKILL = "---\nname: commit\ndescription: Writes the message of a commit.\n---\nSay what and why.\n"
GRADER = '---\ntype: regex\npattern: "refactor: "\n---\n'
RULES = """
rules:
  - when: {skill: commit}
    turns:
      - call: {skill: commit}
      - say: "refactor: rename getUser to fetchUser"
  - say: "refactor: rename getUser to fetchUser"
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of one run of all sessions."""

    wall_s: float
    cpu_s: float


def main() -> None:
    sessions, at_once = [int(word) for word in sys.argv[1:3]] + [24, 4][len(sys.argv[1:3]) :]
    program = str(PINNED) if PINNED.exists() else shutil.which("claude")
    if program is None:
        sys.exit("no Claude Code here: run scripts/install_claude.sh")
    with tempfile.TemporaryDirectory() as folder, scripted_model(Path(folder)) as url:
        env = {
            "PATH": f"{Path(program).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
            "HOME": str(Path(folder) / "home"),
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "scripted",
            "DISABLE_TELEMETRY": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        project = make_project(Path(folder) / "project", sessions // 2)
        bare, ours = [], []
        for _ in range(2):
            bare.append(cost_of(lambda: run_bare(program, sessions, at_once, project, env)))
            ours.append(cost_of(lambda: run_assay(project, at_once, env)))
        tell(sessions, at_once, best(bare), best(ours))


@contextmanager
def scripted_model(folder: Path) -> Iterator[str]:
    (folder / "server.yaml").write_text(RULES, "utf-8")
    argv = [sys.executable, "-m", "assay.testing", str(folder / "server.yaml")]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=env) as server:
        assert server.stdout
        yield server.stdout.readline().strip()
        server.terminate()


def make_project(project: Path, cases: int) -> Path:
    (project / "skills/commit").mkdir(parents=True)
    (project / "skills/commit/SKILL.md").write_text(SKILL, "utf-8")
    (project / ".claude-plugin").mkdir()
    (project / ".claude-plugin/plugin.json").write_text('{"name": "bench"}', "utf-8")
    for number in range(cases):
        case = project / f"evals/commit/case-{number:03}"
        (case / "graders").mkdir(parents=True)
        (case / "prompt.md").write_text(f"---\nallowed_tools: [Skill]\n---\n{PROMPT} ({number})\n", "utf-8")
        (case / "graders/subject.md").write_text(GRADER, "utf-8")
    return project


def run_bare(program: str, sessions: int, at_once: int, plugin: Path, env: dict[str, str]) -> None:
    cwd = Path(env["HOME"]) / "work"
    cwd.mkdir(parents=True, exist_ok=True)
    argv = [program, "-p", "--output-format", "stream-json", "--verbose", "--setting-sources", "user"]
    argv += ["--model", MODEL, "--allowed-tools=Skill"]

    def session(number: int) -> None:
        loaded = ["--plugin-dir", str(plugin)] if number % 2 else []
        subprocess.run(
            [*argv, *loaded], input=PROMPT.encode(), cwd=cwd, env=env, capture_output=True, check=True
        )

    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(session, range(sessions)))


def run_assay(project: Path, at_once: int, env: dict[str, str]) -> None:
    argv = [sys.executable, "-m", "assay", "run", "commit", "--harness", "claude", "--runs", "1", "--fresh"]
    argv += ["-j", str(at_once), "--json", "--model", MODEL]
    done = subprocess.run(argv, cwd=project, env=env, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    assert (result["with"], result["without"], result["partial"]) == (1, 1, False)


def cost_of(work: Callable[[], None]) -> Cost:
    """Wall time, and CPU time of all children that ended meanwhile and of their children."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    work()
    wall_s, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(wall_s, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def best(costs: list[Cost]) -> Cost:
    return Cost(min(cost.wall_s for cost in costs), min(cost.cpu_s for cost in costs))


def tell(sessions: int, at_once: int, bare: Cost, ours: Cost) -> None:
    print(f"{sessions} sessions, {at_once} at once     wall s   CPU s   CPU s a session")
    for name, cost in (("claude -p", bare), ("assay run --harness claude", ours)):
        print(f"{name:<28}{cost.wall_s:>8.2f}{cost.cpu_s:>8.2f}{cost.cpu_s / sessions:>18.3f}")
    print(f"{'ratio':<28}{ours.wall_s / bare.wall_s:>8.2f}{ours.cpu_s / bare.cpu_s:>8.2f}")


if __name__ == "__main__":
    main()
