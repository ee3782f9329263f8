"""What it costs to load suites, against a bare walk that only reads and splits the files.

    python bench/loading.py             # 100, 1,000 and 10,000 case folders; 10,000 golden tasks
    python bench/loading.py 100 1000    # these sizes

CPU time of this process, the best of three. Exit code 1 where loading costs more than 5 times the floor, or
where ten times the cases cost more than fifteen times as much.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from assay.suites.golden import load_golden
from assay.suites.plugin_eval import load_cases

AT_MOST = 5.0
LINEAR = 1.5
PROMPT = """---
description: A case of the benchmark
tags: [smoke, bench]
max_turns: 12
allowed_tools: [Read, Glob, Grep, Skill]
---

Write the message of a commit that renames getUser to fetchUser and updates its three call sites.
"""
GRADERS = {
    "format": '---\ntype: regex\npattern: "^(feat|fix|refactor)(\\\\([\\\\w-]+\\\\))?: "\nflags: m\n---\n',
    "polite": "---\ntype: llm\nweight: 2\n---\n\nThe message says what changed and why, in the imperative.\n",
}
TASK = """---
id: G-{number:05}
target: skill:commit
grader: assert
pattern: A
tags: [smoke]
---

## Input

Write the message of a commit that renames getUser to fetchUser.

## Expected

- must contain `fetchUser`
- must not contain "WIP"
- at most 40 words

## Notes

Task {number} of the benchmark.
"""


def make_cases(root: Path, count: int) -> None:
    for number in range(count):
        folder = root / f"group-{number % 50:02}" / f"case-{number:05}"
        (folder / "graders").mkdir(parents=True)
        (folder / "prompt.md").write_text(PROMPT, "utf-8")
        for name, text in GRADERS.items():
            (folder / "graders" / f"{name}.md").write_text(text, "utf-8")


def make_tasks(root: Path, count: int) -> None:
    for number in range(count):
        folder = root / f"suite-{number % 20:02}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"G-{number:05}-bench.md").write_text(TASK.format(number=number), "utf-8")


def walk(root: Path) -> list[tuple[list[str], list[list[str]]]]:
    """The floor: every file read and split into the lines of its frontmatter and of its sections.

    A YAML loader in C on each frontmatter makes it three times as dear, and decides nothing yet.
    """
    parts = []
    for path in root.rglob("*.md"):
        head, _, body = path.read_text("utf-8").removeprefix("---\n").partition("\n---\n")
        parts.append((head.splitlines(), [section.splitlines() for section in body.split("\n## ")]))
    return parts


def cpu_s(work: Callable[[], object]) -> float:
    """CPU seconds of this process for one call, the best of three."""
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def measure(
    name: str, count: int, make: Callable[[Path, int], None], load: Callable[[Path], int]
) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "evals"
        make(root, count)
        assert load(root) == count
        floor, cost = cpu_s(lambda: walk(root)), cpu_s(lambda: load(root))
    print(f"{count:6,} {name:12}  floor {floor:6.3f} s  load {cost:6.3f} s", end="")
    print(f"  {cost / floor:4.1f}×  {cost / count * 1e6:6.0f} µs each")
    return floor, cost


def main() -> int:
    sizes = [int(word) for word in sys.argv[1:]] or [100, 1_000, 10_000]
    is_fine = True
    costs: list[float] = []
    for size in sizes:
        floor, cost = measure("case folders", size, make_cases, lambda root: len(load_cases(root).cases))
        is_fine &= cost <= AT_MOST * floor
        costs.append(cost / size)
    floor, cost = measure(
        "golden tasks",
        max(sizes),
        make_tasks,
        lambda root: sum(len(suite.cases) for suite in load_golden(root)),
    )
    is_fine &= cost <= AT_MOST * floor
    is_linear = max(costs) <= LINEAR * min(costs)
    print(f"at most {AT_MOST:g} times the floor: {is_fine}; linear within {LINEAR:g}: {is_linear}")
    return 0 if is_fine and is_linear else 1


if __name__ == "__main__":
    sys.exit(main())
