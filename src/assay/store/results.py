"""Result documents on disk."""

from __future__ import annotations

from pathlib import Path

from assay.errors import Unusable
from assay.model import JSON
from assay.schemas import parse, validate
from assay.schemas.skill_eval import SkillEval, from_document
from assay.store.whole_file import write_json


def read_json(path: Path) -> JSON:
    """The JSON in a file, whatever it says; `Unusable` where it is none."""
    where = path.as_posix()
    try:
        return parse(path.read_text("utf-8-sig"), where)
    except UnicodeDecodeError as error:
        raise Unusable(f"{where} is not UTF-8 text (byte {error.start})") from error
    except OSError as error:
        raise Unusable(f"{where} cannot be read: {error.strerror or error}") from error


def read_document(path: Path, name: str) -> JSON:
    """The JSON document in a file, checked against the schema `name`; `Unusable` where it is none."""
    document = read_json(path)
    validate(document, name, path.as_posix())
    return document


def read_skill_eval(path: Path) -> SkillEval:
    """The `skill-eval/1` result in a file; fields that it does not know are ignored."""
    return from_document(read_document(path, "skill-eval-1"), path.as_posix())


def write_skill_eval(path: Path, result: SkillEval) -> None:
    """Write a result whole, checked against its schema first."""
    write_json(path, result.to_document())
