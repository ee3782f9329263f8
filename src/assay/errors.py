"""What can go wrong, and the exit code that says so.

AssayError                    1   anything below; never raised itself
├── UsageError                2   the user's input is wrong
│   ├── SuiteError            2   files that cannot be read as a suite: every problem at once
│   └── Unusable              2   a result, baseline or document that does not hold what is needed
├── CannotRun                 3   nothing wrong with the input, but it could not be run here
│   ├── ModelMissing          3   a model that is not on this machine
│   └── StoreError            3   the trial store cannot be opened or written
└── TrialFailed               -   one trial died of infrastructure; the engine turns it into data

Ctrl-C is KeyboardInterrupt and exits 130.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.model import Fault


class AssayError(Exception):
    """The root of every error that assay raises on purpose."""

    exit_code: ClassVar[int] = 1


class UsageError(AssayError):
    """The user's input is wrong; the message says what, where and what to do."""

    exit_code: ClassVar[int] = 2


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing wrong with one file, told so that its author can mend it."""

    path: str
    """The file, forward slashes, relative to where the user pointed."""
    line: int | None
    message: str
    code: str = ""
    """A stable code such as `L06`, where there is one."""

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        code = f"[{self.code}] " if self.code else ""
        return f"{place}: {code}{self.message}"


class SuiteError(UsageError):
    """Files that cannot be read as a suite; `problems` holds all of them."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class Unusable(UsageError):
    """A document that is not what it should be: a result, a baseline, a record."""


class CannotRun(AssayError):
    """The input is right, but it could not be run here."""

    exit_code: ClassVar[int] = 3


class ModelMissing(CannotRun):
    """A model that is not on this machine; the message names the command that fetches it."""


class StoreError(CannotRun):
    """The trial store cannot be opened, read or written."""


class TrialFailed(AssayError):
    """One trial died of infrastructure. Harnesses and judges raise it; the engine makes it data."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(f"{fault.kind}: {fault.message}")
