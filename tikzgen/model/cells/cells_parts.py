"""Parts of a figure of cells: arrays, bars, flows, braces, notes, and the base class `CellsParts`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from tikzgen.base.errors import quote
from tikzgen.base.record import Record
from tikzgen.base.suggest import suggest_known_names
from tikzgen.model.addresses import Address, AddressAxis, Range, Reason, find_ranges, read_address
from tikzgen.model.cells.bars import SizeAxis, SizeBar
from tikzgen.model.cells.cell_arrays import CellArray, Rectangle
from tikzgen.model.cells.cell_fills import CellKey, FillLetter, owner_key
from tikzgen.model.content import Content, FreeNote, Path
from tikzgen.model.part import Id, Part, Ref, make_empty_list
from tikzgen.text import Numbered, Text, fill_number
from tikzgen.text.spoken_labels import label_to_unicode


class CellFlow(Part):
    """An arrow between cells, rows, columns, arrays or bars."""

    source: Ref
    """Address at which the flow starts, such as `table[0,0]`."""
    target: Ref
    """Address at which the flow ends, such as `pool.row(7)`."""
    kind: str = "data"
    """Kind of the flow: a name of `kinds` or a built-in one (data, gradient, weight, message, control, …)."""
    id: Id | None = None
    """Name of the flow, for links that end on it."""
    label: Text = ""
    """Text next to the flow."""
    direction: Literal["forward", "backward", "both", "none"] = "forward"
    """Ends with arrow heads."""
    route: Literal["auto", "straight", "curved", "elbow", "wrap"] = "auto"
    """Shape of the line. `elbow` is orthogonal. `wrap` draws two stubs: out of the array next to the source, and
    into the array, at the opposite edge, next to the target. `auto`: straight between cells that face each other,
    otherwise curved."""
    step: int | None = Field(default=None, ge=1, le=99)
    """Number in a circle on the flow, to show the order of events."""


class CellBrace(Part):
    """A brace along rows or columns, with a label."""

    over: Ref
    """Cells along which it runs, such as `pool[0:2,:]`."""
    label: Text
    """Text at the tip of the brace."""
    side: Literal["before", "after"] = "before"
    """Left of the rows or above the columns (`before`), or the opposite side."""
    axis: Literal["rows", "columns"] | None = None
    """Whether it runs along rows (upright) or along columns (level); null takes columns if the address has all rows,
    or one row."""


class CellEntry(Part):
    """An arrow to all arrays: from the left, or from above if the parts of the panel are in a column."""

    label: Text = ""
    """Text at the arrow."""
    kind: str = "data"
    """Kind of the arrow, like the kind of a flow."""


class CellElement(Record):
    """An element at an address: an array with cells, or a bar with segments.

    `way` is the form of the address.
    """

    array: CellArray | None = None
    cells: Rectangle | None = None
    bar: SizeBar | None = None
    parts: Range = (0, 0)
    way: str = "all"

    @property
    def is_layer(self) -> bool:
        """Whether it is a whole layer that is drawn as a separate array."""
        if self.array is None or self.cells is None or not self.array.layers_apart:
            return False
        (first, end), (_, rows, columns) = self.cells.layers, self.array.shape
        return end - first == 1 and self.cells.rows == (0, rows) and self.cells.columns == (0, columns)


class CellsParts(Content):
    """Parts of a figure of cells, without consistency checks."""

    layout_address = "tikzgen.layout.cells.cells_kind:KIND"
    sentences_address = "tikzgen.model.cells.cells_sentences:describe"
    operations_address = "tikzgen.model.cells.cells_names:OPERATIONS"
    names_address = "tikzgen.model.cells.cells_names:list_names"
    other_names = ("array", "arrays", "matrix", "tensor", "memory", "mask")

    type: Literal["cells"] = "cells"
    """Type of the part."""
    arrays: list[CellArray] = Field(default_factory=make_empty_list, max_length=256)
    """The arrays, in reading order."""
    arrange: Literal["row", "column", "grid"] | None = None
    """Arrangement of the arrays; null takes the first of row, grid and column that fits the width. Arrays with `beside`
    stay at their array."""
    columns: int | None = Field(default=None, ge=1, le=64)
    """Arrays per row of a grid; null takes as many as fit."""
    keys: dict[FillLetter, CellKey] = Field(default_factory=dict)
    """Meaning of the letters in every fill. Without any keys, a to l are owners 0 to 11."""
    collapse: int | None = Field(default=None, ge=2, le=128)
    """Maximum number of rows and of columns that are drawn if the figure would be too wide: the first ones, dots, and
    the last; null draws all."""
    bars: list[SizeBar] = Field(default_factory=make_empty_list, max_length=64)
    """Bars to scale below the arrays, from top to bottom."""
    axis: SizeAxis | None = None
    """Axis below the bars; null draws none."""
    owner_name: Numbered = "owner {n}"
    """Name of the owners in descriptions and the legend: `{n}` is the number, as in `rank {n}`."""
    flows: list[CellFlow] = Field(default_factory=make_empty_list)
    """Arrows between cells."""
    entry: CellEntry | None = None
    """Arrow to this part from the previous part of the panel; null draws none."""
    braces: list[CellBrace] = Field(default_factory=make_empty_list)
    """Braces along rows and columns."""
    notes: list[FreeNote] = Field(default_factory=make_empty_list)
    """Notes next to the part, or next to the element that they describe."""

    def named_parts(self) -> Iterator[tuple[str, Path]]:
        """Yield arrays, bars, and flows with an id."""
        yield from ((array.id, ("arrays", index)) for index, array in enumerate(self.arrays))
        yield from ((bar.id, ("bars", index)) for index, bar in enumerate(self.bars))
        yield from ((flow.id, ("flows", index)) for index, flow in enumerate(self.flows) if flow.id)

    def find_axes(self, name: str) -> tuple[AddressAxis, ...]:
        """Return the layers, rows and columns of an array, or the segments of a bar."""
        for array in self.arrays:
            if array.id == name:
                return tuple(array.axes)
        return next((_axes_of_bar(bar) for bar in self.bars if bar.id == name), ())

    def find_element(self, address: Address) -> CellElement | Reason | None:
        """Return the element at an address; None for other names, a reason if it is out of range."""
        for array in self.arrays:
            if array.id == address.name:
                found = array.find_rectangle(address)
                return found if isinstance(found, Reason) else CellElement(array, found, way=address.way)
        for bar in self.bars:
            if bar.id == address.name:
                return _find_segments(bar, address)
        return None

    def resolve(self, address: Address) -> Reason | None:
        """Return why an address names no drawn part, or None if it does."""
        found = self.find_element(address)
        if isinstance(found, Reason):
            return found
        if isinstance(found, CellElement):
            return found.array.why_hidden(found.cells) if found.array and found.cells else None
        names = {name for name, _ in self.named_parts()}
        if address.base in names:
            return None
        return Reason(f"unknown part {quote(address.base)}", suggest_known_names(address.name, sorted(names)))

    def name_node(self, address: Address) -> str:
        """Return the name of the node at an address; a layer that is apart has the name of its array."""
        found = self.find_element(address)
        if isinstance(found, CellElement) and found.is_layer and found.array and found.cells:
            return found.array.layers_apart[found.cells.layers[0]].id
        return super().name_node(address)

    def find_checked_element(self, text: str) -> CellElement:
        """Return the element at a checked address."""
        found = self.find_element(read_address(text))
        assert isinstance(found, CellElement)
        return found

    def key_of(self, array: CellArray, letter: str) -> CellKey | None:
        """Return the meaning of a letter in the fill of an array; None if it has none."""
        if array.keys or self.keys:
            return array.keys.get(letter) or self.keys.get(letter)
        return owner_key(letter)

    def keys_used(self) -> Iterator[tuple[CellKey, Path]]:
        """Yield the keys of the letters that fills and regions use, with their paths; each once per array."""
        for index, array in enumerate(self.arrays):
            for letter in dict.fromkeys(array.letters):
                if (key := self.key_of(array, letter)) is not None:
                    yield key, _path_of_key(array, index, letter, shared=letter in self.keys)

    def phases(self) -> Iterator[tuple[str, Path]]:
        """Yield the roles of cells and of segments."""
        yield from ((key.role, (*path, "role")) for key, path in self.keys_used() if key.role is not None)
        for index, bar in enumerate(self.bars):
            for place, part in enumerate(bar.parts):
                if part.role is not None:
                    yield part.role, ("bars", index, "parts", place, "role")

    def list_owners(self) -> Iterator[tuple[int, Path]]:
        """Yield the numbers of owners, each with the path of the field that names it."""
        for key, path in self.keys_used():
            if key.owner is not None:
                yield key.owner, path if path[-1] == "fill" else (*path, "owner")
        for index, bar in enumerate(self.bars):
            for place, part in enumerate(bar.parts):
                if part.owner is not None:
                    yield part.owner, ("bars", index, "parts", place, "owner")

    def list_ramps(self) -> list[str]:
        """List the labels of its ramps, each once: the text and the range."""
        ramps = (array.ramp for array in self.arrays if array.ramp is not None)
        return list(dict.fromkeys(ramp.legend_label for ramp in ramps))

    def flow_kinds(self) -> Iterator[tuple[str, Path]]:
        """Yield the kinds of its flows."""
        yield from ((flow.kind, ("flows", index, "kind")) for index, flow in enumerate(self.flows))
        yield from [(self.entry.kind, ("entry", "kind"))] if self.entry else []

    def steps(self) -> list[int]:
        """Return the step numbers of its flows, in order."""
        return sorted({flow.step for flow in self.flows if flow.step})

    def name_owner(self, owner: int) -> Text:
        """Return the name of an owner."""
        return fill_number(self.owner_name, owner)

    def legend_names(self) -> Iterator[str]:
        """Yield the numbers of its steps."""
        yield from map(str, self.steps())

    def named_owners(self) -> set[int]:
        """Return the owners whose number a cell, its headers, its array or its segment shows."""
        found: set[int] = set()
        for array in self.arrays:
            found |= set(self._owners_named_in(array))
        for bar in self.bars:
            for part in bar.parts:
                if part.owner is not None and part.owner in _numbers_in(bar.label, part.label):
                    found.add(part.owner)
        return found

    def _owners_named_in(self, array: CellArray) -> Iterator[int]:
        grid = array.grid
        around: dict[tuple[int, int, int], list[str]] = {cell: [text] for cell, text in grid.texts.items()}
        for one in grid.labeled:
            for cell in one.place.iterate_cells():
                around.setdefault(cell, []).append(array.regions[one.region].label)
        owners = {letter: key.owner for letter in set(array.letters) if (key := self.key_of(array, letter))}
        heads = _header_numbers(array)
        title = _numbers_in(array.label)
        for layer, lines in enumerate(grid.fills):
            for row, line in enumerate(lines):
                for column, letter in enumerate(line):
                    owner = owners.get(letter)
                    if owner is not None and (
                        owner in title
                        or owner in heads[0][row]
                        or owner in heads[1][column]
                        or owner in _numbers_in(*around.get((layer, row, column), ()))
                    ):
                        yield owner


def _path_of_key(array: CellArray, index: int, letter: str, *, shared: bool) -> Path:
    """Return the field that gives a letter its meaning."""
    if letter in array.keys:
        return "arrays", index, "keys", letter
    return ("keys", letter) if shared else ("arrays", index, "fill")


def _header_numbers(array: CellArray) -> tuple[list[set[int]], list[set[int]]]:
    """Return the numbers that the headers show, by row and by column."""
    found: list[list[set[int]]] = []
    for axis, (header, count) in enumerate(((array.rows, array.shape[1]), (array.columns, array.shape[2]))):
        counts = not header.texts and header.text == "{n}"  # a position, not an owner
        shown = [header.text_of(index) if header.side != "none" and not counts else "" for index in range(count)]
        numbers = [_numbers_in(text) for text in shown]
        for group in header.groups:
            held = header.find_range(group.cells, "column" if axis else "row", count)
            for index in range(*held) if isinstance(held, tuple) else ():
                numbers[index] |= _numbers_in(group.label)
        found.append(numbers)
    return found[0], found[1]


_NUMBER = re.compile(r"\d{1,9}")


def _numbers_in(*texts: str) -> set[int]:
    return {int(number) for text in texts if text for number in _NUMBER.findall(label_to_unicode(text))}


def _axes_of_bar(bar: SizeBar) -> tuple[AddressAxis, ...]:
    return (AddressAxis("part", len(bar.parts), 0, [part.id or "" for part in bar.parts]),)


def _find_segments(bar: SizeBar, address: Address) -> CellElement | Reason:
    found = find_ranges(_axes_of_bar(bar), address)
    return found if isinstance(found, Reason) else CellElement(bar=bar, parts=found[0], way=address.way)
