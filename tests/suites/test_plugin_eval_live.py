"""Parity asked live: generated suites, read by the installed Claude Code and by assay.

A plain file called `mocks` in the eval folder makes the platform report every case, normalised, with an error
that is harmless: nothing is started and no model is called. It runs without a network and with a throwaway HOME.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from assay.suites.cases_document import cases_document
from assay.suites.plugin_eval import load_cases

ROOT = Path(__file__).parents[2]
KEYS = ("name", "dir", "source", "promptMarkdown", "runsPerCase", "timeoutSeconds", "maxTurns", "graders")

HEADS = (
    "max_turns: {n}\n", "runs: {n}\n", "timeout_seconds: {n}\n", "tags: [smoke, 'a b']\n", "tags:\n- x\n- y\n",
    "description: {text}\n", "name: {text}\n", "model: haiku\n", "allowed_tools: [Read, Glob]\n",
    "disallowed_tools: [Agent]\n", "env: {{EVAL_A: '1'}}\n", "expected_outcome: |\n  a\n   b\n", "# {text}\n", "\n",
    "description: >-\n  folded\n  text\n", "plugins: []\n", "append_system_prompt: \"{text}\"\n", "foo: 1\n",
)  # fmt: skip
TEXTS = (
    "hello", "a: b", "a #b", "a---b", "'it''s'", '"x\\ny"', "é 😀", "yes", "012", "1.5", "null", "[a]", "a, b",
    "*x", "!t v", "~", "-1", "a\tb", "%a", "0x1F", "- a", "{a: b}", "\\d+ (x|y)$", "x:", ":x", "?", "# c", "",
)  # fmt: skip
GRADERS = (
    "type: regex\npattern: {text}\n", "type: regex\nflags: i\nmatch: count:{n}\n", "type: llm\nfocus: trace\n",
    "type: tool_used\ntool: Skill\nmin: {n}\nmax: {n}\n", "type: tool_order\nbefore: Read\nafter: {{tool: Edit}}\n",
    "type: file_exists\npath: {text}\nexists: false\n", "type: regex\nweight: {n}\narm: both\npattern: |\n  a\n  b\n",
    "type: llm\ncriteria: {text}\n", "type: regex\ntarget: {{source: file, path: out.md}}\n", "type: nope\n",
    "name: {text}\ntype: tool_used\ntool: Read\ninput_match: {text}\n", "type: baseline\nbaseline_file: r.jsonl\n",
)  # fmt: skip
BODIES = ("Say hi\n", "", "\n\nA\n---\nB\n", "  indented\n", "x {text}\n", "\r\nCRLF\r\n")


def told_program() -> Path | None:
    named = os.environ.get("ASSAY_TEST_CLAUDE")
    kept = ROOT / ".claude-cli" / "current" / "node_modules" / ".bin" / "claude"
    found = named or (str(kept) if kept.exists() else shutil.which("claude"))
    return Path(found) if found else None


PROGRAM = told_program()
pytestmark = [
    pytest.mark.claude,
    pytest.mark.skipif(PROGRAM is None or not shutil.which("unshare"), reason="no claude, or no unshare"),
]


def written(rng: random.Random, pattern: str) -> str:
    return pattern.format(n=rng.choice((0, 1, 3, 40, 250, 1.5)), text=rng.choice(TEXTS))


def markdown(rng: random.Random, heads: list[str]) -> str:
    opening = rng.choice(("---\n",) * 8 + ("--- \n", "\ufeff---\n", "\n---\n", "----\n"))
    closing = rng.choice(("---\n",) * 8 + ("---  \n", "---", "----\n", "--- x\n", ""))
    text = opening + "".join(heads) + closing + written(rng, rng.choice(BODIES))
    return text.replace("\n", "\r\n") if rng.random() < 0.1 else text


def generate(root: Path, seed: int, cases: int) -> None:
    rng = random.Random(seed)
    for number in range(cases):
        folder = root / "evals" / f"c{number:03}"
        (folder / "graders").mkdir(parents=True)
        heads = [written(rng, rng.choice(HEADS)) for _ in range(rng.randrange(4))]
        (folder / "prompt.md").write_text(markdown(rng, heads), "utf-8", newline="")
        for name in rng.sample(["a.md", "b.md", "Z.md", ".h.md"], rng.randrange(1, 3)):
            text = markdown(rng, [written(rng, rng.choice(GRADERS))])
            (folder / "graders" / name).write_text(text, "utf-8", newline="")


def ask(root: Path, home: Path) -> tuple[dict[str, dict], set[str]]:
    (root / ".claude-plugin").mkdir()
    (root / ".claude-plugin" / "plugin.json").write_text('{"name": "probe", "version": "0.0.1"}', "utf-8")
    (root / "evals" / "mocks").touch()
    options = ["--trust-plugin", "--no-publish", "--max-cost-usd", "0", "--json", "out.json"]
    done = subprocess.run(
        ["unshare", "-rn", PROGRAM, "plugin", "eval", ".", *options],
        cwd=root, env={**os.environ, "HOME": str(home)}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=120, check=False,
    )  # fmt: skip
    document = json.loads((root / "out.json").read_text("utf-8"))
    refused = {
        line.removeprefix("✗ ").removeprefix(f"{root}/").partition(": ")[0].removesuffix("/case.yaml")
        for line in done.stderr.splitlines()
        if line.startswith("✗ ")
    }
    return {case["dir"]: case for case in document["cases"]}, refused


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_generated_suite_is_read_the_same(tmp_path, seed):
    root, home = tmp_path / "plugin", tmp_path / "home"
    home.mkdir()
    generate(root, seed, 200)
    theirs, refused = ask(root, home)
    ours = cases_document(load_cases(root, only_under="evals", shown=""))
    assert len(theirs) > 20
    assert {error["dir"] for error in ours["errors"]} ^ refused == set()
    for case in ours["cases"]:
        assert {key: case[key] for key in KEYS} == {key: theirs[case["dir"]][key] for key in KEYS}
    assert {case["dir"] for case in ours["cases"]} == theirs.keys()
