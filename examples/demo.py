"""The main job of assay on the embedded model, from nothing: every figure is measured now, none is stored.

Works on a copy of `examples/house-style`, so that the example itself stays as it is. `make demo` calls it.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXAMPLE = Path(__file__).parent / "house-style"
PROMPT = "prompts/commit-subject.md"
WORSE = "worse/commit-subject.md"
MODEL = "--harness model:48 --model local -j 2"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="assay-demo-") as folder:
        project = Path(folder) / "house-style"
        shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns(".assay"))
        started = time.monotonic()
        failure = demonstrate(project)
        print(f"\nThe demo took {time.monotonic() - started:.0f} s.")
    if failure:
        print(f"demo: {failure}", file=sys.stderr)
    return 1 if failure else 0


def demonstrate(project: Path) -> str | None:
    """Each step as a user would type it; what went wrong, if anything did."""
    tell("1. Does the item help? Every case with it loaded and without it, on the embedded model.")
    if run(project, f"assay run commit-subject {MODEL} --runs 1 --out result.json") != 0:
        return "the ablation run could not be completed"

    tell("2. May it be merged? The gate wants more than the best so far, and more than without it.")
    if run(project, "assay gate commit-subject result.json") not in (0, 1):
        return "the gate could not decide"

    tell("3. Golden tasks, scored against what people expect, and accepted as the baseline.")
    if run(project, f"assay run evals/ {MODEL} --accept --yes") != 0:
        return "the golden run did not pass"

    tell("4. Somebody makes the prompt worse. Does it show?")
    shutil.copy(project / WORSE, project / PROMPT)
    worse = run(project, f"assay run evals/ {MODEL}")
    if worse != 1:
        return f"the regression was not seen: exit code {worse} instead of 1"
    print("Seen: the run that got worse ended with exit code 1, as a gate in CI needs it.")
    return None


def tell(line: str) -> None:
    print(f"\n\033[1m{line}\033[0m" if sys.stdout.isatty() else f"\n{line}", flush=True)


def run(project: Path, command: str) -> int:
    """Show a command, run it in the project, and show how it ended."""
    print(f"\n$ {command}", flush=True)
    code = subprocess.run(shlex.split(command), cwd=project, check=False).returncode
    print(f"(exit code {code})", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
