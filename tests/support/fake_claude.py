"""A stand-in for the command line: replays a recorded stream, in chunks, as if it had just run.

The program's folder holds `fake.json`: `{stream, exit_code, chunk, hang, stderr, write}`.
"""

import json
import os
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    told = json.loads((HERE / "fake.json").read_text("utf-8"))
    if "--version" in sys.argv:
        sys.stdout.write(f"{told.get('version', '2.1.328')} (Claude Code)\n")
        return 0
    given = sys.stdin.buffer.read()
    seen = {"argv": sys.argv[1:], "env": dict(os.environ), "stdin": given.decode(), "cwd": str(Path.cwd())}
    (HERE / "seen.json").write_text(json.dumps(seen), "utf-8")
    for path, text in told.get("write", {}).items():
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    room = Path(os.environ["HOME"]).parent.as_posix()
    stream = Path(told["stream"]).read_bytes().replace(b"/room", room.encode()) if told.get("stream") else b""
    size = told.get("chunk") or max(1, len(stream))
    for start in range(0, len(stream), size):
        sys.stdout.buffer.write(stream[start : start + size])
        sys.stdout.buffer.flush()
    sys.stderr.write(told.get("stderr", ""))
    sys.stderr.flush()
    while told.get("hang"):
        time.sleep(60)
    return told.get("exit_code", 0)


if __name__ == "__main__":
    sys.exit(main())
