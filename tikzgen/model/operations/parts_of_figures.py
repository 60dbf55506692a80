"""The parts of a figure, and the figure with other ones: what speaks of a part by its name follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import is_
from typing import Any, TypeVar, get_args, get_type_hints

from tikzgen.base.patterns import pattern_of
from tikzgen.model.base import Id, Part, Ref
from tikzgen.model.figure import Figure
from tikzgen.model.panel_parts import Link, Panel
from tikzgen.text import Tex

_NUMBERED = pattern_of(r"(.*?)([0-9]+)")
_DIGITS = pattern_of(r"[0-9]+")


def next_id(ids: list[str]) -> str:
    """The id that goes on where the last one stopped: w3 → w4."""
    match = _NUMBERED.fullmatch(ids[-1])
    stem, number = (match[1], int(match[2])) if match else (ids[-1], 1)
    while f"{stem}{number}" in ids or (number == 1 and not match):
        number += 1
    return f"{stem}{number}"


def renumbered(text: Any, old: str, new: str) -> Any:
    """A text whose one number is set forward by as much as the id's."""
    before, after = _NUMBERED.fullmatch(old), _NUMBERED.fullmatch(new)
    if not (before and after and isinstance(text, str)) or isinstance(text, Tex) or len(_DIGITS.findall(text)) != 1:
        return text
    return _DIGITS.sub(lambda digits: str(int(digits[0]) + int(after[2]) - int(before[2])), text)


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


P = TypeVar("P", bound=Part)
Renames = Mapping[str, str | None]
"""What parts are called from now on by what they were called; None for what is gone."""


def copied(part: P, **changes: Any) -> P:
    """The same part but for some fields, which are of their type already."""
    return part.model_copy(update=changes)


def parts(figure: Figure, kind: type[P]) -> Iterator[tuple[Panel, P]]:
    """All contents of one kind, with their panels."""
    for panel in figure.panels:
        for content in panel.content:
            if isinstance(content, kind):
                yield panel, content


def entries(part: Part, field: str = "") -> Iterator[tuple[str, int, Part]]:
    """What stands in the lists of a content: field, place, and the entry."""
    for name in type(part).model_fields:
        value = getattr(part, name)
        if field in ("", name) and isinstance(value, list):
            yield from ((name, place, entry) for place, entry in enumerate(value) if isinstance(entry, Part))


def changed_parts(figure: Figure, kind: type[P], change: Callable[[P], tuple[P, Renames] | None]) -> Figure | None:
    """The figure with its contents of one kind changed; links to what was renamed follow, those to what is gone go.

    `change` gives the new content and what is called otherwise in it, or None where it has nothing to change. None
    where that is so everywhere.
    """
    links, panels, hit = list(figure.links), [], False
    for panel in figure.panels:
        contents: list[Any] = []
        for content in panel.content:
            made = change(content) if isinstance(content, kind) else None
            contents.append(content if made is None else made[0])
            if made is not None:
                hit = True
                prefix = f"{panel.id}." if len(figure.panels) > 1 else ""
                links = [found for link in links if (found := _relinked(link, prefix, made[1])) is not None]
        panels.append(panel if all(map(is_, contents, panel.content)) else copied(panel, content=contents))
    return copied(figure, panels=panels, links=links) if hit else None


def changed_first(figure: Figure, kind: type[P], change: Callable[[P], tuple[P, Renames] | None]) -> Figure | None:
    """As `changed_parts`, but for the first content alone in which there is something to change."""
    hit = False

    def once(part: P) -> tuple[P, Renames] | None:
        nonlocal hit
        made = None if hit else change(part)
        hit = hit or made is not None
        return made

    return changed_parts(figure, kind, once)


def renamed_ref(ref: str, renames: Renames) -> str | None:
    """What a reference says from now on: its point on a flow stays. None where it speaks of what is gone."""
    name, at, place = ref.partition("@")
    found = renames.get(name, name)
    return None if found is None else f"{found}{at}{place}"


def _relinked(link: Link, prefix: str, renames: Renames) -> Link | None:
    if not renames:
        return link
    changes = {}
    for field in ("source", "target"):
        end = getattr(link, field)
        if end.startswith(prefix):
            found = renamed_ref(end.removeprefix(prefix), renames)
            if found is None:
                return None
            changes[field] = prefix + found
    return copied(link, **changes)
