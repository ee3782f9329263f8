"""The documents that assay writes and reads: their JSON Schemas, and a check against them."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from assay.errors import Unusable
from assay.model import JSON

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator as Validator

SHOWN_AT_MOST = 8


@cache
def schema(name: str) -> JSON:
    """The JSON Schema called `name`, such as `skill-eval-1` for documents that say `skill-eval/1`."""
    return json.loads(files(__name__).joinpath(f"{name}.schema.json").read_text("utf-8"))


def validate(document: JSON, name: str, where: str = "the document") -> None:
    """Raise `Unusable` with every place (as a JSON path) where a document breaks its schema.

    Fields that the schema does not know are ignored. `where` names the file in the message.
    """
    if _is_valid(document, name):
        return
    from jsonschema import Draft202012Validator

    errors = sorted(
        Draft202012Validator(schema(name)).iter_errors(document), key=lambda error: error.json_path
    )
    if not errors:
        return
    told = [f"  {error.json_path}: {_short(error.message)}" for error in errors[:SHOWN_AT_MOST]]
    if len(errors) > SHOWN_AT_MOST:
        told.append(f"  and {len(errors) - SHOWN_AT_MOST} more")
    raise Unusable("\n".join([f"{where} is not a {_label(name)} document:", *told]))


def _is_valid(document: JSON, name: str) -> bool:
    """The quick answer; a no is looked at again by the library whose messages are told."""
    try:
        return bool(_quick(name).is_valid(document))
    except ValueError:  # a value that is no JSON, such as NaN
        return False


@cache
def _quick(name: str) -> Validator:
    from jsonschema_rs import Draft202012Validator

    return Draft202012Validator(schema(name))


def parse(text: str, where: str) -> JSON:
    """The JSON in `text`; `Unusable` with the line where it is none. NaN and infinity are none."""
    try:
        return json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        place = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise Unusable(f"{where}{place} is not JSON: {getattr(error, 'msg', error)}") from error


def _refuse_constant(name: str) -> JSON:
    raise ValueError(f"{name} is not a JSON number")


def _label(name: str) -> str:
    kind, _, version = name.rpartition("-")
    return f"{kind}/{version}"


def _short(message: str, width: int = 160) -> str:
    return message if len(message) <= width else f"{message[: width - 1]}…"
