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

from assay.model import Case
from assay.suites.cases_document import cases_document
from assay.suites.export_plugin_eval import export_plugin_eval
from assay.suites.golden import load_golden
from assay.suites.plugin_eval import load_cases
from assay.suites.skill_creator import read_evals

ROOT = Path(__file__).parents[2]
PROBES = ROOT / "tests" / "fixtures" / "plugin_eval_probes" / "set1"
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
TOPS = (
    'schema_version: "1.1"\nname: {text}\n', 'schema_version: "1.0"\nname: x\nfoo: 1\n', "schema_version: 1.1\nname: x\n",
    'schema_version: "2.0"\nname: x\n', 'schema_version: "1.1"\nname: x\nruns: {n}\ntags: [a]\n', "name: x\n",
    'schema_version: "1.1"\nname: x\nname: {text}\ndescription: {text}\nexpected_outcome: {text}\n',
)  # fmt: skip
EXECUTIONS = (
    "execution:\n  prompt: {text}\n", "execution: {{prompt: hi, max_turns: {n}}}\n", "execution:\n", "",
    "execution:\n  prompt: |\n    {text}\n    more\n  timeout_seconds: {n}\n  system: x\n", "execution: []\n",
    "execution:\n  prompt: hi\n  allowed_tools: [Read]\n  disallowed_tools: [Write]\n  env: {{EVAL_A: {text}}}\n",
    "prompt: hi\nexecution:\n  prompt: >-\n    a\n    {text}\n", "execution: {{prompt: hi, model: {text}}}\n",
)  # fmt: skip
CONTEXTS = (
    "context: {{add_dirs: [..]}}\n",
    "context: {text}\n",
    "context: {{other: 1}}\n",
    "",
    "",
    "",
    "",
    "",
)
LISTED = (
    "- type: regex\n  name: y{n}\n  pattern: {text}\n", "- {{type: tool_used, name: t, tool: Read, min: {n}}}\n",
    "- type: llm\n  name: {text}\n  criteria: >\n    a\n    b\n", "- {{type: regex, name: a, pattern: x, weight: {n}}}\n",
    "- {{type: file_exists, name: f, path: '**/x', exists: {text}}}\n", "- {{name: n, type: regex, pattern: x, foo: 1}}\n",
    "- type: tool_order\n  name: o\n  before: {{tool: Read, input_match: {text}}}\n  after: Edit\n", "- {text}\n",
    "- &a {{type: regex, name: m, pattern: x}}\n- {{<<: *a, name: m2}}\n",
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


def case_yaml(rng: random.Random) -> str:
    parts = [written(rng, rng.choice(some)) for some in (TOPS, EXECUTIONS, CONTEXTS)]
    listed = "".join(written(rng, rng.choice(LISTED)) for _ in range(rng.randrange(1, 3)))
    text = rng.choice(("", "", "", "\ufeff", "# a\n", "---\n")) + "".join(parts)
    text += rng.choice(("graders:\n" + listed,) * 6 + ("", "graders: []\n", "graders: x\n"))
    return text.replace("\n", "\r\n") if rng.random() < 0.1 else text


def generate(root: Path, seed: int, cases: int) -> None:
    rng = random.Random(seed)
    for number in range(cases):
        group = rng.choice(("evals", "evals/group", "skills/s/evals/g/h", "docs/evals"))
        folder = root / group / f"c{number:03}"
        (folder / "graders").mkdir(parents=True)
        if number % 3 == 0:
            (folder / "case.yaml").write_text(case_yaml(rng), "utf-8", newline="")
        if number % 6 == 0:
            continue
        heads = [written(rng, rng.choice(HEADS)) for _ in range(rng.randrange(4))]
        (folder / "prompt.md").write_text(markdown(rng, heads), "utf-8", newline="")
        for name in rng.sample(["a.md", "b.md", "Z.md", ".h.md"], rng.randrange(1, 3)):
            text = markdown(rng, [written(rng, rng.choice(GRADERS))])
            (folder / "graders" / name).write_text(text, "utf-8", newline="")


def ask(root: Path, home: Path) -> tuple[dict[str, dict], set[str]]:
    (root / ".claude-plugin").mkdir()
    (root / ".claude-plugin" / "plugin.json").write_text('{"name": "probe", "version": "0.0.1"}', "utf-8")
    for folder in root.rglob("evals"):
        (folder / "mocks").touch()
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


CHECKS = ["says hi", {"type": "regex", "value": "a\\d+|b"}, {"type": "contains", "value": "1 + 1 = 2 (two)"}]
EVALS = [
    {"id": 1, "prompt": "Say\n---\nhi", "expected_output": "hi: there", "expectations": CHECKS},
    {"id": "b c", "prompt": "  é 😀 #x", "assertions": ["- a\n---\nb", "yes", "{a: b}"]},
]
TASK = """---
id: G-{number:03}
target: skill:x
grader: {grader}
---
## Input
Say "it's" --- done: yes

## Expected
{expected}
"""


def exported(source: str, folder: Path) -> tuple[Case, ...]:
    """The cases of a format, as `assay export` gets them."""
    if source == "evals.json":
        (folder / source).write_text(json.dumps(EVALS), "utf-8")
        return read_evals(folder / source).cases
    if source == "golden":
        (folder / "x").mkdir()
        for number, (grader, expected) in enumerate(
            [
                ("exact", "a: b"),
                ("assert", "- must contain `x.y`\n- must match /^a\\/b$/i"),
                ("rubric", "- is *kind*"),
            ]
        ):
            text = TASK.format(number=number, grader=grader, expected=expected)
            (folder / "x" / f"G-{number:03}-x.md").write_text(text, "utf-8")
        return load_golden(folder)[0].cases
    return tuple(case for case in load_cases(PROBES, only_under="evals").cases if not case.plugins)


@pytest.mark.parametrize("source", ["evals.json", "golden", "plugin-eval"])
def test_what_assay_exports_is_read_by_the_platform(tmp_path, source):
    root, home = tmp_path / "plugin", tmp_path / "home"
    home.mkdir()
    done = export_plugin_eval(exported(source, tmp_path))
    for name, text in done.files.items():
        (root / "evals" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "evals" / name).write_text(text, "utf-8", newline="")
    theirs, refused = ask(root, home)
    assert refused == set()
    ours = cases_document(load_cases(root, only_under="evals", shown=""))["cases"]
    assert len(ours) == sum(name.endswith("/prompt.md") for name in done.files) > 1
    assert {case["dir"]: {key: case[key] for key in KEYS} for case in ours} == {
        place: {key: case[key] for key in KEYS} for place, case in theirs.items()
    }
