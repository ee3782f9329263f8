"""Run every benchmark of this folder, one after the other, and print their tables.

    python bench/run_all.py           # all; peers are installed beside, each in a venv of its own
    python bench/run_all.py engine    # those whose name holds the word

Exit code 1 where one of them found that a bound does not hold.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    words = sys.argv[1:]
    scripts = [path for path in sorted(HERE.glob("*.py")) if path.name != Path(__file__).name]
    wanted = [path for path in scripts if not words or any(word in path.stem for word in words)]
    failed = []
    for path in wanted:
        print(f"\n== {path.stem}", flush=True)
        if subprocess.run([sys.executable, str(path)], check=False).returncode:
            failed.append(path.stem)
    if failed:
        print(f"\na bound does not hold, or it could not run: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
