"""Access to the parts of a figure by type and name, and changes that update references to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from operator import is_
from typing import Annotated, Any, TypeAlias, TypeVar, get_args, get_type_hints

from pydantic import BeforeValidator

from tikzgen.base.errors import EditRefused, quote
from tikzgen.base.extensions import load_address
from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record, replace
from tikzgen.base.suggest import suggest_known_names
from tikzgen.model.addresses import PartEnd, read_address, read_end
from tikzgen.model.content import Content
from tikzgen.model.figure import FigureModel
from tikzgen.model.panel_parts import Link
from tikzgen.model.part import End, Id, Part, Ref
from tikzgen.text import Tex, fill_number

_NUMBERED_NAME = pattern_of(r"(.*?)([0-9]+)")
_DIGITS = pattern_of(r"[0-9]+")


def next_id(ids: list[str]) -> str:
    """Return the id that continues a numbered sequence: w3 → w4."""
    match = _NUMBERED_NAME.fullmatch(ids[-1])
    stem, number = (match[1], int(match[2])) if match else (ids[-1], 1)
    while f"{stem}{number}" in ids or (number == 1 and not match):
        number += 1
    return f"{stem}{number}"


def renumber_text(text: Any, old: str, new: str) -> Any:
    """Increase the only number in a label by as much as the number of its id increased.

    Return a label with no number or several numbers, and raw TeX, unchanged.
    """
    before, after = _NUMBERED_NAME.fullmatch(old), _NUMBERED_NAME.fullmatch(new)
    if not (before and after and isinstance(text, str)) or isinstance(text, Tex) or len(_DIGITS.findall(text)) != 1:
        return text
    number = int(_DIGITS.findall(text)[0]) + int(after[2]) - int(before[2])
    return fill_number(_DIGITS.sub("{n}", text), number)


def ids_in(part: Part) -> list[str]:
    """Return the ids of the entries in the lists of a part."""
    lists = (getattr(part, name) for name in type(part).model_fields)
    found = (getattr(entry, "id", None) for value in lists if isinstance(value, list) for entry in value)
    return [name for name in found if name]


def with_renamed(value: Any, renames: Renames) -> Any:
    """Return a part or a list with ids and references renamed; references to removed parts stay unchanged."""
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
    """Return the fields of a part that contain ids or references to ids."""
    hints = get_type_hints(kind, include_extras=True)
    return frozenset(name for name in kind.model_fields if any(one in (Id, Ref, End) for one in _types_in(hints[name])))


def _types_in(hint: Any) -> Iterator[Any]:
    yield hint
    for inner in get_args(hint):
        yield from _types_in(inner)


P = TypeVar("P", bound=Part)
Renames = Mapping[str, str | None]
"""New names, or addresses, by old ones; None for removed parts."""


def copy_with(part: P, **changes: Any) -> P:
    """Return a copy of a part with some fields changed; the values are not validated."""
    return part.model_copy(update=changes)


def iterate_entries(part: Part) -> Iterator[tuple[str, int, Part]]:
    """Yield the entries in the lists of a part: field, index, entry."""
    for name in type(part).model_fields:
        value = getattr(part, name)
        if isinstance(value, list):
            yield from ((name, place, entry) for place, entry in enumerate(value) if isinstance(entry, Part))


def changed_parts(
    figure: FigureModel, kind: type[P], change: Callable[[P], tuple[P, Renames] | None]
) -> FigureModel | None:
    """Return the figure with its parts of one type changed, or None if no part changed.

    `change` returns the new part and its renames, or None for a part to leave unchanged. Links and slides follow the
    renames. References to removed parts are dropped.
    """
    links, slides, panels, hit = list(figure.links), figure.slides, [], False
    for panel in figure.panels:
        contents: list[Any] = []
        for content in panel.content:
            made = change(content) if isinstance(content, kind) else None
            contents.append(content if made is None else made[0])
            if made is not None:
                hit = True
                prefix = f"{panel.id}." if len(figure.panels) > 1 else ""
                links = [found for link in links if (found := _rename_link_ends(link, prefix, made[1])) is not None]
                slides = slides and slides.with_names(partial(_named_now, prefix=prefix, renames=made[1]))
        panels.append(panel if all(map(is_, contents, panel.content)) else copy_with(panel, content=contents))
    return copy_with(figure, panels=panels, links=links, slides=slides) if hit else None


def changed_first(
    figure: FigureModel, kind: type[P], change: Callable[[P], tuple[P, Renames] | None]
) -> FigureModel | None:
    """Change only the first part for which `change` returns a result; otherwise as `changed_parts`."""
    hit = False

    def change_once(part: P) -> tuple[P, Renames] | None:
        nonlocal hit
        made = None if hit else change(part)
        hit = hit or made is not None
        return made

    return changed_parts(figure, kind, change_once)


def renamed_ref(ref: str, renames: Renames) -> str | None:
    """Return a reference after renames, with its cells or point on a flow; None for a removed part."""
    address = ref.address if isinstance(ref, PartEnd) else read_address(ref)
    if address.base in renames and address.way != "all":
        moved = renames[address.base]
        return None if moved is None else str(replace(read_address(moved), along=address.along))
    found = renames.get(address.name, address.name)
    if found is None:
        return None
    renamed = str(replace(address, name=found))
    return read_end(renamed) if isinstance(ref, PartEnd) else renamed


def _rename_link_ends(link: Link, prefix: str, renames: Renames) -> Link | None:
    ends = {field: _named_now(getattr(link, field), prefix, renames) for field in ("source", "target")}
    return None if None in ends.values() else copy_with(link, **ends)


def _named_now(ref: str, prefix: str, renames: Renames) -> str | None:
    """Return a reference from outside of a panel after renames, or None if its part was removed."""
    if not ref.startswith(prefix):
        return ref
    found = renamed_ref(ref.removeprefix(prefix), renames)
    return None if found is None else prefix + found


Pair: TypeAlias = tuple[Any, Any]
"""Entry before and after a change; None if it did not exist or was removed."""
Pairs: TypeAlias = Sequence[Pair]


Ids = Annotated[
    list[Id],
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value, json_schema_input_type=Id | list[Id]),
]
"""Id of one entry, or ids of several."""


def list_entry_ids(entries: Sequence[Any]) -> list[str]:
    """Return the ids of entries that all have one."""
    return [one.id for one in entries]


def with_entries(part: P, field: str, names: Callable[[P], list[str]], pairs: Pairs) -> tuple[P, Renames]:
    """Return a part with other entries in a field, and the renames that follow.

    `names` returns the names of the entries of a part. Each of the `pairs` has an old and a new entry, or None for an
    added or removed one.
    """
    before = dict(zip(map(id, getattr(part, field)), names(part), strict=True))
    made = copy_with(part, **{field: [new for _, new in pairs if new is not None]})
    after = dict(zip(map(id, getattr(made, field)), names(made), strict=True))
    renames = {before[id(old)]: after[id(new)] if new else None for old, new in pairs if old is not None}
    return made, {old: new for old, new in renames.items() if old != new}


class Named(Record):
    """The entries in a `field` of one type of content, and their names, one per entry.

    `remade` returns the content with other entries and the renames. Without it, the entries are exchanged without
    renames. `otherwise` is the hint if there are no entries.
    """

    content: type[Content]
    field: str
    what: str
    names: Callable[[Any], list[str]]
    remade: Callable[[Any, Pairs], tuple[Any, Renames]] | None = None
    otherwise: str = ""

    def names_in(self, figure: FigureModel) -> list[str]:
        """Return the distinct names that a figure has."""
        return list(dict.fromkeys(name for _, _, part in figure.parts(self.content) for name in self.names(part)))

    def list_names_in(self, figure: FigureModel) -> str:
        """Return a hint that lists the names, or `otherwise` if there are no names."""
        known = self.names_in(figure)
        return f"the {self.what}s are {', '.join(known)}" if known else self.otherwise

    def suggest_name(self, figure: FigureModel, name: str) -> str:
        """Return a hint with the nearest name or the known names, or `otherwise` if there are no names."""
        known = self.names_in(figure)
        return suggest_known_names(name, known, f"the {self.what}s are") if known else self.otherwise

    def change_named(
        self, figure: FigureModel, name: str, change: Callable[[Any], Part | None], called: str = ""
    ) -> FigureModel:
        """Change every entry of this name in the figure; remove the entry if `change` returns None."""

        def change_part(part: Content) -> tuple[Content, Renames] | None:
            names = self.names(part)
            if name not in names:
                return None
            held = zip(getattr(part, self.field), names, strict=True)
            pairs = [(one, change(one) if own == name else one) for one, own in held]
            if self.remade:
                return self.remade(part, pairs)
            return copy_with(part, **{self.field: [new for _, new in pairs if new is not None]}), {}

        made = changed_parts(figure, self.content, change_part)
        if made is None:
            message = f"unknown {self.what} {called or quote(name)}"
            raise EditRefused(f"no-{self.what}", message, nearest=self.suggest_name(figure, name))
        return made


class Rows(Record):
    """Functions that add and remove the lanes of one type of content.

    `add(part, name, label)` adds a lane at the end; `remove(part, name)` returns None if there is no such lane.
    """

    names: Callable[[Any], list[str]]
    add: Callable[[Any, str, Any], tuple[Any, Renames]]
    remove: Callable[[Any, str], tuple[Any, Renames] | None]


def kinds_with_rows(figure: FigureModel) -> dict[type[Content], Rows]:
    """Return the kinds of content in a figure that have lanes."""
    kinds = dict.fromkeys(type(part) for _, _, part in figure.parts(Content) if part.rows_address)
    return {kind: load_address(kind.rows_address) for kind in kinds}
