"""`file_exists`: whether the trial created a file whose path a glob matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.graders import js_regex
from assay.graders.sources import created
from assay.model import Grade

if TYPE_CHECKING:
    from assay.graders import Bench
    from assay.model import GraderSpec, Transcript

_SPECIAL = frozenset(".+^${}()|[]\\")


class FileExists:
    """`path` is a glob over the files created in the trial; `exists: false` asks that none matches."""

    def __init__(self, spec: GraderSpec, bench: Bench) -> None:
        self._spec = spec
        self._path = str(spec.config["path"])
        self._wanted = bool(spec.config.get("exists", True))
        self._glob = glob_regex(self._path)

    def grade(self, transcript: Transcript) -> Grade:
        spec = self._spec
        match = next((path for path in created(transcript) if self._glob.test(path)), None)
        explanation = f"{match} was created" if match else f"nothing created matches {self._path}"
        passed = (match is not None) == self._wanted
        return Grade(spec.name, spec.type, passed, spec.weight, explanation=explanation)


def glob_regex(glob: str) -> js_regex.JsRegex:
    """The platform's globs: `**/` any folders, `**` anything, `*` within a folder, `?` one character.

    Anchored and case-sensitive; braces and brackets are literal; `?` matches a `/` too.
    """
    return js_regex.compile(f"^{''.join(_translated(glob))}$")


def _translated(glob: str) -> list[str]:
    parts: list[str] = []
    rest = glob
    while rest:
        for token, regex in (("**/", "(?:.*/)?"), ("**", ".*"), ("*", "[^/]*"), ("?", ".")):
            if rest.startswith(token):
                parts.append(regex)
                rest = rest[len(token) :]
                break
        else:
            parts.append(f"\\{rest[0]}" if rest[0] in _SPECIAL else rest[0])
            rest = rest[1:]
    return parts
