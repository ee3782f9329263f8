"""A stand-in for the command line: replays a recorded stream, in chunks, as if it had just run.

The program's folder holds `fake.json`: `{stream, exit_code, chunk, hang, gather, stderr, write, document}`. With
`gather` it waits until so many of it run at once. Called as `plugin eval` it leaves the file `document` where
`--json` says, its cases as if the plugin's were those.
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
    if sys.argv[1:3] == ["plugin", "eval"]:
        return evaluate(told)
    given = sys.stdin.buffer.read()
    seen = {"argv": sys.argv[1:], "env": dict(os.environ), "stdin": given.decode(), "cwd": str(Path.cwd())}
    (HERE / "seen.json").write_text(json.dumps(seen), "utf-8")
    for path, text in told.get("write", {}).items():
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    (HERE / f"{os.getpid()}.running").touch()
    while len(list(HERE.glob("*.running"))) < told.get("gather", 0):
        time.sleep(0.05)
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


def evaluate(told) -> int:
    plugin = Path(sys.argv[3])
    files = {
        path.relative_to(plugin).as_posix(): path.read_text("utf-8")
        for path in plugin.rglob("*")
        if path.is_file()
    }
    seen = {"argv": sys.argv[1:], "env": dict(os.environ), "cwd": str(Path.cwd()), "files": files}
    (HERE / "seen.json").write_text(json.dumps(seen), "utf-8")
    if told.get("document"):
        target = Path(sys.argv[sys.argv.index("--json") + 1])
        target.write_text(Path(told["document"]).read_text("utf-8"), "utf-8")
    sys.stderr.write(told.get("stderr", ""))
    return told.get("exit_code", 0)


if __name__ == "__main__":
    sys.exit(main())
