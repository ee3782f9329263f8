"""Which engine reads JavaScript regular expressions best: right answers first, then the time-out, then cost.

    python bench/regex_engines.py            # engines that are not installed are left out, and said

Engines: corvus-regex-ecma262 (assay's own), mini-racer (V8), regress, and Python's `re` as a floor.
"""

from __future__ import annotations

import json
import multiprocessing
import re
import sys
import time
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

Count = Callable[[str, str, str], "int | None"]
TEXT = "The shop refunds within 30 days of delivery, in full. " * 40
PATTERNS = (
    ("refunds", ""),
    (r"\brefund(ed|s)?\b", "i"),
    (r"within (\d+) days", ""),
    (r"(?<!no )refund", "i"),
)
GIVE_UP_S = 3.0


def probes() -> ModuleType:
    path = Path(__file__).parent.parent / "tests" / "graders" / "js_regex_probes.py"
    spec = spec_from_file_location("js_regex_probes", path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def corvus() -> Count:
    import corvus_regex_ecma262 as engine

    def count(pattern: str, flags: str, text: str) -> int | None:
        try:
            regex = engine.compile(pattern, flags if "g" in flags else flags + "g", timeout=1.0)
        except engine.error:
            return None
        return sum(1 for _ in regex.finditer(text))

    return count


def v8() -> Count:
    from py_mini_racer import MiniRacer

    context = MiniRacer()
    context.eval(
        "function count(p, f, t) { const g = f.includes('g') ? f : f + 'g';"
        " try { return [...t.matchAll(new RegExp(p, g))].length } catch (e) { return null } }"
    )

    def count(pattern: str, flags: str, text: str) -> int | None:
        arguments = ",".join(json.dumps(value) for value in (pattern, flags, text))
        return context.eval(f"count({arguments})", timeout_sec=1.0)

    return count


def regress() -> Count:
    import regress as engine

    def count(pattern: str, flags: str, text: str) -> int | None:
        if len(set(flags)) != len(flags) or set(flags) - set("dgimsuvy") or {"u", "v"} <= set(flags):
            return None
        try:
            regex = engine.Regex(pattern, flags.translate({ord(c): None for c in "dgy"}))
        except engine.RegressError:
            return None
        return len(list(regex.find_iter(text)))

    return count


def python() -> Count:
    names = {"i": re.I, "m": re.M, "s": re.S}

    def count(pattern: str, flags: str, text: str) -> int | None:
        try:
            regex = re.compile(pattern, sum(names.get(flag, 0) for flag in flags))
        except re.error:
            return None
        return sum(1 for _ in regex.finditer(text))

    return count


ENGINES: dict[str, Callable[[], Count]] = {
    "corvus": corvus,
    "v8": v8,
    "regress": regress,
    "python re": python,
}


def _alone(name: str, pattern: str, text: str) -> None:
    try:
        ENGINES[name]()(pattern, "", text)
    except Exception:  # noqa: BLE001 - every engine has its own error for a match it stopped
        sys.exit(1)


def runaway(name: str, pattern: str, text: str) -> str:
    """How one pattern that blows up ends, in a process that can be killed."""
    process = multiprocessing.Process(target=_alone, args=(name, pattern, text), daemon=True)
    started = time.perf_counter()
    process.start()
    process.join(GIVE_UP_S)
    took = time.perf_counter() - started
    if process.is_alive():
        process.kill()
        return "never"
    return f"{took:.1f}s" if process.exitcode == 0 else f"stopped {took:.1f}s"


def cost_us(count: Count) -> float:
    """Mean cost of compiling a pattern and counting its matches in two kilobytes."""
    rounds = 200
    started = time.perf_counter()
    for _ in range(rounds):
        for pattern, flags in PATTERNS:
            count(pattern, flags, TEXT)
    return (time.perf_counter() - started) / rounds / len(PATTERNS) * 1e6


def own_cost_us() -> float:
    """The same through assay's own module, whose patterns are compiled once a suite."""
    from assay.graders import js_regex

    compiled = [js_regex.compile(pattern, flags) for pattern, flags in PATTERNS]
    rounds = 2000
    started = time.perf_counter()
    for _ in range(rounds):
        for regex in compiled:
            regex.test(TEXT)
    return (time.perf_counter() - started) / rounds / len(compiled) * 1e6


def main() -> int:
    pairs = probes()
    for name, start in ENGINES.items():
        try:
            count = start()
        except ImportError:
            print(f"{name:10} not installed")
            continue
        wrong = [
            (pattern, flags, text, expected, got)
            for pattern, flags, text, expected in pairs.PROBES
            if (got := count(pattern, flags, text)) != expected
        ]
        ends = " ".join(runaway(name, pattern, text) for pattern, text in pairs.RUNAWAYS)
        print(f"{name:10} wrong {len(wrong):2} of {len(pairs.PROBES)}  runaways: {ends}", end="")
        print(f"  {cost_us(count):8.1f} µs")
        if "-v" in sys.argv:
            for probe in wrong:
                print("   ", *(repr(part) for part in probe))
        print("           undecided:", [count(*probe) for probe in pairs.UNDECIDED])
    print(f"assay.graders.js_regex, compiled once: {own_cost_us():.2f} µs a test")
    return 0


if __name__ == "__main__":
    sys.exit(main())
