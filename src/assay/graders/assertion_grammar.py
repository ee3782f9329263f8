"""Reads one assertion, in its keyword form or in plain words, into a config that `assertions.py` checks.

`docs/assertions.md` holds the table of all forms with examples; a test runs them. What is neither form is
refused with the nearest ones: an assertion that is guessed at would be an oracle nobody wrote.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches

from assay.graders import quantities
from assay.graders.assertion_phrases import EXAMPLES, MODAL, NEGATION, Phrase, phrase
from assay.model import JSON

Config = dict[str, JSON]


class NotAnAssertion(ValueError):
    """An item that is no assertion; the message names the nearest forms."""


def parse(text: str) -> Config:
    """The config of one assertion. `form`, `negated` and `subject` are always there.

    Raises `NotAnAssertion`.
    """
    item = _bare(text)
    config = _keyword_form(item) or _plain_form(item)
    if config is None:
        raise NotAnAssertion(f"cannot read the assertion {_short(text)!r}; {_nearest(item)}")
    return {"negated": False, "subject": "output", **config, "text": " ".join(text.split())}


_BOX = re.compile(r"\[[ xX]\]\s+")


def without_box(text: str) -> str:
    """A list item without the `[ ]` that it may begin with."""
    box = _BOX.match(text) if text.startswith("[") else None
    return text[box.end() :] if box else text


def _bare(text: str) -> str:
    item = without_box(text.strip())
    return item[:-1].rstrip() if item.endswith(".") and not item.endswith("..") else item


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 100 else line[:97] + "..."


def _nearest(item: str) -> str:
    near = get_close_matches(item.casefold(), list(_AS_WRITTEN), n=3, cutoff=0.3)
    forms = "; ".join(_AS_WRITTEN[form] for form in near) or "; ".join(EXAMPLES[:3])
    return f"the nearest forms are: {forms} (all of them: docs/assertions.md)"


_AS_WRITTEN = {example.casefold(): example for example in EXAMPLES}


# --- keyword form -------------------------------------------------------------------------------------

KEYWORDS = {
    "contains": "contains",
    "contain": "contains",
    "matches": "matches",
    "match": "matches",
    "regex": "matches",
    "starts_with": "starts_with",
    "ends_with": "ends_with",
    "equals": "equals",
    "number": "number",
    "json": "json",
    "json_path": "json_path",
    "schema": "schema",
    "file": "file",
    "tool": "tool",
}
"""The word before the colon → the form; `not_` or `no_` before it negates."""

COUNT_KEYWORDS = {
    f"{prefix}{unit}s": (unit, prefix)
    for prefix in ("", "max_", "min_")
    for unit in ("word", "line", "character", "byte", "paragraph", "bullet")
}


_KEYED = re.compile(r"^(?P<key>[a-z][a-z_ -]*[a-z])\s*:(?:\s+(?P<rest>.+))?$", re.DOTALL)


def _keyword_form(item: str) -> Config | None:
    match = _KEYED.match(item) if ":" in item else None
    if match is None:
        return None
    key = re.sub(r"[ -]", "_", match["key"])
    rest = (match["rest"] or "").strip()
    negated = key.startswith(("not_", "no_"))
    base = key.split("_", 1)[1] if negated else key
    if base in COUNT_KEYWORDS and not negated:
        return _count(COUNT_KEYWORDS[base], rest, item)
    if base not in KEYWORDS or not rest:
        return None
    return {**_from_keyword(KEYWORDS[base], rest, item), "negated": negated}


def _from_keyword(form: str, rest: str, item: str) -> Config:
    read = _KEYWORD_READERS.get(form)
    if read is not None:
        return read(rest, item)
    return {"form": form, **_READERS[form](Phrase({"operand": rest}))}


def _keyword_json_path(rest: str, item: str) -> Config:
    config = _plain_form(f"JSON path {rest}")
    if config is None:
        raise NotAnAssertion(f"cannot read {_short(item)!r}; write `json_path: $.a.b == 3`")
    return config


def _keyword_tool(rest: str, item: str) -> Config:
    config = _plain_form(f"tool {rest}") or _plain_form(f"tool {rest} used")
    if config is None:
        raise NotAnAssertion(f"cannot read {_short(item)!r}; write `tool: Read` or `tool: Read used 2 times`")
    return config


def _keyword_json(rest: str, item: str) -> Config:
    if rest not in {"true", "object", "array"}:
        raise NotAnAssertion(
            f"cannot read {_short(item)!r}; write `json: true`, `json: object` or `json: array`"
        )
    return {"form": "json", "shape": None if rest == "true" else rest}


_KEYWORD_READERS: dict[str, Callable[[str, str], Config]] = {
    "json_path": _keyword_json_path,
    "tool": _keyword_tool,
    "json": _keyword_json,
}


def _count(unit_and_side: tuple[str, str], rest: str, item: str) -> Config:
    unit, side = unit_and_side
    words = {"max_": "at most ", "min_": "at least ", "": ""}[side]
    config = _plain_form(f"{words}{rest.replace('..', ' to ')} {unit}s")
    if config is None:
        raise NotAnAssertion(f"cannot read {_short(item)!r}; write `{unit}s: <= 40` or `{unit}s: 3..5`")
    return config


# --- plain form ---------------------------------------------------------------------------------------


def _plain_form(item: str) -> Config | None:
    subject: JSON = "output"
    negated = False
    is_modal = MODAL.match(item) is not None
    found = None if is_modal else phrase(item)
    if found is None:
        subject, rest = ("output", item) if is_modal else _subject(item)
        negation = NEGATION.match(rest)
        negated = bool(negation and (negation["not"] or negation["bare"]))
        found = phrase(rest[negation.end() :] if negation else rest)
    if found is None:
        return None
    form, words = found
    config = {"form": form, **_READERS[form](words)}
    negated = negated != bool(words.get("not") or words.get("non") or words.get("must_not"))
    return {"subject": subject, **config, "negated": negated}


_SUBJECT = re.compile(
    r"^(?:(?P<every>(?:every|each)\s+line)|(?:the\s+)?(?P<end>first|last)\s+line"
    r"|(?:the\s+)?(?:output|answer|response|result|reply|message|text|it)(?=\s)"
    r"|(?:the\s+)?file\s+(?P<file>`[^`]+`|\"[^\"]+\"|[^\s`\"]+)(?=\s))\s+",
    re.IGNORECASE,
)


def _subject(item: str) -> tuple[JSON, str]:
    match = _SUBJECT.match(item)
    if match is None:
        return "output", item
    rest = item[match.end() :]
    if match["every"]:
        return "every_line", rest
    if match["end"]:
        return f"{match['end'].lower()}_line", rest
    if match["file"]:
        return {"source": "file", "path": match["file"].strip('`"')}, rest
    return "output", rest


def _texts(words: Phrase) -> Config:
    texts, some = words.quoted()
    return {"texts": texts, "any": some or bool(words.get("any")), "fold": bool(words.get("fold"))}


def _regex(words: Phrase) -> Config:
    pattern, flags = words.regex()
    _check_regex(pattern, flags)
    return {"pattern": pattern, "flags": flags}


def _check_regex(pattern: str, flags: str) -> None:
    from assay.graders import js_regex

    try:
        js_regex.check(pattern, flags)
    except js_regex.InvalidPattern as error:
        raise NotAnAssertion(f"/{_short(pattern)}/{flags} is not a regular expression: {error}") from None


def _number(words: Phrase) -> Config:
    text = words.operand()
    try:
        quantities.read_wanted(text)
    except quantities.NotAQuantity as error:
        raise NotAnAssertion(str(error)) from None
    return {"quantity": text}


def _json_path(words: Phrase) -> Config:
    from jsonpath_rfc9535 import JSONPathError
    from jsonpath_rfc9535 import compile as compile_path

    path = (words.get("path") or "").strip("`\"' ")
    try:
        compile_path(path)
    except JSONPathError as error:
        raise NotAnAssertion(f"{path!r} is not a JSON path: {str(error).splitlines()[0]}") from None
    comparison = words.comparison()
    if comparison is None:
        raise NotAnAssertion(
            f"cannot read {_short(words.get('comparison') or '')!r} after a JSON path; write `equals 3`, "
            '`exists`, `is at least 2`, `contains "x"`, `matches /re/` or `has 3 items`'
        )
    config: Config = {"path": path, **comparison}
    if config["op"] == "matches":
        _check_regex(config["pattern"], config["flags"])
    return config


def _tool(words: Phrase) -> Config:
    config: Config = {"tool": words.name("tool"), **words.times()}
    if words.get("regex"):
        pattern, flags = words.regex()
        _check_regex(pattern, flags)
        config |= {"pattern": pattern, "flags": flags}
    return config


_READERS: dict[str, Callable[[Phrase], Config]] = {
    "contains": _texts,
    "starts_with": lambda words: {"text_wanted": words.operand()},
    "ends_with": lambda words: {"text_wanted": words.operand()},
    "equals": lambda words: {"text_wanted": words.operand()},
    "matches": _regex,
    "number": _number,
    "json": lambda words: {"shape": (words.get("shape") or "").lower() or None},
    "json_path": _json_path,
    "count": lambda words: {"unit": words.unit(), **words.bounds()},
    "schema": lambda words: {"path": words.operand()},
    "empty": lambda _: {},
    "file": lambda words: {"path": words.name("path")},
    "tool": _tool,
    "tool_order": lambda words: {"before": words.name("first"), "after": words.name("second")},
}
