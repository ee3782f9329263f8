"""What the platform's runs leave of their sessions: transcripts, and arms that are proven as our own are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import TrialFailed
from assay.harnesses.arm_proof import prove
from assay.harnesses.claude_arm import Arm
from assay.harnesses.claude_stream import parse_stream
from assay.items.files import digest_files, item_files
from assay.model import WITH, WITHOUT, Fault, Item, Transcript

if TYPE_CHECKING:
    from assay.model import JSON


NO_FILES = "the platform keeps no files of its runs"


@dataclass(frozen=True, slots=True)
class Session:
    """One run's session. `fault` tells what its arm could see that it should not, or lacks."""

    transcript: Transcript
    fault: Fault | None


@dataclass(frozen=True, slots=True)
class Laid:
    """What was laid before the platform, and where."""

    room: Path
    plugin: Path
    name: str
    """The plugin's."""
    item: Item
    copy: Path
    digest: str
    """Of the copy, before anything ran."""

    @classmethod
    def of(cls, room: Path, plugin: Path, name: str, item: Item, copy: Path) -> Laid:
        return cls(room, plugin, name, item, copy, digest_files(item_files(copy)))


def runs_of(document: JSON) -> Iterator[tuple[str, JSON]]:
    """Every run of the platform's document with its arm, in its order; nothing where it has another shape."""
    cases = document.get("cases") if isinstance(document, dict) else None
    for case in cases if isinstance(cases, list) else ():
        for arm in (WITH, WITHOUT):
            for run in case.get("arms", {}).get(arm) or ():
                yield arm, run


def read_session(run: JSON, arm: str, laid: Laid, operators: frozenset[str]) -> Session | None:
    """The session of one run of the platform's document; None where it left no trace."""
    path = run.get("tracePath")
    try:
        stream = parse_stream(Path(path).read_bytes()) if isinstance(path, str) else None
    except OSError:
        return None
    if stream is None or stream.init is None:
        return None
    try:
        prove(stream.init, _arm(stream.init, arm, laid), operators)
        fault = None
    except TrialFailed as failed:
        fault = failed.fault
    transcript = replace(stream.transcript, duration_s=run.get("durationSeconds"), notes=(NO_FILES,))
    return Session(transcript, fault)


def _arm(init: JSON, arm: str, laid: Laid) -> Arm:
    """The arm as it should have been. The platform chooses the run's folder, which must lie in the room."""
    cwd = Path(str(init.get("cwd"))).resolve()
    home = cwd.parent if cwd.is_relative_to(laid.room.resolve()) else laid.room
    loaded = arm == WITH
    return Arm(
        home=home,
        workspace=home / cwd.name,
        config=home.parent / "config",
        scratch=home.parent / "tmp",
        plugins=(laid.plugin,) if loaded else (),
        item=laid.item if loaded else None,
        copy=laid.copy if loaded else None,
        plugin_name=laid.name,
        copy_digest=laid.digest,
    )
