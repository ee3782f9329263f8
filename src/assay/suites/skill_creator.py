"""`evals.json` of the Agent Skills world, in all the shapes that authors write, as cases.

Nothing is dropped in silence: what became a grader otherwise than its author may think is in `adapted`, what
could not be kept is in `lost`, and every case carries its raw object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.errors import Problem, SuiteError
from assay.model import JSON, Case, FileGiven, GraderSpec, Location
from assay.suites.given_files import NotGiven, given_files
from assay.suites.json_file import JsonFile, read_json
from assay.suites.recognise import CHECK_KEYS, QUERY_KEYS, recognise
from assay.suites.trigger_set import TriggerCase, trigger_case
from assay.suites.typed_checks import Lost, read_check

_TITLE_KEYS = ("eval_name", "name", "title", "description", "intent")
_NOT_DONE = {
    "stage_files": "stage_files: assay stages nothing in git",
    "force_skill_invocation": "force_skill_invocation: assay never forces the skill; say it in the prompt",
    "baseline_note": "baseline_note: the arm without the item is no item at all, not an older version",
    "minimum_reviewer_pass_rate": "minimum_reviewer_pass_rate: assay has one threshold a suite",
    "expected_script": "expected_script: whether a script was run is not checked",
}


@dataclass(frozen=True, slots=True)
class EvalSet:
    """What an evals.json gave."""

    skill: str | None
    cases: tuple[Case, ...]
    checks: int
    """Entries under the words for checks, kept or lost."""
    triggers: tuple[TriggerCase, ...] = ()
    """Items that say as well whether the skill should fire."""
    adapted: tuple[Problem, ...] = ()
    lost: tuple[Problem, ...] = ()


def read_evals(path: Path, shown: str | None = None) -> EvalSet:
    """Read a file of evals. Raises SuiteError where it is none, or where no item can be read."""
    file = read_json(path, shown)
    found = recognise(file.value)
    if found.kind != "evals":
        what = found.reason or f"it holds {found.kind}"
        raise SuiteError([Problem(file.shown, None, f"not a set of evals: {what}")])
    reader = _Reader(file, path.parent)
    for place, item in found.items:
        reader.take(place, item)
    if not reader.cases:
        raise SuiteError(reader.lost)
    return reader.result()


class _Reader:
    """Reads items one by one; ids stay unique."""

    def __init__(self, file: JsonFile, folder: Path) -> None:
        self.file = file
        self.folder = folder
        self.cases: list[Case] = []
        self.lost: list[Problem] = []
        self.adapted: list[Problem] = []
        self.triggers: list[TriggerCase] = []
        self.checks = 0
        self._ids: set[str] = set()

    def result(self) -> EvalSet:
        top = self.file.value if isinstance(self.file.value, dict) else {}
        skill = next((top[key] for key in ("skill_name", "skill") if isinstance(top.get(key), str)), None)
        kept = tuple(self.cases), self.checks, tuple(self.triggers)
        return EvalSet(skill, *kept, tuple(self.adapted), tuple(self.lost))

    def take(self, place: tuple[str | int, ...], item: Mapping[str, JSON]) -> None:
        prompt = next((item[key] for key in QUERY_KEYS if isinstance(item.get(key), str)), "")
        if not prompt.strip():
            self.lost.append(self.file.problem("the item has no prompt", *place))
            self.checks += sum(1 for _ in _listed(item))
            return
        if "should_trigger" in item:
            self._take_label(place, item)
        for key, reason in _NOT_DONE.items():
            if item.get(key):
                self.lost.append(self.file.problem(reason, *place, key))
        files = self._files(place, item["files"]) if item.get("files") else ()
        graders = tuple(self._graders(place, item))
        ident = self._id(item, place)
        title = next((item[key] for key in _TITLE_KEYS if isinstance(item.get(key), str)), ident)
        tags = item.get("tags")
        self.cases.append(
            Case(
                id=ident,
                name=title,
                prompt=prompt,
                graders=graders,
                source=Location(self.file.shown),
                folder=self.folder,
                tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
                notes={"raw": dict(item)},
                files=files,
            )
        )

    def _take_label(self, place: tuple[str | int, ...], item: Mapping[str, JSON]) -> None:
        label = trigger_case(item, self.file, place)
        if isinstance(label, TriggerCase):
            self.triggers.append(label)
        else:
            self.lost.append(label)

    def _files(self, place: tuple[str | int, ...], names: JSON) -> tuple[FileGiven, ...]:
        try:
            return given_files(names, self.folder)
        except NotGiven as error:
            self.lost.append(self.file.problem(str(error), *place, "files"))
            return ()

    def _graders(self, place: tuple[str | int, ...], item: Mapping[str, JSON]) -> Iterator[GraderSpec]:
        names: set[str] = set()
        self.checks += sum(1 for _ in _listed(item))
        for path, entry in (*_listed(item), *_beside(item)):
            check = read_check(entry)
            if isinstance(check, Lost):
                self.lost.append(self.file.problem(check.reason, *place, *path))
                continue
            if check.adapted:
                self.adapted.append(self.file.problem(check.adapted, *place, *path))
            name = _unique(_short(check.label or check.type), names)
            yield GraderSpec(name, check.type, 1, check.config, Location(self.file.shown))
        if not names:
            yield from self._from_oracle(place, item)

    def _from_oracle(self, place: tuple[str | int, ...], item: Mapping[str, JSON]) -> Iterator[GraderSpec]:
        for key in ("expected_output", "ground_truth", "expected"):
            text = item.get(key)
            if isinstance(text, str) and text.strip():
                message = f"no check of its own: the answer is judged against {key}"
                self.adapted.append(self.file.problem(message, *place, key))
                yield GraderSpec(key, "rubric", 1, {"criteria": text}, Location(self.file.shown))
                return
        self.lost.append(self.file.problem("the item has no check and no expected output", *place))

    def _id(self, item: Mapping[str, JSON], place: tuple[str | int, ...]) -> str:
        for key in ("id", "eval_id", "eval_name", "name"):
            value = item.get(key)
            if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
                return _unique(str(value), self._ids)
        return _unique(str(place[-1]), self._ids)


def _listed(item: Mapping[str, JSON]) -> Iterator[tuple[tuple[str | int, ...], JSON]]:
    """The entries under the words for checks; both words in one item are both read."""
    for key in CHECK_KEYS:
        entries = item.get(key)
        if isinstance(entries, list):
            yield from (((key, index), entry) for index, entry in enumerate(entries))


def _beside(item: Mapping[str, JSON]) -> Iterator[tuple[tuple[str | int, ...], JSON]]:
    """Checks under other words, given the shape of a typed one."""
    shapes: dict[str, JSON] = {
        "deterministic_assertions": None,
        "rubric": None,
        "required_artifacts": ("artifact_exists", "path"),
        "must_contain": ("contains", "value"),
        "must_not_contain": ("not_contains", "value"),
    }
    for key, shape in shapes.items():
        entries = item.get(key)
        entries = [entries] if isinstance(entries, str) else entries
        if not isinstance(entries, list):
            continue
        for index, entry in enumerate(entries):
            typed = {"type": shape[0], shape[1]: entry} if shape and isinstance(entry, str) else entry
            yield (key, index), typed


def _unique(name: str, taken: set[str]) -> str:
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name} ({number})"
    taken.add(candidate)
    return candidate


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79] + "…"
