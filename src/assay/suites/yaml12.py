"""YAML as the authors' own tools read it: the 1.2 core schema, merge keys, a duplicate key's last value.

Under YAML 1.1, which PyYAML reads by default, `no` is false, `012` is ten and `1:30` is ninety.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

from assay.model import JSON

KeyPath: TypeAlias = tuple[str | int, ...]


class YamlError(ValueError):
    """Text that is not YAML, or YAML that is not JSON-clean; `line` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        self.line = line
        self.message = message
        super().__init__(f"line {line}: {message}")


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML document: its value, where each key stands, and which keys were written twice."""

    value: JSON
    lines: Mapping[KeyPath, int] = field(default_factory=dict)
    """Line of each key and list item; the document itself is `()`."""
    duplicates: tuple[tuple[KeyPath, int], ...] = ()
    """Keys written again and the line of the later one, whose value counts."""

    def line(self, *path: str | int) -> int:
        """The line of a key, or of the nearest thing around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_yaml(text: str, first_line: int = 1) -> Document:
    """Read one document; lines are counted from `first_line`. Raises `YamlError`."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return Document(None, {(): first_line})
        survey = _Survey(first_line)
        survey.visit(node, ())
        value = loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = (mark.line if mark else 0) + first_line
        raise YamlError(line, error.problem or "not YAML") from None
    except yaml.YAMLError as error:
        raise YamlError(first_line, " ".join(str(error).split())) from None
    finally:
        loader.dispose()
    return Document(value, survey.lines, tuple(survey.duplicates))


class _Survey:
    """Walks a document once for lines and duplicates; refuses what JSON cannot hold."""

    def __init__(self, first_line: int) -> None:
        self.first_line = first_line
        self.lines: dict[KeyPath, int] = {}
        self.duplicates: list[tuple[KeyPath, int]] = []
        self._seen: set[int] = set()
        self._open: set[int] = set()

    def visit(self, node: yaml.Node, path: KeyPath) -> None:
        self.lines.setdefault(path, self._line(node))
        if isinstance(node, yaml.ScalarNode):
            return
        if id(node) in self._open:
            raise YamlError(self._line(node), "an alias refers to what it is part of")
        if id(node) in self._seen:
            return
        self._seen.add(id(node))
        self._open.add(id(node))
        if isinstance(node, yaml.MappingNode):
            self._visit_mapping(node, path)
        else:
            for index, child in enumerate(node.value):
                self.visit(child, (*path, index))
        self._open.discard(id(node))

    def _visit_mapping(self, node: yaml.MappingNode, path: KeyPath) -> None:
        here: set[str] = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise YamlError(self._line(key), "a key has to be a plain word")
            if key.tag == _MERGE:
                self.visit(value, (*path, "<<"))
                continue
            name = key_text(key)
            if name in here:
                self.duplicates.append(((*path, name), self._line(key)))
            here.add(name)
            self.lines[(*path, name)] = self._line(key)
            self.visit(value, (*path, name))

    def _line(self, node: yaml.Node) -> int:
        return int(node.start_mark.line) + self.first_line


_MERGE = "tag:yaml.org,2002:merge"
_PLAIN = {
    "null": (r"^(?:~|null|Null|NULL|)$", "~nN\0"),
    "bool": (r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    "int": (r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", "-+0123456789"),
    "float": (
        r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$",
        "-+.0123456789",
    ),
    "merge": (r"^<<$", "<"),
}


class _Loader(yaml.CSafeLoader):
    """PyYAML's C parser with the resolvers of the 1.2 core schema."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012
    yaml_constructors = dict(yaml.CSafeLoader.yaml_constructors)  # noqa: RUF012


def key_text(node: yaml.ScalarNode) -> str:
    """A key as the text that JSON gives it: `1` and `"1"` are one key, `0x1F` is `31`."""
    if node.tag.endswith(":int"):
        return str(_integer(node.value))
    if node.tag.endswith(":bool"):
        return str(node.value).lower()
    return str(node.value)


def _integer(text: str) -> int:
    for prefix, base in (("0o", 8), ("0x", 16)):
        if text.startswith(prefix):
            return int(text[2:], base)
    return int(text)


def _construct_int(loader: _Loader, node: yaml.ScalarNode) -> int:
    try:
        return _integer(node.value)
    except ValueError:
        raise _not_a(node, "whole number") from None


def _construct_float(loader: _Loader, node: yaml.ScalarNode) -> float:
    text = node.value.lower().replace(".inf", "inf").replace(".nan", "nan")
    try:
        return float(text)
    except ValueError:
        raise _not_a(node, "number") from None


def _not_a(node: yaml.ScalarNode, what: str) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=f"{node.value[:40]!r} is not a {what}", problem_mark=node.start_mark)


def _construct_mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Hashable, JSON]:
    loader.flatten_mapping(node)
    return {key_text(key): loader.construct_object(value, deep=True) for key, value in node.value}


def _construct_untagged(loader: _Loader, _suffix: str, node: yaml.Node) -> JSON:
    """A value under a tag that JSON has no word for: the tag is ignored."""
    if isinstance(node, yaml.MappingNode):
        return _construct_mapping(loader, node)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)  # type: ignore[arg-type]  # the three kinds of node are all there are


def _prepare() -> None:
    for name, (pattern, first) in _PLAIN.items():
        starts = ["" if letter == "\0" else letter for letter in first]
        _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{name}", re.compile(pattern), starts)
    for name in ("binary", "timestamp", "omap", "pairs", "set"):
        del _Loader.yaml_constructors[f"tag:yaml.org,2002:{name}"]
    _Loader.yaml_constructors.pop(None, None)
    _Loader.add_constructor("tag:yaml.org,2002:int", _construct_int)
    _Loader.add_constructor("tag:yaml.org,2002:float", _construct_float)
    _Loader.add_constructor("tag:yaml.org,2002:map", _construct_mapping)
    _Loader.add_multi_constructor("", _construct_untagged)


_prepare()
