"""Features of the project itself: its own command, or its own endpoint. `evals/features.yml` says how."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import TrialFailed, UsageError
from assay.harnesses.command import OUTPUT_CAP, transcript_of
from assay.harnesses.files_made import files_below, files_made
from assay.harnesses.process import run_process
from assay.model import JSON, Fault, FileMade, Transcript
from assay.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from assay.harnesses import Room, Setup
    from assay.model import Trial

INPUT_FILE = "{input_file}"
PROJECT = "{project}"


@dataclass(frozen=True, slots=True)
class Feature:
    """One entry of `features.yml`: `command` or `url`, never both."""

    id: str
    command: tuple[str, ...] = ()
    """The input comes on standard input, or in the file that `{input_file}` names."""
    url: str | None = None
    """The input is posted to it."""
    body: Literal["json", "text"] = "json"
    """What is posted: `{"input": …}`, or the input as it is."""
    timeout_s: float | None = None
    """None: what the trial may take."""
    env: Mapping[str, str] = field(default_factory=dict)
    output: str = "all"
    """Where in the answer the output is: `all`, a JSON path, or `file:PATH` that the command wrote."""
    model: str | None = None
    """The model that the feature asks, where its author says so: the judge is chosen by it."""

    def to_json(self) -> JSON:
        return {
            name: list(value) if isinstance(value, tuple) else _plain(value) for name, value in self._items()
        }

    def _items(self) -> list[tuple[str, Any]]:
        return [(name, getattr(self, name)) for name in self.__slots__]


def _plain(value: JSON) -> JSON:
    return dict(value) if isinstance(value, Mapping) else value


class FeatureHarness:
    """Runs `feature:` tasks: a command in an empty folder, or a POST. `{project}` is the project's folder."""

    name = "feature"
    concurrency: int | None = None
    reports_cost = True
    is_free = True

    def __init__(self, features: Mapping[str, Feature], project: Path, env: Mapping[str, str]) -> None:
        self._features = features
        self._project = project.resolve()
        self._env = env

    @classmethod
    def set_up(cls, setup: Setup) -> FeatureHarness:
        raise UsageError(
            "the harness 'feature' is that of every task with the target feature:<id>: leave it out"
        )

    @property
    def stamp(self) -> str:
        return f"{self.name}@{__version__}"

    def settings(self) -> dict[str, Any]:
        return {id_: feature.to_json() for id_, feature in self._features.items()}

    def run(self, trial: Trial, room: Room) -> Transcript:
        target = trial.case.target
        feature = self._features.get(target.name) if target else None
        if feature is None:
            raise TrialFailed(Fault("setup", f"evals/features.yml has no feature {target}"))
        return self._call(feature, trial, room) if feature.url else self._start(feature, trial, room)

    def close(self) -> None:
        """Nothing is open between trials."""

    def _start(self, feature: Feature, trial: Trial, room: Room) -> Transcript:
        text = trial.case.prompt.encode("utf-8", "surrogatepass")
        by_file = any(INPUT_FILE in word for word in feature.command)
        if by_file:
            (room.folder / "input.txt").write_bytes(text)
        before = files_below(room.folder)
        try:
            done = run_process(
                [self._word(word, room) for word in feature.command],
                cwd=room.folder,
                env={**self._env, **feature.env},
                stdin=b"" if by_file else text,
                timeout_s=feature.timeout_s or room.timeout_s,
                output_cap=OUTPUT_CAP,
                stop=room.stop,
            )
        except OSError as error:
            message = f"{feature.command[0]!r} could not be started: {error.strerror}"
            raise TrialFailed(Fault("setup", message)) from error
        transcript = transcript_of(done, feature.command[0])
        made = files_made(room.folder, before)
        if transcript.ended != "done":
            return _with_output(transcript, "", made)
        if feature.output.startswith("file:"):
            wanted = feature.output.removeprefix("file:")
            text_made = next((file.text for file in made if file.path == wanted), None)
            if text_made is None:
                raise TrialFailed(Fault("harness", f"feature {feature.id!r} wrote no text file {wanted!r}"))
            return _with_output(transcript, text_made, made)
        return _with_output(transcript, output_of(feature, transcript.output), made)

    def _word(self, word: str, room: Room) -> str:
        """A word of the command; a file of the project keeps its meaning in the trial's own folder."""
        word = word.replace(INPUT_FILE, str(room.folder / "input.txt")).replace(PROJECT, str(self._project))
        path = self._project / word
        return str(path) if path.is_file() else word

    def _call(self, feature: Feature, trial: Trial, room: Room) -> Transcript:
        from assay.harnesses.http_post import post

        is_json = feature.body == "json"
        body = json.dumps({"input": trial.case.prompt}, ensure_ascii=False) if is_json else trial.case.prompt
        kind = "application/json" if is_json else "text/plain; charset=utf-8"
        answer = post(
            feature.url or "",
            body.encode("utf-8", "surrogatepass"),
            content_type=kind,
            timeout_s=feature.timeout_s or room.timeout_s,
            cap=OUTPUT_CAP,
            stop=room.stop,
        )
        if answer is None:
            return Transcript("", ended="timeout")
        return Transcript(output_of(feature, answer))


def _with_output(transcript: Transcript, output: str, made: tuple[FileMade, ...]) -> Transcript:
    return replace(transcript, output=output, files=made)


def output_of(feature: Feature, answer: str) -> str:
    """The part of an answer that is the output. Raises TrialFailed where the answer has no such part."""
    if not feature.output.startswith("$"):
        return answer
    from jsonpath_rfc9535 import find

    try:
        found = [node.value for node in find(feature.output, json.loads(answer))]
    except (ValueError, RecursionError) as error:
        message = f"feature {feature.id!r} did not answer with JSON: {error}"
        raise TrialFailed(Fault("harness", message)) from error
    if not found:
        message = f"the answer of feature {feature.id!r} has nothing at {feature.output}"
        raise TrialFailed(Fault("harness", message))
    return found[0] if isinstance(found[0], str) else json.dumps(found[0], ensure_ascii=False)
