"""What each form of assertion finds in one text: a table of functions, `CHECKS`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from assay.graders import js_regex
from assay.graders.exact import as_json, is_same, same_json
from assay.graders.quantities import quantities, read_wanted
from assay.model import JSON

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

Config: TypeAlias = Mapping[str, JSON]
Finding: TypeAlias = tuple[bool, str]
"""Whether it holds, and what was found."""
SHOWN = 80


class Unchecked(Exception):
    """The check itself could not be made; the message says why. Never a pass or a fail."""


def _contains(config: Config, text: str) -> Finding:
    fold = bool(config.get("fold"))
    body = _plain(text, fold)
    there = [wanted for wanted in config["texts"] if _plain(wanted, fold) in body]
    missing = [wanted for wanted in config["texts"] if wanted not in there]
    if config.get("any") or config.get("negated"):
        return bool(there), f"found {_quoted(there[0])}" if there else "found none"
    return not missing, f"{_quoted(missing[0])} is missing" if missing else "found"


def _plain(text: str, fold: bool) -> str:
    text = text.replace("\r\n", "\n")
    return text.casefold() if fold else text


def _matches(config: Config, text: str) -> Finding:
    found = js_regex.compile(config["pattern"], config["flags"]).test(text)
    return found, "matches" if found else "no match"


def _starts_with(config: Config, text: str) -> Finding:
    return text.lstrip().startswith(config["text_wanted"]), f"starts with {_quoted(text.lstrip()[:SHOWN])}"


def _ends_with(config: Config, text: str) -> Finding:
    return text.rstrip().endswith(config["text_wanted"]), f"ends with {_quoted(text.rstrip()[-SHOWN:])}"


def _equals(config: Config, text: str) -> Finding:
    return is_same(config["text_wanted"], text), f"is {_quoted(text)}"


def _number(config: Config, text: str) -> Finding:
    wanted = read_wanted(config["quantity"])
    found = list(quantities(text))
    if any(wanted.holds(quantity) for quantity in found):
        return True, f"found {config['quantity']}"
    told = ", ".join(map(str, found[:5]))
    return False, f"the numbers found are {told}" if told else "there is no number"


def _json(config: Config, text: str) -> Finding:
    value = as_json(text)
    if value is None:
        fenced = text.strip().startswith("```")
        return False, "not JSON" + (": it stands in a fence" if fenced else "")
    shape = (
        "object" if isinstance(value[0], dict) else "array" if isinstance(value[0], list) else "plain value"
    )
    return config.get("shape") in (None, shape), f"valid JSON: {shape}"


def _schema(config: Config, text: str) -> Finding:
    from jsonschema.exceptions import best_match
    from jsonschema.validators import extend, validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    value = as_json(text)
    if value is None:
        return False, "not JSON"
    schema = config["schema"]
    # An empty registry: a schema that refers to the network is not followed there.
    kind = extend(validator_for(schema), {"pattern": _pattern})  # type: ignore[no-untyped-call]  # jsonschema's
    validator = kind(schema, registry=Registry())
    try:
        error = best_match(validator.iter_errors(value[0]))
    except Unresolvable as missing:
        raise Unchecked(f"the schema refers to what is not in it: {missing}") from missing
    except (js_regex.InvalidPattern, re.error) as invalid:
        raise Unchecked(f"a pattern of the schema is no regular expression: {invalid}") from invalid
    return error is None, f"at {error.json_path}: {error.message[:200]}" if error else "conforms"


def _pattern(_validator: object, pattern: str, value: JSON, _schema: JSON) -> Iterator[ValidationError]:
    """The keyword `pattern` as JSON Schema has it: JavaScript's, here with a time-out."""
    from jsonschema.exceptions import ValidationError

    if isinstance(value, str) and not js_regex.compile(pattern).test(value):
        yield ValidationError(f"{value[:SHOWN]!r} does not match {pattern!r}")


def _empty(config: Config, text: str) -> Finding:
    return not text.strip(), "empty" if not text.strip() else f"{len(text.strip())} characters"


_BULLET = re.compile(r"^[^\S\n]*(?:[-*+]|\d+[.)])[^\S\n]+\S", re.MULTILINE)
_COUNTS: dict[str, Callable[[str], int]] = {
    "word": lambda text: len(text.split()),
    "line": lambda text: len(text.strip("\n").split("\n")) if text.strip() else 0,
    "character": lambda text: len(text.strip()),
    "byte": lambda text: len(text.strip().encode("utf-8", "surrogatepass")),
    "paragraph": lambda text: len([part for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]),
    "bullet": lambda text: len(_BULLET.findall(text)),
}


def _count(config: Config, text: str) -> Finding:
    unit = config["unit"]
    count = _COUNTS[unit](text.replace("\r\n", "\n"))
    return within(count, config), f"{count} {unit}{'' if count == 1 else 's'}"


def within(count: int, config: Config) -> bool:
    """Whether a count lies between `low` and `high`, both included and both optional."""
    low, high = config.get("low"), config.get("high")
    return (low is None or count >= low) and (high is None or count <= high)


# --- JSON paths ---------------------------------------------------------------------------------------


def _json_path(config: Config, text: str) -> Finding:
    from jsonpath_rfc9535 import JSONPathError
    from jsonpath_rfc9535 import find as find_path

    value = as_json(text)
    if value is None:
        return False, "not JSON"
    try:
        found = [node.value for node in find_path(config["path"], value[0])]
    except JSONPathError as error:
        raise Unchecked(f"{config['path']}: {error}") from error
    if config["op"] == "absent":
        return not found, _shown(found)
    holds = bool(found) and all(_compares(config, value) for value in found)
    return holds, _shown(found)


def _shown(found: list[JSON]) -> str:
    if not found:
        return "nothing is there"
    text = ", ".join(repr(value) for value in found[:3])
    return f"is {text[:SHOWN]}" + (", ..." if len(found) > 3 or len(text) > SHOWN else "")


def _compares(config: Config, value: JSON) -> bool:
    op, wanted = str(config["op"]), config.get("value")
    if op in _ORDERS:
        return _is_number(value) and _is_number(wanted) and _ORDERS[op](value, wanted)
    if op == "between":
        return _is_number(value) and bool(config["low"] <= value <= config["high"])
    if op == "length":
        return isinstance(value, list | dict) and within(len(value), config)
    if op == "contains":
        return wanted in value if isinstance(value, str | list) else False
    if op == "matches":
        is_text = isinstance(value, str)
        return is_text and bool(js_regex.compile(config["pattern"], config["flags"]).test(value))
    if op == "exists":
        return True
    return same_json(value, wanted) != (op == "!=")


_ORDERS: dict[str, Callable[[JSON, JSON], bool]] = {
    ">=": lambda one, other: one >= other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    "<": lambda one, other: one < other,
}


def _is_number(value: JSON) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _quoted(text: str) -> str:
    return repr(text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}...")


CHECKS: dict[str, Callable[[Config, str], Finding]] = {
    "contains": _contains,
    "matches": _matches,
    "starts_with": _starts_with,
    "ends_with": _ends_with,
    "equals": _equals,
    "number": _number,
    "json": _json,
    "json_path": _json_path,
    "schema": _schema,
    "empty": _empty,
    "count": _count,
}
