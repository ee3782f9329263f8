"""Things found by name: from a table of dotted paths, or from the entry points of other packages."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping


def named(noun: str, name: str, table: Mapping[str, str], group: str) -> Any:
    """The object called `name`, imported now. `noun` is what the message calls it. Raises UsageError."""
    if name in table:
        return at_path(table[name])
    found = _entry_point(group, name)
    if found is None:
        raise UsageError(f"no {noun} is called {name!r}; there are: {', '.join(sorted(table))}")
    return found


@cache
def at_path(path: str) -> Any:
    """The object at a dotted path, `package.module:attribute`."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)


@cache
def _entry_point(group: str, name: str) -> Any:
    from importlib.metadata import entry_points

    return next((entry.load() for entry in entry_points(group=group) if entry.name == name), None)
