"""The parts of a figure, and the figure with other ones: what speaks of a part by its name follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from tikzgen.model.base import Part
from tikzgen.model.figure import Figure, Link, Panel

__all__ = ["Renames", "changed_first", "changed_parts", "copied", "entries", "parts", "renamed_ref"]

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
        panels.append(panel if all(map(_same, contents, panel.content)) else copied(panel, content=contents))
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


def _same(one: object, other: object) -> bool:
    return one is other


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
