"""Arrays of cells: their shape, and the fill and text of each cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, Self, TypeAlias, TypeVar

from pydantic import Field, PrivateAttr, model_validator

from tikzgen.base.errors import quote
from tikzgen.base.record import Record
from tikzgen.base.spelt_numbers import read_fraction
from tikzgen.model.addresses import Address, AddressAxis, Range, Reason, find_ranges, read_keys, spell_keys
from tikzgen.model.cells.cell_fills import (
    EMPTY,
    HOLE,
    VALUE_CLASSES_COUNT,
    VALUE_PREFIX,
    CellKey,
    CellLine,
    CellMark,
    CellRegion,
    FillLetter,
    Ramp,
)
from tikzgen.model.cells.headers import AnyLayers, Header, LayerHeader
from tikzgen.model.part import Id, Part, Words, label_by_id, make_empty_list
from tikzgen.text import Tex, Text

MOST_CELLS = 16384
MOST_TEXTS = 1024
Cell: TypeAlias = tuple[int, int, int]
"""Indices of a cell: layer, row, column."""
_Placed = TypeVar("_Placed", CellRegion, CellMark)


class Rectangle(Record):
    """Cells of one or more layers, as half-open ranges of indices."""

    layers: Range
    rows: Range
    columns: Range

    def iterate_cells(self) -> Iterator[Cell]:
        """Yield the cells, layer by layer and row by row."""
        for layer in range(*self.layers):
            for row in range(*self.rows):
                yield from ((layer, row, column) for column in range(*self.columns))


class MergedCells(Record):
    """A merged region as it is drawn: its rectangle, and the index of its region."""

    place: Rectangle
    region: int


class CellGrid(Record):
    """The cells of an array: fills by layer and row, labels by cell, and regions.

    `merged` are merged regions, `labeled` are regions with a label. A fill is a character of `fill`, or, for a value in
    a ramp, the prefix of classes and the number of its class.
    """

    fills: tuple[tuple[tuple[str, ...], ...], ...]
    texts: dict[Cell, Text]
    merged: tuple[MergedCells, ...]
    labeled: tuple[MergedCells, ...]


class CellArray(Part):
    """An array of cells, with headers. Cells have addresses: `pool[7,2]`, `pool[0:2,:]`, `pool.row(7)`."""

    id: Id
    """Name of the array in the figure."""
    label: Text = ""
    """Text at the array. Without this field, the text is the id; an empty string leaves it blank."""
    label_at: Literal["above", "below", "before", "after"] = "above"
    """Side of the label; `before` is to the left."""
    size: list[int] | None = Field(default=None, min_length=2, max_length=3)
    """Rows and columns, or layers, rows and columns. Null takes the size of the fill, the values or the headers."""
    rows: Header = Field(default_factory=Header)
    """Header of the rows."""
    columns: Header = Field(default_factory=Header)
    """Header of the columns."""
    layers: AnyLayers = Field(default_factory=LayerHeader)
    """Header of the layers, if there are several; `apart` draws each layer as a separate array."""
    fill: str | list[str] = ""
    """One character per cell, one line per row: a key, `.` for an empty cell, `#` for a masked one, a space for none.
    Spaces at the end of a line may be omitted; rows without a line are empty. A list has one entry per row, or per
    layer if there are layers."""
    keys: dict[FillLetter, CellKey] = Field(default_factory=dict)
    """Meaning of the letters in the fill, over the keys of the part. Without any keys, a to l are owners 0 to 11."""
    values: dict[Words, Text | list[Text | None]] | list[list[Text | None]] = Field(default_factory=dict)
    """Labels in the cells: a list per row, or by address one label for all cells or a list in their order. Null leaves
    a cell without a label."""
    ramp: Ramp | None = None
    """Fills by value; the values are then numbers."""
    regions: list[CellRegion] = Field(default_factory=make_empty_list, max_length=MOST_TEXTS)
    """Rectangles over the fill, such as merged cells; later ones cover earlier ones."""
    marks: list[CellMark] = Field(default_factory=make_empty_list, max_length=MOST_TEXTS)
    """Borders and diagonals on cells."""
    lines: list[CellLine] = Field(default_factory=make_empty_list, max_length=16)
    """Heavy lines behind rows or columns."""
    divided: bool = False
    """Whether wide gaps divide areas of different fills, such as shards."""
    cell: Literal["shared", "own"] = "shared"
    """Size of the cells: the size that all arrays share, or a separate one with separate parameters."""
    beside: Id | None = None
    """Id of an array to which this array is attached, with a small gap, and with its rows or columns aligned."""
    side: Literal["left", "right", "above", "below"] = "right"
    """Side of the array in `beside`."""

    _grid: CellGrid | None = PrivateAttr(default=None)
    _shape: tuple[int, int, int] | None = PrivateAttr(default=None)
    _layers_apart: tuple[CellArray, ...] | None = PrivateAttr(default=None)

    @model_validator(mode="before")
    @classmethod
    def _label_by_id(cls, data: Any) -> Any:
        return label_by_id(data)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with some fields changed, which finds its cells again."""
        made = super().model_copy(update=update, deep=deep)
        made._grid = made._shape = made._layers_apart = None
        return made

    def stated_fields(self) -> frozenset[str]:
        """Return "label" if the label is empty, because without this field, the array shows its id."""
        return frozenset() if self.label else frozenset({"label"})

    def fill_lines(self, layer: int) -> list[str]:
        """Return the lines of the fill for a layer, without the last line break."""
        if isinstance(self.fill, list) and not self.is_layered:
            return self.fill
        text = self.fill if isinstance(self.fill, str) else self.fill[layer] if layer < len(self.fill) else ""
        return text.removesuffix("\n").split("\n") if text else []

    @property
    def is_layered(self) -> bool:
        """Whether the size has layers, or the fill lists layers of several lines."""
        listed = isinstance(self.fill, list) and any("\n" in text for text in self.fill)
        return len(self.size) == 3 if self.size is not None else listed

    @property
    def shape(self) -> tuple[int, int, int]:
        """Number of layers, rows and columns."""
        if self._shape is None:
            self._shape = self._find_shape()
        return self._shape

    def _find_shape(self) -> tuple[int, int, int]:
        if self.size is not None:
            layers, rows, columns = self.size if len(self.size) == 3 else (1, *self.size)
            return layers, rows, columns
        layers = max(1, len(self.fill)) if self.is_layered else 1
        lines = [self.fill_lines(layer) for layer in range(layers)]
        values = self.values if isinstance(self.values, list) else []
        rows = max(*map(len, lines), len(values), len(self.rows.texts), len(self.rows.ids))
        wide = [len(line) for each in lines for line in each] + [len(row) for row in values]
        return layers, rows, max([0, *wide, len(self.columns.texts), len(self.columns.ids)])

    @property
    def has_layers(self) -> bool:
        """Whether addresses have a key for the layer."""
        return self.is_layered

    @property
    def axes(self) -> list[AddressAxis]:
        """Layers (if any), rows and columns, as addresses name them."""
        layers, rows, columns = self.shape
        every = [AddressAxis("layer", layers)] if self.has_layers else []
        every.append(AddressAxis("row", rows, self.rows.first, self.rows.ids))
        return [*every, AddressAxis("column", columns, self.columns.first, self.columns.ids)]

    def find_rectangle(self, address: Address) -> Rectangle | Reason:
        """Return the cells of an address, or the reason for an error."""
        found = find_ranges(self.axes, address)
        if isinstance(found, Reason):
            return found
        return Rectangle(*found) if self.has_layers else Rectangle((0, 1), *found)

    def find_keys(self, keys: str) -> Rectangle | Reason:
        """Return the cells of keys, as in `at: "3,0:2"`."""
        return self.find_rectangle(Address(self.id, "cells", read_keys(keys)))

    def find_checked(self, keys: str) -> Rectangle:
        """Return the cells of keys that were checked."""
        found = self.find_keys(keys)
        assert not isinstance(found, Reason)
        return found

    @property
    def grid(self) -> CellGrid:
        """Fills, labels and merged regions, with the regions on top."""
        if self._grid is None:
            self._grid = self._make_grid()
        return self._grid

    def _make_grid(self) -> CellGrid:
        layers, rows, columns = self.shape
        fills = [self._layer_fills(layer, rows, columns) for layer in range(layers)]
        texts = dict(self.iterate_values())
        if self.ramp is not None:
            for (layer, row, column), text in texts.items():
                fills[layer][row][column] = f"{VALUE_PREFIX}{class_of_value(self.ramp, text)}"
            texts = {cell: minus_signed(text) for cell, text in texts.items()} if self.ramp.texts else {}
        merged, labeled = [], []
        for index, region in enumerate(self.regions):
            place = self.find_checked(region.at)
            for layer, row, column in place.iterate_cells() if region.fill is not None else ():
                fills[layer][row][column] = region.fill or EMPTY
            if region.merged or region.label:
                for cell in place.iterate_cells():
                    texts.pop(cell, None)
            labeled += [MergedCells(place, index)] if region.label else []
            merged += [MergedCells(place, index)] if region.merged else []
        frozen = tuple(tuple(map(tuple, layer)) for layer in fills)
        return CellGrid(frozen, texts, tuple(merged), tuple(labeled))

    @property
    def letters(self) -> list[str]:
        """Characters of the fills that cells have, each once."""
        return list(dict.fromkeys(letter for layer in self.grid.fills for line in layer for letter in line))

    def _layer_fills(self, layer: int, rows: int, columns: int) -> list[list[str]]:
        lines = self.fill_lines(layer)
        made = [[*line.ljust(columns, HOLE)[:columns]] for line in lines[:rows]]
        return made + [[EMPTY] * columns for _ in range(rows - len(made))]

    def iterate_values(self) -> Iterator[tuple[Cell, Text]]:
        """Yield the labels of `values`, by cell; later ones replace earlier ones."""
        if isinstance(self.values, list):
            for row, texts in enumerate(self.values):
                yield from (((0, row, column), text) for column, text in enumerate(texts) if text is not None)
            return
        for keys, given in self.values.items():
            cells = list(self.find_checked(keys).iterate_cells())
            found = given if isinstance(given, list) else [given] * len(cells)
            yield from ((cell, text) for cell, text in zip(cells, found, strict=True) if text is not None)

    @property
    def is_level(self) -> bool:
        """Whether it is attached at the left or at the right of its array."""
        return self.side in ("left", "right")

    @property
    def hides_layers(self) -> bool:
        """Whether nearer layers hide cells of other layers."""
        return self.shape[0] > 1 and not self.layers.apart

    @property
    def layers_apart(self) -> tuple[CellArray, ...]:
        """The layers as arrays, if each is drawn as a separate array: `w-0`, `w-1`."""
        if not (self.layers.apart and self.has_layers):
            return ()
        if self._layers_apart is None:
            self._layers_apart = tuple(map(self._take_layer, range(self.shape[0])))
        return self._layers_apart

    def _take_layer(self, layer: int) -> CellArray:
        """Return a layer as an array."""
        _, rows, columns = self.shape

        def take(entries: list[_Placed]) -> list[_Placed]:
            return [
                one.model_copy(update={"at": spell_keys(read_keys(one.at)[-2:])})
                for one in entries
                if layer in range(*self.find_checked(one.at).layers)
            ]

        texts = {
            f"{self.rows.first + row},{self.columns.first + column}": text
            for (at, row, column), text in self.iterate_values()
            if at == layer
        }
        changed = {
            "id": f"{self.id}-{layer}",
            "size": [rows, columns],
            "fill": self.fill_lines(layer),
            "values": texts,
            "regions": take(self.regions),
            "marks": take(self.marks),
            "layers": LayerHeader(),
        }
        return self.model_copy(update=changed)

    def why_hidden(self, place: Rectangle) -> Reason | None:
        """Return why no cell of a rectangle is drawn, or None if one is."""
        for what, header, count, (start, end) in (
            ("row", self.rows, self.shape[1], place.rows),
            ("column", self.columns, self.shape[2], place.columns),
        ):
            drawn = [index for index in header.drawn_indices(count) if index is not None]
            if not any(start <= index < end for index in drawn):
                hint = f"set a larger {what}s.show"
                return Reason(f"dots replace {what} {header.first + start} of {self.id}", hint)
        if self.layers_apart and place.layers[1] - place.layers[0] > 1:
            hint = f"name one of them, such as {self.id}[{place.layers[0]},:,:]"
            return Reason(f"each layer of {quote(self.id)} is a separate array", hint)
        if place.layers[0] > 0 and self.hides_layers:
            return Reason(f"the first layer of {self.id} hides these cells", "set layers: apart")
        letters = (self.grid.fills[layer][row][column] for layer, row, column in place.iterate_cells())
        if all(letter == HOLE for letter in letters):
            return Reason(f"{self.id} has no cells here", "the fill has spaces there")
        return None


def minus_signed(text: Text) -> Text:
    """Return a number as a label, with a minus instead of a hyphen."""
    return text if isinstance(text, Tex) else str(text).replace("-", "\u2212")


def class_of_value(ramp: Ramp, text: Text) -> int | None:
    """Return the class of a value, or None for other labels and for values outside of the ramp."""
    try:
        value = read_fraction(str(text))
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    if not ramp.start <= value <= ramp.end:
        return None
    return min(VALUE_CLASSES_COUNT - 1, int((value - ramp.start) * VALUE_CLASSES_COUNT / (ramp.end - ramp.start)))
