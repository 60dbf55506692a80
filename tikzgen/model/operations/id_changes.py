"""Another id, in every place of a content that speaks of it: the types of the fields tell which these are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args, get_type_hints

from tikzgen.model.base import Id, Part, Ref
from tikzgen.model.operations.parts_of_figures import Renames, renamed_ref

__all__ = ["ids_in", "with_renamed"]


def ids_in(part: Part) -> list[str]:
    """The ids that the entries of a content have."""
    lists = (getattr(part, name) for name in type(part).model_fields)
    found = (getattr(entry, "id", None) for value in lists if isinstance(value, list) for entry in value)
    return [name for name in found if name]


def with_renamed(value: Any, renames: Renames) -> Any:
    """A part, or several, with other names wherever one stands; what speaks of something that is gone stays."""
    if isinstance(value, list):
        return [with_renamed(one, renames) for one in value]
    if not isinstance(value, Part):
        return value
    changes = {}
    for name in type(value).model_fields:
        held = getattr(value, name)
        new = _in_names(held, renames) if name in _names_in(type(value)) else with_renamed(held, renames)
        if new is not held and new != held:
            changes[name] = new
    return value.model_copy(update=changes) if changes else value


def _in_names(value: Any, renames: Renames) -> Any:
    if isinstance(value, list):
        return [_in_names(one, renames) for one in value]
    return renamed_ref(value, renames) or value if isinstance(value, str) else value


@cache
def _names_in(kind: type[Part]) -> frozenset[str]:
    """The fields of a part that hold ids, or references to what has one."""
    hints = get_type_hints(kind, include_extras=True)
    return frozenset(name for name in kind.model_fields if any(one in (Id, Ref) for one in _types_in(hints[name])))


def _types_in(hint: Any) -> Iterator[Any]:
    yield hint
    for inner in get_args(hint):
        yield from _types_in(inner)
