"""JavaScript regular expressions with a time-out, as authors of suites wrote them.

The engine reads ECMA-262's grammar and works on UTF-16 code units, so `\\d`, `$`, case folding and lookbehind
answer as in JavaScript. It was chosen by `bench/regex_engines.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corvus_regex_ecma262 import Regex

TIMEOUT_S = 2.0
"""What one match may take. The platform has no limit: a pattern that needs more hangs its whole run."""

FLAGS = frozenset("dgimsuvy")


class InvalidPattern(ValueError):
    """A pattern or its flags that `new RegExp(pattern, flags)` refuses; the message says why."""


class MatchTimeout(Exception):
    """A match that took longer than its time-out, so it has no answer: an error, never a pass or a fail."""


@dataclass(frozen=True, slots=True)
class JsRegex:
    """A compiled pattern. Immutable, and free to use from any number of threads."""

    pattern: str
    flags: str
    _first: Regex
    _every: Regex
    timeout_s: float

    def test(self, text: str) -> bool:
        """What `new RegExp(pattern, flags).test(text)` says. Raises MatchTimeout."""
        from corvus_regex_ecma262 import MatchLimitError

        try:
            return self._first.test(text)
        except MatchLimitError as error:
            raise self._too_slow(text) from error

    def count(self, text: str) -> int:
        """The number of matches with the flag `g` added. Raises MatchTimeout."""
        from corvus_regex_ecma262 import MatchLimitError

        ends = monotonic() + self.timeout_s
        found = 0
        try:
            for _ in self._every.finditer(text):
                found += 1
                if found % 64 == 0 and monotonic() > ends:
                    raise self._too_slow(text)
        except MatchLimitError as error:
            raise self._too_slow(text) from error
        return found

    def _too_slow(self, text: str) -> MatchTimeout:
        what = f"the pattern {_short(self.pattern)!r}"
        return MatchTimeout(f"{what} took more than {self.timeout_s:g} s on {len(text):,} characters")


@lru_cache(maxsize=1024)
def compile(pattern: str, flags: str = "", timeout_s: float = TIMEOUT_S) -> JsRegex:  # noqa: A001 - as in `re`
    """The pattern as `new RegExp(pattern, flags)` reads it. Raises InvalidPattern."""
    from corvus_regex_ecma262 import Regex, error

    try:
        first = Regex(pattern, flags, timeout=timeout_s)
        every = first if "g" in flags else Regex(pattern, flags + "g", timeout=timeout_s)
    except error as refusal:
        raise InvalidPattern(_reason(refusal)) from refusal
    return JsRegex(pattern, flags, first, every, timeout_s)


def check(pattern: str, flags: str = "") -> None:
    """Raise InvalidPattern where the pattern does not compile; much cheaper than compiling it."""
    from corvus_regex_ecma262 import Regex

    if not Regex.is_valid(pattern, flags):
        compile(pattern, flags)


def _reason(refusal: ValueError) -> str:
    text = str(refusal).removeprefix("ecmaregex: ")
    return text.rpartition(' in "')[0] or text


def _short(pattern: str) -> str:
    return pattern if len(pattern) <= 80 else pattern[:77] + "..."
