"""What a grader looks at: the last message, the trace, the files created, or one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from assay.model import Fault

if TYPE_CHECKING:
    from assay.model import JSON, FileMade, Transcript

FILE_CAP = 10 * 1024 * 1024
"""The largest file that the platform's graders read."""

LAST_MESSAGE = "last_message"
NAMES = (LAST_MESSAGE, "trace", "files", "mock_calls")


@dataclass(frozen=True, slots=True)
class Missing:
    """Why there is no text to look at: the grader fails, whatever its mode, as on the platform."""

    reason: str


Evidence: TypeAlias = "str | Missing | Fault"
"""The text; or why there is none; or a fault of ours, where the file was there but its text was not kept."""


def evidence(transcript: Transcript, source: JSON) -> Evidence:
    """The text that `target` or `focus` names, of one transcript."""
    if isinstance(source, Mapping):
        return _file(transcript, str(source["path"]))
    if source == "trace":
        return "\n".join(transcript.trace)
    if source == "files":
        return "\n".join(created(transcript))
    if source == "mock_calls":
        return Missing("no mock servers are active")
    return transcript.output


def created(transcript: Transcript) -> list[str]:
    """Paths of the files that the trial created, sorted as JavaScript sorts strings."""
    return sorted((file.path for file in transcript.files if file.created), key=_code_units)


def is_source(value: JSON) -> bool:
    """Whether a value is one of the names, or exactly `{source: file, path: P}`."""
    if isinstance(value, Mapping):
        return (
            set(value) == {"source", "path"} and value["source"] == "file" and isinstance(value["path"], str)
        )
    return value in NAMES


def _file(transcript: Transcript, path: str) -> Evidence:
    wanted = path.removeprefix("./")
    file = next((file for file in transcript.files if file.path == wanted), None)
    if file is None:
        return Missing(f"there is no file {path!r}")
    if file.text is not None:
        return file.text.removeprefix("\ufeff")
    return _without_text(file)


def _without_text(file: FileMade) -> Missing | Fault:
    if file.note == "over the cap" and file.size <= FILE_CAP:
        return Fault(
            "grader", f"{file.path} ({file.size:,} bytes) is over assay's cap, so its text was not kept"
        )
    return Missing(f"{file.path} cannot be read as text: {file.note or 'its text was not kept'}")


def _code_units(path: str) -> bytes:
    return path.encode("utf-16-be", "surrogatepass")
