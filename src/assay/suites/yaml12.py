"""YAML as the authors' own tools read it: the 1.2 core schema, merge keys, a duplicate key's last value.

Under YAML 1.1, which PyYAML reads by default, `no` is false, `012` is ten and `1:30` is ninety. PyYAML's C
parser gives the tree; what its values are is decided here, as the platform's loader decides it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import yaml
from yaml.cyaml import CParser  # type: ignore[attr-defined]  # absent from the stubs

from assay.model import JSON
from assay.suites.simple_yaml import line_of, read_simple
from assay.suites.yaml_values import plain_value

KeyPath: TypeAlias = tuple[str | int, ...]

MOST_VALUES = 1_000_000
"""Values of one document, each counted as often as aliases repeat it: nine lines can stand for a billion."""
DEEPEST = 200
"""Collections inside collections. No suite needs more; a text made to exhaust the stack has more."""


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
    first_line: int = 1
    _node: yaml.nodes.Node | None = None
    _simple: str | None = None
    """The text, where it was simple enough to be read without a tree."""

    def line(self, *path: str | int) -> int:
        """The line of a key or list item, or of the nearest thing around it."""
        if self._simple is not None:
            return self.first_line + line_of(self._simple, path[0] if path else None)
        node, line = self._node, self.first_line
        if node is not None:
            line += int(node.start_mark.line)
        for step in path:
            found = _child(node, step)
            if found is None:
                break
            place, node = found
            line = int(place.start_mark.line) + self.first_line
        return line

    @property
    def duplicates(self) -> tuple[tuple[KeyPath, int], ...]:
        """Keys written again and the line of the later one, whose value counts."""
        found = [] if self._node is None else list(_duplicates(self._node, (), set()))
        return tuple((path, int(key.start_mark.line) + self.first_line) for path, key in found)


def read_yaml(text: str, first_line: int = 1) -> Document:
    """Read one document; lines are counted from `first_line`. Raises `YamlError`."""
    simple = read_simple(text)
    if simple is not None:
        return Document(simple, first_line, None, text)
    disguise = _Disguise.of(text)
    try:
        node = _compose(disguise.put_on(text) if disguise else text)
        value = None if node is None else _Reader(text, disguise).read(node, -1)
        if node is not None and _TIGHT_HASH.search(text):
            _check_comments(node, text, set())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = (mark.line if mark else 0) + first_line
        problem = YamlError(line, error.problem or "not YAML")
        return Document(_as_json(text, problem), first_line)
    except yaml.YAMLError as error:
        raise YamlError(first_line, " ".join(str(error).split())) from None
    except RecursionError:
        raise YamlError(first_line, "nested too deeply to be read") from None
    return Document(value, first_line, node)


def _as_json(text: str, problem: YamlError) -> JSON:
    """JSON that libyaml cannot read (it refuses surrogate escapes), else the problem."""
    if not text.lstrip().startswith(("{", "[")):
        raise problem
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise problem from None


class _Parser(CParser):
    """libyaml's tree; scalars without a tag are marked by whether they were quoted."""

    def __init__(self, text: str) -> None:
        CParser.__init__(self, text)

    def resolve(self, kind: type, _value: str | None, implicit: tuple[bool, bool] | bool) -> str:
        if kind is yaml.ScalarNode and isinstance(implicit, tuple) and implicit[0]:
            return _PLAIN
        return _QUOTED

    def descend_resolver(self, _parent: yaml.Node, _index: object) -> None: ...

    def ascend_resolver(self) -> None: ...


def _compose(text: str) -> yaml.Node | None:
    parser = _Parser(text)
    try:
        node: yaml.Node | None = parser.get_single_node()
    finally:
        parser.dispose()
    return node


_PLAIN = "plain"
_QUOTED = "quoted"
_TAGGED: dict[str, tuple[type, ...]] = {
    "tag:yaml.org,2002:int": (int, float),
    "tag:yaml.org,2002:float": (int, float),
    "tag:yaml.org,2002:bool": (bool,),
    "tag:yaml.org,2002:null": (type(None),),
}
"""Tags that keep a plain scalar what it is; under any other it is a text."""

# libyaml ends lines at U+0085, U+2028 and U+2029 and refuses control characters; the platform does not.
_ODD = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
_PRIVATE = range(0xF0000, 0xFFFFD)


class _Disguise:
    """Hides characters that libyaml mistakes behind private ones that the text has not, while it reads."""

    def __init__(self, hidden: dict[str, str]) -> None:
        self._on = str.maketrans(hidden)
        self._off = str.maketrans({there: odd for odd, there in hidden.items()})

    @classmethod
    def of(cls, text: str) -> _Disguise | None:
        """One for a text that needs it; None for one that does not."""
        if _ODD.search(text) is None:
            return None
        used = set(text)
        free = (chr(code) for code in _PRIVATE if chr(code) not in used)
        return cls(dict(zip(sorted(set(_ODD.findall(text))), free, strict=False)))

    def put_on(self, text: str) -> str:
        return text.translate(self._on)

    def take_off(self, text: str) -> str:
        return text.translate(self._off)


