"""What the tests of the Claude Code harness share: recorded streams, the plugin they ran on, a stand-in client."""

import json
import sys
from pathlib import Path

from assay.engine.room import TrialRoom
from assay.engine.stop import StopFlag
from assay.harnesses import Setup
from assay.harnesses.claude import ClaudeHarness
from assay.items import item_at
from assay.model import Case, Location, Settings, Trial

FIXTURES = Path(__file__).parents[1] / "fixtures"
STREAMS = FIXTURES / "claude_streams"
PLUGIN = FIXTURES / "claude_plugin"
INDEX = json.loads((STREAMS / "index.json").read_text("utf-8"))


class Fake:
    """A stand-in client in a folder of its own; `harness` runs on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program = folder / "claude"
        source = (Path(__file__).parent / "fake_claude.py").read_text("utf-8")
        self.program.write_text(f"#!{sys.executable}\n{source}", "utf-8")
        self.program.chmod(0o755)

    def harness(self, *, allow_tools=(), scaffold=False, env=None, project=None, model=None, **told):
        (self.folder / "fake.json").write_text(json.dumps(told), "utf-8")
        return ClaudeHarness.set_up(
            Setup(
                project or self.folder,
                argument=str(self.program),
                model=model,
                env=env or {"PATH": "/usr/bin:/bin", "ANTHROPIC_API_KEY": "scripted"},
                allow_tools=allow_tools,
                scaffold=scaffold,
            )
        )

    def replay(self, name, *, timeout_s=4, **told):
        """Run the recorded trial `name`; its exit code and time-out as they were.

        `timeout_s` of one that hangs has to let a slow machine start the stand-in.
        """
        run = INDEX[name]
        hang = run["ended"] == "timeout"
        settings = {
            "stream": str(STREAMS / f"{name}.jsonl"),
            "exit_code": run["exit_code"] or 0,
            "hang": hang,
        }
        harness = self.harness(**{**settings, **told})
        case = told_case(run["prompt"], timeout_s=timeout_s if hang else 30)
        return run_trial(harness, trial_of(case, recorded_item(name)))

    @property
    def seen(self):
        return json.loads((self.folder / "seen.json").read_text("utf-8"))


def recorded_item(name):
    place = INDEX[name]["item"]
    return item_at(PLUGIN / place) if place else None


def told_case(prompt="x", *, graders=(), folder=None, target=None, plugins=(), **settings):
    return Case(
        "c",
        "c",
        prompt,
        graders,
        Location("suite/c/prompt.md"),
        folder=folder,
        settings=Settings(**settings),
        target=target,
        plugins=plugins,
    )


def trial_of(case, item, model="claude-sonnet-5-5"):
    return Trial(case, "with" if item else "without", 1, item, model, "key")


def run_trial(harness, trial, **room):
    with TrialRoom(StopFlag(), trial.case.settings.timeout_s, **room) as lent:
        return harness.run(trial, lent)
