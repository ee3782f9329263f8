"""The same instant workload on tools that do something alike, each in a venv of its own, beside assay.

    python bench/peers.py             # 1,000 cases
    python bench/peers.py 10000       # as many

A case is one input whose target answers at once with the input, and one text check. Each tool runs as a whole
process in its ordinary way. A tool that cannot be installed here is said so and left out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path

from engine import STORE, assay, best, make_project

VENVS = Path(__file__).parent.parent / ".bench"

PYDANTIC_EVALS = """
import json, sys
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Contains
rows = json.load(open(sys.argv[1]))
cases = [
    Case(name=str(r["id"]), inputs=r["prompt"], evaluators=(Contains(value=str(r["id"])),)) for r in rows
]
report = Dataset(name="bench", cases=cases).evaluate_sync(lambda text: text, progress=False)
report.print()
"""
INSPECT_AI = """
import json, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import solver
@solver
def echo():
    async def solve(state, generate):
        state.output = ModelOutput.from_content("echo", state.input_text)
        return state
    return solve
rows = json.load(open(sys.argv[1]))
data = MemoryDataset([Sample(id=r["id"], input=r["prompt"], target=str(r["id"])) for r in rows])
task = Task(dataset=data, solver=echo(), scorer=includes())
eval(task, model="mockllm/model", display="none", log_dir="logs")
"""
DEEPEVAL = """
import json, sys
from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase
class Holds(BaseMetric):
    threshold = 1.0
    async_mode = False
    def measure(self, case, *_, **__):
        self.score = float(case.expected_output in case.actual_output)
        self.success = self.score >= 1
        self.reason = ""
        return self.score
    async def a_measure(self, case, *_, **__):
        return self.measure(case)
    def is_successful(self):
        return self.success
    @property
    def __name__(self):
        return "holds"
rows = json.load(open(sys.argv[1]))
cases = [
    LLMTestCase(input=r["prompt"], actual_output=r["prompt"], expected_output=str(r["id"])) for r in rows
]
evaluate(cases, [Holds()], display_config=DisplayConfig(show_indicator=False, print_results=False))
"""


@dataclass(frozen=True)
class Peer:
    """A tool: what pip installs, and the program that runs the workload on it."""

    name: str
    package: str
    program: str


PEERS = (
    Peer("pydantic-evals", "pydantic-evals", PYDANTIC_EVALS),
    Peer("inspect-ai", "inspect-ai", INSPECT_AI),
    Peer("deepeval", "deepeval", DEEPEVAL),
)


def python_of(peer: Peer) -> tuple[Path, str] | None:
    """The interpreter of its own venv, made if need be, and its version; None where it does not install."""
    folder = VENVS / peer.name
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(folder, with_pip=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "-q"]
    if subprocess.run([*pip, "install", peer.package], capture_output=True, check=False).returncode:
        return None
    code = f"import importlib.metadata as m; print(m.version({peer.package!r}))"
    return python, subprocess.run(
        [str(python), "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    os.environ |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "DO_NOT_TRACK": "1", "COLUMNS": "80"}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_project(root, count // 2)
        rows = [{"id": number, "prompt": f"say number {number}"} for number in range(count)]
        (root / "rows.json").write_text(json.dumps(rows), "utf-8")
        run = assay("run", "x", "--harness", "scripted", "--runs", "1", "--out", "r.json", "--quiet")
        ours = best(run, root, clean=STORE)
        print(f"{count:,} instant cases, whole process")
        print(f"{'assay, with its store':32} cpu {ours.cpu_s:7.2f} s  {ours.peak_mb:6.0f} MB")
        for peer in PEERS:
            found = python_of(peer)
            if found is None:
                print(f"{peer.name:32} does not install here")
                continue
            python, version = found
            (root / f"{peer.name}.py").write_text(peer.program, "utf-8")
            try:
                cost = best([str(python), f"{peer.name}.py", "rows.json"], root, 2)
            except SystemExit as error:
                print(f"{peer.name} {version:20} did not run: {str(error)[-200:]}")
                continue
            told = f"{cost.cpu_s / ours.cpu_s:6.1f}× assay"
            print(
                f"{peer.name + ' ' + version:32} cpu {cost.cpu_s:7.2f} s  {cost.peak_mb:6.0f} MB  {told}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
