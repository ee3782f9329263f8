"""The phrases of assertions: one table of patterns, and what is read out of a match."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from assay.model import JSON

QUOTED = r"(?:\"(?:\\.|[^\"\\])*\"|`[^`]+`|'[^']*'|“[^”]*”|«[^»]*»)"
_REGEX = r"(?P<regex>`?/.+/[a-z]*`?)"
_NAME = rf"(?:{QUOTED}|[\w.:*/-]+)"
_N = r"\d[\d,_]*"
_BOUND = (
    r"(?:(?P<least>at least|no fewer than|not fewer than|no less than|>=|≥)"
    r"|(?P<most>at most|no more than|not more than|up to|<=|≤)"
    r"|(?P<below>fewer than|less than|under|shorter than|<)"
    r"|(?P<above>more than|over|longer than|>)|exactly|==?)"
)
_COUNT = (
    rf"{_BOUND}?\s*(?:between\s+)?(?P<n>{_N})(?:\s*(?:to|-|–|\.\.|and)\s*(?P<m>{_N}))?"
    rf"(?:\s+or\s+(?:(?P<or_less>fewer|less)|(?P<or_more>more)))?"
)
_UNIT = r"(?P<unit>words?|lines?|characters?|chars?|bytes?|paragraphs?|bullets?|list\s+items?)"
_IS = r"(?:is|be|has|have|contains?|are)\s+"

NEGATION = re.compile(
    r"^(?:(?:must|should|shall|may|can|does|do|is|was|has\s+to|needs?\s+to)(?P<not>\s*n't|\s+not|\s+never|not)"
    r"|(?P<bare>not|never)|must|should|shall|has\s+to|needs?\s+to)\s+",
    re.IGNORECASE,
)
"""The modal verb of a sentence, or its auxiliary where that is negated."""

MODAL = re.compile(r"(?:must|should|shall)\b", re.IGNORECASE)
"""No phrase begins so: the verb has to be taken off first."""

PHRASES: dict[str, tuple[str, ...]] = {
    "tool_order": (
        rf"(?:the\s+)?tool\s+(?P<first>{_NAME})\s+(?:is\s+|be\s+)?(?:used|called)\s+before"
        rf"\s+(?:the\s+)?(?:tool\s+)?(?P<second>{_NAME})",
    ),
    "tool": (
        rf"(?:the\s+)?tool\s+(?P<tool>{_NAME})\s+(?:must\s+be\s+|must(?P<must_not>\s+not)\s+be\s+|is\s+|was\s+|be\s+)?"
        rf"(?P<not>not\s+|never\s+)?(?:used|called)(?:\s+with\s+{_REGEX})?"
        rf"(?:\s+(?:(?P<once>once)|(?P<twice>twice)|{_COUNT}\s+times?))?",
        rf"(?:uses?|calls?)\s+(?:the\s+)?tool\s+(?P<tool>{_NAME})(?:\s+with\s+{_REGEX})?"
        rf"(?:\s+(?:(?P<once>once)|(?P<twice>twice)|{_COUNT}\s+times?))?",
    ),
    "file": (
        rf"(?:the\s+|a\s+)?file\s+(?P<path>{_NAME})\s+(?:must\s+)?(?P<not>does\s+not\s+|must\s+not\s+|not\s+)?exists?",
        rf"(?:creates?|writes?)\s+(?:the\s+|a\s+)?file\s+(?P<path>{_NAME})",
    ),
    "json_path": (r"(?:the\s+)?JSON\s*path\s+(?P<path>`\$[^`]*`|\"\$[^\"]*\"|\$\S*)\s+(?P<comparison>.+)",),
    "schema": (
        rf"(?:conforms?\s+to|validates?\s+against)\s+(?:the\s+)?(?:JSON\s+)?(?:schema\s+)?(?P<operand>{_NAME})",
    ),
    "json": (rf"(?:{_IS})?(?:a\s+)?(?:valid\s+)?JSON(?:\s+(?P<shape>object|array))?", r"parses?\s+as\s+JSON"),
    "empty": (r"(?:(?:is|be)\s+)?(?P<not>not\s+)?(?P<non>non-)?empty",),
    "count": (rf"(?:{_IS})?{_COUNT}\s+{_UNIT}(?:\s+(?:long|in\s+length|in\s+all))?",),
    "number": (
        r"(?:contains?|mentions?|states?|gives?|has|have|includes?|says?)\s+(?:the\s+)?"
        r"(?:number|value|amount|quantity|figure)\s+(?P<operand>.+)",
    ),
    "matches": (rf"match(?:es)?\s+(?:the\s+)?(?:regex|pattern|regular\s+expression)?\s*{_REGEX}",),
    "starts_with": (rf"(?:starts?|begins?)\s+with\s+(?P<operand>{QUOTED})",),
    "ends_with": (rf"ends?\s+with\s+(?P<operand>{QUOTED})",),
    "equals": (rf"(?:(?:is|be)(?:\s+exactly|\s+equal\s+to)?|equals?)\s+(?P<operand>{QUOTED})",),
    "contains": (
        r"(?:contains?|includes?|mentions?|says?|has|have|show|shows)\s+(?:the\s+)?(?:exact\s+)?"
        r"(?:texts?|words?|phrases?|strings?)?\s*(?P<any>any\s+of\s+|one\s+of\s+|either\s+)?(?:all\s+of\s+|both\s+)?"
        rf"(?P<quoted>{QUOTED}(?:\s*(?:,\s*and|,\s*or|,|and|or)\s*{QUOTED})*)(?P<fold>\s+ignoring\s+case)?",
    ),
}
"""Form → its plain phrases, after the subject and the modal verb. The first that matches is meant."""

EXAMPLES = (
    'contains: "x"',
    'must contain "x"',
    'must not contain "x"',
    'contains any of "x" or "y"',
    "matches: /re/i",
    "must match /re/i",
    'must start with "x"',
    'must end with "x"',
    'must equal "x"',
    "number: 12.5 kg",
    "must state the number 12.5 kg ± 0.1",
    "valid JSON",
    "json_path: $.a.b == 3",
    "JSON path `$.a.b` equals 3",
    "JSON path `$.a` exists",
    "JSON path `$.items` has 3 items",
    "conforms to `schema.json`",
    "schema: schema.json",
    "at most 40 words",
    "3 to 5 lines",
    "words: <= 40",
    "first line is at most 72 characters",
    "file `out/*.md` exists",
    'file `out.md` contains "x"',
    "tool `Read` used",
    "tool `Bash` not used",
    "tool `Read` used before tool `Edit`",
    "is not empty",
)
"""One of each form, as the message for an unreadable assertion shows them."""

_MARKS: dict[str, tuple[str, ...]] = {
    "tool_order": ("before",),
    "tool": ("tool",),
    "file": ("file",),
    "json_path": ("$",),
    "schema": ("to", "against"),
    "json": ("json",),
    "empty": ("empty",),
    "count": ("word", "line", "char", "byte", "paragraph", "bullet", "item"),
    "number": ("number", "value", "amount", "quantity", "figure"),
    "matches": ("match",),
    "starts_with": ("with",),
    "ends_with": ("with",),
    "equals": ('"', "`", "'", "“", "«"),
    "contains": ('"', "`", "'", "“", "«"),
}
"""Form → texts of which every phrase of it holds one: where none is there, no pattern has to be tried."""

_QUOTED = re.compile(QUOTED, re.DOTALL)
_PATTERNS = tuple(
    (form, _MARKS[form], re.compile(rf"^{pattern}$", re.IGNORECASE | re.DOTALL))
    for form, patterns in PHRASES.items()
    for pattern in patterns
)
_OPERATORS = (
    ("absent", r"(?:does\s+not\s+exist|is\s+absent|is\s+missing)"),
    ("exists", r"(?:must\s+)?(?:exists?|is\s+present)"),
    ("length", rf"(?:must\s+have|has)\s+{_COUNT}\s+(?:items?|entries|elements?|keys?)"),
    ("between", r"(?:must\s+be|is)\s+between\s+(?P<low>-?[\d.]+)\s+and\s+(?P<high>-?[\d.]+)"),
    (">=", r"(?:(?:must\s+be|is)\s+at\s+least|>=|≥)\s*(?P<value>-?[\d.eE+-]+)"),
    ("<=", r"(?:(?:must\s+be|is)\s+at\s+most|<=|≤)\s*(?P<value>-?[\d.eE+-]+)"),
    (">", r"(?:(?:must\s+be|is)\s+(?:more|greater)\s+than|>)\s*(?P<value>-?[\d.eE+-]+)"),
    ("<", r"(?:(?:must\s+be|is)\s+(?:less|fewer)\s+than|<)\s*(?P<value>-?[\d.eE+-]+)"),
    ("!=", r"(?:does\s+not\s+equal|must\s+not\s+(?:equal|be)|is\s+not|!=)\s*(?P<value>.+)"),
    ("contains", rf"(?:must\s+contain|contains)\s+(?P<value>{QUOTED})"),
    ("matches", rf"(?:must\s+match|matches)\s+{_REGEX}"),
    ("==", r"(?:equals|must\s+(?:equal|be)|is|==?)\s*(?P<value>.+)"),
)
_COMPARISONS = tuple(
    (name, re.compile(rf"^{pattern}$", re.IGNORECASE | re.DOTALL)) for name, pattern in _OPERATORS
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """The named parts of a phrase that matched."""

    parts: dict[str, str | None]

    def get(self, name: str) -> str | None:
        return self.parts.get(name)

    def operand(self) -> str:
        return unquoted(self.parts["operand"] or "")

    def name(self, part: str) -> str:
        """A tool's name or a path."""
        return unquoted(self.parts.get(part) or self.parts.get("operand") or "")

    def quoted(self) -> tuple[list[str], bool]:
        """The quoted texts and whether one of them is enough; unquoted, the whole operand is the text."""
        text = self.parts.get("quoted")
        if text is None:
            return [self.operand()], False
        parts = _QUOTED.findall(text)
        is_or = len(parts) > 1 and "or" in _QUOTED.sub("", text)
        return [_inside(part) for part in parts], is_or

    def regex(self) -> tuple[str, str]:
        """Pattern and flags, out of `/re/i`, `` `/re/i` `` or a bare pattern."""
        text = self.parts.get("regex") or self.parts.get("operand") or ""
        text = text[1:-1] if len(text) > 1 and text[0] == text[-1] == "`" else text
        match = re.fullmatch(r"/(.+)/([a-z]*)", text, re.DOTALL)
        return (match[1], match[2]) if match else (unquoted(text), "")

    def unit(self) -> str:
        unit = " ".join((self.parts["unit"] or "").lower().split()).removesuffix("s")
        return {"char": "character", "list item": "bullet"}.get(unit, unit)

    def bounds(self) -> dict[str, int | None]:
        """`low` and `high` of a count, both included; None where that side is open."""
        low = _whole(self.parts["n"])
        if self.parts.get("m"):
            return {"low": low, "high": _whole(self.parts["m"])}
        if self.parts.get("least") or self.parts.get("or_more"):
            return {"low": low, "high": None}
        if self.parts.get("most") or self.parts.get("or_less"):
            return {"low": None, "high": low}
        if self.parts.get("below"):
            return {"low": None, "high": low - 1}
        if self.parts.get("above"):
            return {"low": low + 1, "high": None}
        return {"low": low, "high": low}

    def times(self) -> dict[str, int | None]:
        """How often: `at least once` where nothing is said."""
        if self.parts.get("once"):
            return {"low": 1, "high": 1}
        if self.parts.get("twice"):
            return {"low": 2, "high": 2}
        return self.bounds() if self.parts.get("n") else {"low": 1, "high": None}

    def comparison(self) -> dict[str, JSON] | None:
        """Operator and operand of a JSON path assertion; None where it is no comparison."""
        text = (self.parts["comparison"] or "").strip()
        for name, pattern in _COMPARISONS:
            match = pattern.match(text)
            if match is not None:
                return _operands(name, Phrase(match.groupdict()))
        return None