class _Reader:
    """Turns a tree into a value. A collection behind an alias is read once and shared."""

    def __init__(self, text: str, disguise: _Disguise | None) -> None:
        self._text = text
        self._disguise = disguise
        self._done: dict[int, JSON] = {}
        self._open: dict[int, None] = {}
        self._sizes: dict[int, int] = {}
        self._count = 0

    def read(self, node: yaml.Node, indent: int) -> JSON:
        """The value of a node inside a block that is indented by `indent` columns (-1: the document)."""
        self._count += self._sizes.get(id(node), 1)
        if self._count > MOST_VALUES:
            raise _refusal(node, f"more than {MOST_VALUES:,} values, with what aliases repeat")
        if not isinstance(node, yaml.CollectionNode):
            return self._scalar(node, indent)
        if id(node) in self._done:
            return self._done[id(node)]
        if id(node) in self._open:
            raise _refusal(node, "an alias refers to what it is part of")
        if len(self._open) >= DEEPEST:
            raise _refusal(node, f"nested deeper than {DEEPEST}")
        self._open[id(node)] = None
        before = self._count - 1
        if node.flow_style:
            _check_flow_indent(node, indent)
            inner = indent
        else:
            inner = int(node.start_mark.column)
        value = self._mapping(node, inner) if isinstance(node, yaml.MappingNode) else self._list(node, inner)
        del self._open[id(node)]
        self._done[id(node)] = value
        self._sizes[id(node)] = self._count - before
        return value

    def text(self, node: Any) -> str:
        return self._disguise.take_off(node.value) if self._disguise else str(node.value)

    def _scalar(self, node: Any, indent: int) -> JSON:
        text = self.text(node)
        if node.tag == _PLAIN and not node.style:
            return plain_value(text)
        if node.style in ("'", '"'):
            self._check_quoted(node, indent)
            return text
        if node.style or node.tag in ("!", _QUOTED, "tag:yaml.org,2002:str"):
            return text
        value = plain_value(text)
        if not text or type(value) in _TAGGED.get(node.tag, ()):
            return value
        return text

    def _check_quoted(self, node: Any, indent: int) -> None:
        """Refuse a quoted text that goes on at or left of the block it is in, which libyaml lets pass."""
        if node.end_mark.line == node.start_mark.line or indent < 0:
            return
        written = self._text[node.start_mark.index : node.end_mark.index]
        for line in re.split(r"\r\n|\r|\n", written)[1:]:
            if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
                raise _refusal(node, "every line of a text in quotes has to be indented")

    def _list(self, node: yaml.Node, indent: int) -> JSON:
        return [self.read(child, indent) for child in node.value]

    def _mapping(self, node: yaml.MappingNode, indent: int) -> JSON:
        own: dict[str, JSON] = {}
        merged: dict[str, JSON] = {}
        for key, child in node.value:
            name = self._key(key, indent)
            value = self.read(child, indent)
            if name != "<<" or not _merge(merged, value):
                own[name] = value
        if not merged:
            return own
        return {**{name: value for name, value in merged.items() if name not in own}, **own}

    def _key(self, node: yaml.Node, indent: int) -> str:
        return _as_key(self.read(node, indent))


def _merge(into: dict[str, JSON], value: JSON) -> bool:
    """Take over what `<<` names; False where it names no mapping and so is a key like any other."""
    parts = value if isinstance(value, list) else [value]
    if not parts or not all(isinstance(part, dict) for part in parts):
        return False
    for part in parts:
        for name, inherited in part.items():
            into.setdefault(name, inherited)
    return True


def _as_key(value: JSON) -> str:
    """A key as the text that JavaScript gives it: `1` and `"1"` are one key, `[a, b]` is `a,b`."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, dict):
        return "[object Object]"
    if isinstance(value, list):
        return ",".join("" if part is None else _as_key(part) for part in value)
    return str(value)


def _check_flow_indent(node: yaml.CollectionNode, indent: int) -> None:
    """Refuse a `[…]` or `{…}` that goes on at or left of the block it is in, which libyaml lets pass."""
    first = node.start_mark.line
    if node.end_mark.line == first or indent < 0:
        return
    for child in _inside(node):
        if child.start_mark.line > first and child.start_mark.column <= indent:
            raise _refusal(child, "this line of a `[…]` or `{…}` has to be indented")


_TIGHT_HASH = re.compile(r"""["'\]}|>+\-0-9]#""")


def _check_comments(node: yaml.Node, text: str, seen: set[int]) -> None:
    """Refuse a `#` right behind a quoted text, a bracket or `|`, which libyaml takes for a comment."""
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.ScalarNode):
        if node.style in ("|", ">"):
            header = text[node.start_mark.index :].partition("\n")[0]
            tight = re.match(r"[|>][-+0-9]*#", header) is not None
        else:
            tight = node.style in ("'", '"') and text[node.end_mark.index :].startswith("#")
    else:
        flow = isinstance(node, yaml.CollectionNode) and bool(node.flow_style)
        tight = flow and text[node.end_mark.index :].startswith("#")
        for child in _inside(node):
            _check_comments(child, text, seen)
    if tight:
        raise _refusal(node, "a comment has to be set off by a space")


def _inside(node: yaml.Node) -> Iterator[yaml.Node]:
    for part in node.value:
        yield from part if isinstance(part, tuple) else (part,)


def _refusal(node: yaml.Node, message: str) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=message, problem_mark=node.start_mark)


def _child(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """Where a step of a path stands and what it leads to; the last of equal keys."""
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step]
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in reversed(node.value) if _name(key) == step), None)
    return None


def _name(key: yaml.Node) -> str | None:
    if not isinstance(key, yaml.ScalarNode):
        return None
    return _as_key(plain_value(key.value)) if key.tag == _PLAIN else str(key.value)


def _duplicates(node: yaml.Node, path: KeyPath, seen: set[int]) -> Iterator[tuple[KeyPath, yaml.Node]]:
    if isinstance(node, yaml.ScalarNode) or id(node) in seen:
        return
    seen.add(id(node))
    here: set[str] = set()
    for index, part in enumerate(node.value):
        step: Any = index if isinstance(node, yaml.SequenceNode) else _name(part[0])
        if step is None:
            continue
        if isinstance(step, str):
            if step in here and step != "<<":
                yield (*path, step), part[0]
            here.add(step)
        yield from _duplicates(part[1] if isinstance(part, tuple) else part, (*path, step), seen)
