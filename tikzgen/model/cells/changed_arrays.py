"""Arrays with a row or a column more or less, and with other cells; addresses follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

from tikzgen.model.addresses import Address, AddressAxis, Key, Reason, move_address, move_key, read_address, read_keys
from tikzgen.model.cells.cell_arrays import Cell, CellArray, Rectangle
from tikzgen.model.cells.cell_fills import EMPTY, HOLE
from tikzgen.model.cells.headers import Header
from tikzgen.model.operations.parts_of_figures import copy_with, next_id, renumber_text
from tikzgen.model.part import Part
from tikzgen.text import Text

Way = Literal["row", "column"]
_T = TypeVar("_T")
_P = TypeVar("_P", bound=Part)


class MovedAddresses(Mapping[str, str | None]):
    """Addresses in an array after a row or column was added (`by` 1) or removed (-1), by old address."""

    def __init__(self, array: CellArray, way: Way, index: int, by: int) -> None:
        self._array, self._way, self._index, self._by = array, way, index, by

    def __getitem__(self, text: str) -> str | None:
        address = read_address(text)
        if address.name != self._array.id or address.way == "all":
            raise KeyError(text)
        moved = move_address(address, self._array.axes, self._way, self._index, self._by)
        return None if moved is None else str(moved)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def change_count(array: CellArray, way: Way, index: int, like: int, label: Text | None) -> CellArray:
    """Return the array with a row or column before an index, as a copy of another one."""
    keyed = _with_moved_keys(array, way, index, 1)
    made = copy_with(
        keyed,
        size=_size(array, way, 1),
        fill=_with_fill(array, way, index, like),
        **{f"{way}s": _with_header(getattr(keyed, f"{way}s"), array, way, index, like, label)},
    )
    if isinstance(array.values, list):
        return copy_with(made, values=_insert_in_lists(array, way, index, like))
    axis, texts, now = 1 if way == "row" else 2, dict(array.iterate_values()), dict(made.iterate_values())
    layers, rows, columns = made.shape
    line = ((index, index + 1), (0, columns)) if way == "row" else ((0, rows), (index, index + 1))
    copied = {
        cell: texts.get(_with_index(cell, axis, like), "") for cell in Rectangle((0, layers), *line).iterate_cells()
    }
    return with_texts(made, {cell: text for cell, text in copied.items() if now.get(cell, "") != text})


def remove_one(array: CellArray, way: Way, index: int) -> CellArray:
    """Return the array without a row or column."""
    keyed = _with_moved_keys(array, way, index, -1)
    made = copy_with(
        keyed,
        size=_size(array, way, -1),
        fill=_without_fill(array, way, index),
        **{f"{way}s": _without_header(getattr(keyed, f"{way}s"), index)},
    )
    if isinstance(array.values, list):
        made = copy_with(made, values=_remove_in_lists(array.values, way, index))
    return made


def _size(array: CellArray, way: Way, by: int) -> list[int] | None:
    """Return the stated size, changed; it stays null only if fill, values or headers follow the change."""
    layers, rows, columns = array.shape
    changed = [rows + by, columns] if way == "row" else [rows, columns + by]
    if array.size is None and array.has_layers:
        return [layers, *changed]
    return [*array.size[:-2], *changed] if array.size is not None else changed


def _with_moved_keys(array: CellArray, way: Way, index: int, by: int) -> CellArray:
    """Return the array with the addresses in its regions, marks, lines, groups and values moved."""

    def move(part: _P) -> _P | None:
        keys = _move_keys(array, part.at, way, index, by)  # type: ignore[attr-defined]
        return None if keys is None else copy_with(part, at=keys)

    header: Header = getattr(array, f"{way}s")
    axis = array.axes[-2 if way == "row" else -1]
    groups = []
    for group in header.groups:
        key = move_key(read_keys(group.cells)[0], axis, index, by)
        groups += [copy_with(group, cells=str(key))] if key is not None else []
    lines = []
    for line in array.lines:
        own = line.axis == f"{way}s" and isinstance(line.after, int)
        behind = own and isinstance(line.after, int) and line.after - header.first >= index
        lines.append(copy_with(line, after=line.after + by) if behind and isinstance(line.after, int) else line)
    values: Any = array.values
    if isinstance(values, dict):
        values = {}
        for keys, given in array.values.items():  # type: ignore[union-attr]  # a mapping
            now = _move_keys(array, keys, way, index, by)
            if now is not None:
                moved = _move_texts(array, (keys, now), given, way, index, by) if isinstance(given, list) else given
                values[now] = _cover(values[now], moved) if now in values else moved
    return copy_with(
        array,
        regions=[one for one in map(move, array.regions) if one],
        marks=[one for one in map(move, array.marks) if one],
        lines=lines,
        values=values,
        **{f"{way}s": copy_with(header, groups=groups)},
    )


def _cover(under: Text | list[Text | None], over: Text | list[Text | None]) -> Text | list[Text | None]:
    """Return the labels of cells that two entries name; null in the later one shows the earlier one."""
    if not isinstance(over, list):
        return over
    below = under if isinstance(under, list) else [under] * len(over)
    return [low if text is None else text for low, text in zip(below, over, strict=True)]


def _move_keys(array: CellArray, keys: str, way: Way, index: int, by: int) -> str | None:
    moved = move_address(Address(array.id, "cells", read_keys(keys)), array.axes, way, index, by)
    return None if moved is None else ",".join(map(str, moved.keys))


def _move_texts(
    array: CellArray, keys: tuple[str, str], given: Sequence[Text | None], way: Way, index: int, by: int
) -> list[Text | None]:
    """Return the labels of a range in the order of its cells: no label in an added row.

    `keys` are the old ones and the new ones.
    """
    place, at = array.find_checked(keys[0]), -2 if way == "row" else -1
    held = dict(zip(place.iterate_cells(), given, strict=True))
    axis = array.axes[at]
    names = [*axis.names[:index], *([""] if by > 0 else []), *axis.names[index + (by < 0) :]] if axis.names else []
    span = AddressAxis(axis.what, axis.count + by, axis.first, names).find(read_keys(keys[1])[at])
    assert not isinstance(span, Reason)
    now = Rectangle(place.layers, *((span, place.columns) if way == "row" else (place.rows, span)))
    number = 1 if way == "row" else 2
    found: list[Text | None] = []
    for cell in now.iterate_cells():
        was = cell[number] - by * (cell[number] >= index)
        is_new = by > 0 and cell[number] == index
        found.append(None if is_new else held.get(_with_index(cell, number, was)))
    return found


def _positions(array: CellArray, way: Way) -> range:
    return range(array.shape[1 if way == "row" else 2])


def _with_index(cell: Cell, axis: int, index: int) -> Cell:
    layer, row, column = cell
    return (layer, index, column) if axis == 1 else (layer, row, index)


def _with_fill(array: CellArray, way: Way, index: int, like: int) -> str | list[str]:
    """Return the fill with a copy of a row or column in each layer."""
    return _change_lines(array, lambda lines, _: _insert_line(array, lines, way, index, like))


def _insert_line(array: CellArray, lines: list[str], way: Way, index: int, like: int) -> list[str]:
    columns = array.shape[2]
    if way == "column":
        wide = [line.ljust(columns, HOLE) for line in lines]
        return [f"{line[:index]}{line[like]}{line[index:]}".rstrip(HOLE) for line in wide]
    if like >= len(lines) and index >= len(lines):
        return lines  # rows without a line are empty
    padded = lines + [EMPTY * columns] * (index - len(lines))
    copy = lines[like] if like < len(lines) else EMPTY * columns
    return [*padded[:index], copy, *padded[index:]]


def _without_fill(array: CellArray, way: Way, index: int) -> str | list[str]:
    def remove(lines: list[str], _: int) -> list[str]:
        if way == "row":
            return [*lines[:index], *lines[index + 1 :]]
        return [f"{line[:index]}{line[index + 1 :]}" for line in lines]

    return _change_lines(array, remove)


def _change_lines(array: CellArray, change: Callable[[list[str], int], list[str]]) -> str | list[str]:
    """Return the fill with the lines of each layer changed, in the form of the given one."""
    if isinstance(array.fill, list) and not array.is_layered:
        return change(array.fill_lines(0), 0)
    if isinstance(array.fill, str):
        end = "\n" * (array.fill.endswith("\n") or not array.fill)
        lines = change(array.fill_lines(0), 0)
        return "\n".join(lines) + end if lines else ""
    layers = range(max(len(array.fill), array.shape[0]))
    return ["\n".join(change(array.fill_lines(layer), layer)) for layer in layers]


def _with_header(header: Header, array: CellArray, way: Way, index: int, like: int, label: Text | None) -> Header:
    """Return the header with an entry more; ids continue their series."""

    def insert(entries: list[_T], entry: _T) -> list[_T]:
        return [*entries[:index], entry, *entries[index:]] if entries else entries

    name = next_id([*header.ids]) if header.ids else ""
    texts = header.texts
    if label is not None and not texts:
        texts = [header.text_of(at) for at in _positions(array, way)]
    text = label
    if texts and text is None:
        text = renumber_text(texts[like], header.ids[like], name) if name else texts[like]
    return copy_with(
        header,
        texts=insert(texts, text) if texts else texts,
        ids=insert(header.ids, name),
        after=insert(header.after, header.after[like]) if header.after else header.after,
    )


def _without_header(header: Header, index: int) -> Header:
    lists = {name: getattr(header, name) for name in ("texts", "ids", "after")}
    return copy_with(header, **{name: [*each[:index], *each[index + 1 :]] for name, each in lists.items()})


def _insert_in_lists(array: CellArray, way: Way, index: int, like: int) -> list[list[Text | None]]:
    """Return values by row with a copy of a row or column."""
    rows: list[list[Text | None]] = [list(row) for row in array.values]
    if way == "row":
        if like >= len(rows) and index >= len(rows):
            return rows
        rows += [[] for _ in range(index - len(rows))]
        return [*rows[:index], [*rows[like]] if like < len(rows) else [], *rows[index:]]
    for row in rows:
        copied = row[like] if like < len(row) else None
        if index <= len(row) or copied is not None:
            row += [None] * (index - len(row))
            row.insert(index, copied)
    return rows


def _remove_in_lists(values: Sequence[Sequence[Text | None]], way: Way, index: int) -> list[list[Text | None]]:
    if way == "row":
        return [list(row) for at, row in enumerate(values) if at != index]
    return [[*row[:index], *row[index + 1 :]] for row in values]


def with_texts(array: CellArray, texts: Mapping[Cell, Text | None]) -> CellArray:
    """Return the array with other labels in some cells; an empty one removes the label."""
    if not texts:
        return array
    if isinstance(array.values, list):
        rows = [list(row) for row in array.values]
        for (_, row, column), text in texts.items():
            rows += [[] for _ in range(row + 1 - len(rows))]
            rows[row] += [None] * (column + 1 - len(rows[row]))
            rows[row][column] = text or None
        return copy_with(array, values=rows)
    values: dict[str, Any] = {}
    left = dict(texts)  # the last entry of a cell takes its label, and earlier ones show through nowhere
    for keys, given in reversed(array.values.items()):
        cells = list(array.find_checked(keys).iterate_cells())
        if not texts.keys() & set(cells):
            values[keys] = given
            continue
        own = given if isinstance(given, list) else [given] * len(cells)
        now = [(left.pop(cell, None) or None) if cell in texts else text for cell, text in zip(cells, own, strict=True)]
        if any(text is not None for text in now):
            values[keys] = now
    values = dict(reversed(values.items()))
    return copy_with(array, values=values | {_spell_cell(array, cell): text for cell, text in left.items() if text})


def with_fill(array: CellArray, place: Rectangle, letter: str) -> CellArray:
    """Return the array with another letter in the fill of some cells."""
    _, rows, columns = array.shape

    def change(lines: list[str], layer: int) -> list[str]:
        if not place.layers[0] <= layer < place.layers[1]:
            return lines
        made = [line.ljust(columns, HOLE) for line in lines]
        made += [EMPTY * columns for _ in range(place.rows[1] - len(made))]
        for row in range(*place.rows):
            start, end = place.columns
            made[row] = f"{made[row][:start]}{letter * (end - start)}{made[row][end:]}"
        return [line.rstrip(HOLE) for line in made]

    size = array.size if array.fill or array.size else [rows, columns]
    return copy_with(array, fill=_change_lines(array, change), size=size)


def _spell_cell(array: CellArray, cell: Cell) -> str:
    numbers = cell if array.has_layers else cell[1:]
    return ",".join(str(axis.number(at)) for axis, at in zip(array.axes, numbers, strict=True))


def find_one(array: CellArray, way: Way, name: str) -> int | Reason:
    """Return the index of a row or column by its number or id."""
    axis = array.axes[-2 if way == "row" else -1]
    found = axis.find(Key(int(name) if name.isdigit() else name, single=True))
    return found if isinstance(found, Reason) else found[0]
