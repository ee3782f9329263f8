"""`evals/triggers.json`: which queries are routed to which skill, and which are not."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from assay.errors import Problem, SuiteError
from assay.model import JSON, Location
from assay.suites.json_file import JsonFile, read_json
from assay.suites.trigger_set import TriggerCase

FILE = "triggers.json"
_TOP, _SKILL, _CASE = ("description", "skills"), ("cases",), ("query", "should_trigger", "note")


def load_triggers(evals: Path) -> Mapping[str, tuple[TriggerCase, ...]]:
    """The trigger cases by skill; none where there is no such file.

    Raises `SuiteError` with all problems: also a skill without a single `should_trigger: false` case, since
    firing where it should not is what the file is there to find.
    """
    path = evals / FILE
    if not path.exists():
        return {}
    reader = _Reader(read_json(path, f"{evals.resolve().name}/{FILE}"))
    skills = reader.skills()
    if reader.problems:
        raise SuiteError(sorted(reader.problems, key=lambda problem: problem.line or 0))
    return skills


class _Reader:
    """Collects every problem of the file."""

    def __init__(self, file: JsonFile) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def skills(self) -> dict[str, tuple[TriggerCase, ...]]:
        value = self.file.value
        if not isinstance(value, dict) or not isinstance(value.get("skills"), dict):
            self._note('expected `{"skills": {"<name>": {"cases": [...]}}}`')
            return {}
        self._unknown(value, _TOP)
        return {name: self._skill(name, skill) for name, skill in value["skills"].items()}

    def _skill(self, name: str, skill: JSON) -> tuple[TriggerCase, ...]:
        place = ("skills", name)
        if not isinstance(skill, dict) or not isinstance(skill.get("cases"), list):
            self._note(f"{name!r} needs a list of `cases`", *place)
            return ()
        self._unknown(skill, _SKILL, *place)
        cases = [self._case(case, *place, "cases", number) for number, case in enumerate(skill["cases"])]
        known = tuple(case for case in cases if case is not None)
        if len(known) == len(cases) and all(case.should_trigger for case in known):
            self._note(f"{name!r} needs at least one case with `should_trigger: false`", *place)
        return known

    def _case(self, case: JSON, *place: str | int) -> TriggerCase | None:
        if not isinstance(case, dict):
            self._note("a case is an object with `query` and `should_trigger`", *place)
            return None
        self._unknown(case, _CASE, *place)
        query, fires, note = case.get("query"), case.get("should_trigger"), case.get("note")
        if not isinstance(query, str) or not query.strip():
            self._note("`query` is a text", *place, "query")
        elif not isinstance(fires, bool):
            self._note(f"`should_trigger` is true or false, not {fires!r}", *place, "should_trigger")
        elif note is not None and not isinstance(note, str):
            self._note("`note` is a text", *place, "note")
        else:
            source = Location(self.file.shown)
            return TriggerCase(query, fires, str(place[1]), note, source=source)
        return None

    def _unknown(self, keys: Mapping[str, JSON], known: tuple[str, ...], *place: str | int) -> None:
        for key in keys:
            if key not in known:
                near = get_close_matches(key, known, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else "."
                self._note(f"unknown key {key!r}{hint} The keys are {', '.join(known)}", *place, key)

    def _note(self, message: str, *place: str | int) -> None:
        self.problems.append(self.file.problem(message, *place))
