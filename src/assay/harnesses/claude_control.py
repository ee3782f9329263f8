"""The positive control: a skill that asks for every request must be seen to fire, else no count counts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import TrialFailed
from assay.items.find import item_at
from assay.model import WITH, WITHOUT, Case, Fault, Item, Location, Settings, Transcript, Trial

if TYPE_CHECKING:
    from assay.harnesses import Harness, Stop

NAME = "answer-protocol"
WORD = "amber-seven"
PROMPT = "What is the capital of France?"
SKILL = f"""---
name: {NAME}
description: >-
  Always use this skill first, on every request without exception. It says how to answer.
---

Answer the request, and end the answer with the word {WORD}.
"""
TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class Control:
    """What came of it. `fired` and `followed` are None where the trial died of `fault`."""

    stamp: str
    fired: bool | None = None
    """The skill was called, and seen to be."""
    followed: bool | None = None
    """Its text reached the model: the answer does what only the skill says."""
    quiet_without: bool | None = None
    """Nothing fired where the skill was not there."""
    cost_usd: float | None = None
    fault: Fault | None = None

    @property
    def is_sound(self) -> bool:
        return bool(self.fired and self.quiet_without)

    def __str__(self) -> str:
        if self.fault is not None:
            return f"{self.stamp}: the control did not run: {self.fault.kind}: {self.fault.message}"
        seen = "fired" if self.fired else "did NOT fire: trigger rates from here mean nothing"
        followed = "" if self.followed or not self.fired else ", but the answer does not follow it"
        without = "" if self.quiet_without else "; without the skill something fired as well"
        cost = "" if self.cost_usd is None else f" (${self.cost_usd:.4f})"
        return f"{self.stamp}: a skill that asks for every request {seen}{followed}{without}{cost}"


@dataclass(frozen=True, slots=True)
class _Room:
    folder: Path
    stop: Stop
    timeout_s: float = TIMEOUT_S


def positive_control(harness: Harness, model: str | None, folder: Path, stop: Stop) -> Control:
    """Run the catch-all skill once on both arms; `folder` is an empty folder of the caller's."""
    skill = folder / "skills" / NAME
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(SKILL, "utf-8")
    try:
        loaded = _run(harness, item_at(skill), model, folder / WITH, stop)
        bare = _run(harness, None, model, folder / WITHOUT, stop)
    except TrialFailed as failed:
        return Control(harness.stamp, fault=failed.fault)
    return Control(
        harness.stamp,
        fired=_fired(loaded),
        followed=WORD in loaded.output,
        quiet_without=not _fired(bare),
        cost_usd=_cost(loaded, bare),
    )


def _run(harness: Harness, item: Item | None, model: str | None, folder: Path, stop: Stop) -> Transcript:
    folder.mkdir()
    settings = Settings(max_turns=4, timeout_s=TIMEOUT_S, allowed_tools=("Skill",))
    case = Case("control", "control", PROMPT, (), Location("control"), settings=settings)
    trial = Trial(case, WITH if item else WITHOUT, 1, item, model, "control")
    return harness.run(trial, _Room(folder, stop))


def _fired(transcript: Transcript) -> bool:
    called = [call.input for call in transcript.tool_calls if call.name == "Skill"]
    return any(isinstance(given, dict) and str(given.get("skill", "")).endswith(NAME) for given in called)


def _cost(*transcripts: Transcript) -> float | None:
    costs = [transcript.usage.cost_usd for transcript in transcripts]
    return None if None in costs else sum(cost for cost in costs if cost is not None)