def phrase(text: str) -> tuple[str, Phrase] | None:
    """The form that a phrase has and its parts; None where it has none."""
    lower = text.lower()
    for form, marks, pattern in _PATTERNS:
        for mark in marks:
            if mark in lower:
                match = pattern.match(text)
                if match is not None:
                    return form, Phrase(match.groupdict())
                break
    return None


def unquoted(text: str) -> str:
    """What a quoted text says: `\\n`, `\\t`, `\\"` are read between double quotes only."""
    text = text.strip()
    return _inside(text) if _QUOTED.fullmatch(text) else text


def _inside(text: str) -> str:
    inner = text[1:-1]
    if text[0] != '"' or "\\" not in inner:
        return inner
    return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), inner)


def _operands(name: str, words: Phrase) -> dict[str, Any]:
    if name == "length":
        return {"op": name, **words.bounds()}
    if name == "between":
        return {"op": name, "low": json_value(words.get("low")), "high": json_value(words.get("high"))}
    if name == "matches":
        pattern, flags = words.regex()
        return {"op": name, "pattern": pattern, "flags": flags}
    if name in {"exists", "absent"}:
        return {"op": name}
    if name == "contains":
        return {"op": name, "value": unquoted(words.get("value") or "")}
    return {"op": name, "value": json_value(words.get("value"))}


def json_value(text: str | None) -> JSON:
    """A value as JSON; what is not JSON is the text itself."""
    text = (text or "").strip()
    if len(text) > 1 and text[0] == text[-1] == "`":
        text = text[1:-1]
    try:
        return json.loads(text)
    except ValueError:
        return unquoted(text)


def _whole(text: str | None) -> int:
    return int((text or "0").replace(",", "").replace("_", ""))
