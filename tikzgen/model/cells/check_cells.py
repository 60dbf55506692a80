"""Checks of figures of cells: sizes, fills, values, addresses, bars."""

from __future__ import annotations

from collections.abc import Sequence

from tikzgen.base.errors import quote
from tikzgen.base.patterns import pattern_of
from tikzgen.base.plain_words import count_of
from tikzgen.model.addresses import KEYS_PATTERN, Reason, read_address
from tikzgen.model.cells.cell_arrays import MOST_CELLS, MOST_TEXTS, CellArray, class_of_value
from tikzgen.model.cells.cell_fills import FIXED
from tikzgen.model.cells.cells_parts import CellsParts
from tikzgen.model.cells.headers import Header
from tikzgen.model.content import Path
from tikzgen.model.exact_fields import spell_time
from tikzgen.model.part import check_common_measure, check_distinct, fail, require, times_in

_KEYS = pattern_of(KEYS_PATTERN)
MOST_UNNAMED_OWNERS = 4
"""Owners that their fills alone distinguish."""


def check_cells(part: CellsParts) -> None:
    """Raise an error for a figure that cannot be drawn or has no meaning, at the field that is to blame."""
    if not part.arrays and not part.bars:
        fail("needs arrays or bars", "arrays", hint="write arrays: [{id: a, size: [4, 4]}]")
    check_distinct(((name, (*path, "id")) for name, path in part.named_parts()), "every id names one part")
    for index, array in enumerate(part.arrays):
        _check_array(part, array, ("arrays", index))
    _check_attached(part)
    _check_totals(part)
    _check_bars(part)
    if part.columns is not None and part.arrange not in (None, "grid"):
        fail(f"arrays in a {part.arrange} have no columns", "columns", hint="use arrange: grid, or leave it out")
    check_element_addresses(part)
    _check_owners(part)


def _check_array(part: CellsParts, array: CellArray, path: Path) -> None:
    for place, many in enumerate(array.size or ()):
        if many < 1:
            fail(f"{many} is less than 1", *path, "size", place, hint="use 1 or more")
    layers, rows, columns = array.shape
    if rows == 0 or columns == 0:
        hint = "give size: [rows, columns], a fill or values"
        fail(f"{quote(array.id)} has no cells", *path, "size", hint=hint)
    if layers * rows * columns > MOST_CELLS:
        hint = "draw fewer, or one cell for several"
        fail(f"{layers * rows * columns} cells are more than {MOST_CELLS}", *path, "size", hint=hint)
    _check_fill(part, array, path)
    _check_values(array, path)
    _check_places(part, array, path)
    for what, field, many in (("row", "rows", rows), ("column", "columns", columns)):
        _check_header(getattr(array, field), what, many, (*path, field))


def _check_fill(part: CellsParts, array: CellArray, path: Path) -> None:
    """Check that the fill has the size of the array, and only known letters."""
    layers, rows, columns = array.shape
    by_layer = isinstance(array.fill, list) and array.is_layered
    if by_layer and len(array.fill) > layers:
        text = f"the number of entries is {len(array.fill)}, that of layers {layers}"
        fail(text, *path, "fill", layers, hint="give one entry for each layer")
    for layer in range(layers if by_layer else 1):
        at = (*path, "fill", layer) if by_layer else (*path, "fill")
        lines = array.fill_lines(layer)
        if len(lines) > rows:
            text = f"the number of lines is {len(lines)}, that of rows {rows}"
            fail(text, *at, hint="write one line per row, or leave out the size")
        for number, line in enumerate(lines, 1):
            if len(line) > columns:
                text = f"line {number} has {len(line)} characters, and a row has {count_of(columns, 'cell')}"
                fail(text, *at, hint="write one character per cell")
            for column, letter in enumerate(line, 1):
                _check_letter(part, array, letter, at, f" in line {number}, character {column}")
    for keys, steps in ((part.keys, ("keys",)), (array.keys, (*path, "keys"))):
        for letter in keys:
            if letter in FIXED:
                fail(f"the key {quote(letter)} has a fixed meaning", *steps, letter, hint="use a letter or a digit")
    for index, region in enumerate(array.regions):
        if region.fill is not None:
            _check_letter(part, array, region.fill, (*path, "regions", index, "fill"), "")


def _check_letter(part: CellsParts, array: CellArray, letter: str, path: Path, where: str) -> None:
    if letter in FIXED or part.key_of(array, letter) is not None:
        return
    if array.keys or part.keys:
        known = sorted({**part.keys, **array.keys})
        hint = f"keys has {', '.join(known[:12])}; add {letter}: {{role: …}} or {{owner: …}}"
        fail(f"no key for {quote(letter)}{where}", *path, hint=hint)
    hint = "use a to l for owners, '.' for empty, '#' for masked, or define it in keys"
    fail(f"no meaning for {quote(letter)}{where}", *path, hint=hint)


def _check_values(array: CellArray, path: Path) -> None:
    """Check that values name cells, one value per cell, and that a ramp has numbers in its range."""
    _, rows, columns = array.shape
    if isinstance(array.values, list):
        if len(array.values) > rows:
            text = f"the number of lists is {len(array.values)}, that of rows {rows}"
            fail(text, *path, "values", hint="give one list per row")
        for row, texts in enumerate(array.values):
            if len(texts) > columns:
                text = f"the number of values is {len(texts)}, that of columns {columns}"
                fail(text, *path, "values", row, hint="give one value per cell; null leaves a cell blank")
    else:
        for keys, given in array.values.items():
            if not _KEYS.fullmatch(keys):
                fail(f"{quote(keys)} names no cells", *path, "values", keys, hint="write row and column: 3,0:2 or :,1")
            _require_cells(array, keys, (*path, "values", keys))
            many = sum(1 for _ in array.find_checked(keys).iterate_cells())
            if isinstance(given, list) and len(given) != many:
                text = f"the number of values is {len(given)}, that of cells {many}"
                fail(text, *path, "values", keys, hint="give one for all, or one per cell; null leaves a cell blank")
    if array.ramp is not None:
        for (_, row, column), text in array.iterate_values():
            if class_of_value(array.ramp, text) is None:
                low, high = spell_time(array.ramp.start), spell_time(array.ramp.end)
                where = f"{array.id}[{array.rows.first + row},{array.columns.first + column}]"
                hint = f"write a number from {low} to {high}, or widen the ramp"
                fail(f"{quote(text)} in {where} is not in the ramp", *path, "values", hint=hint)


def _require_cells(array: CellArray, keys: str, path: Path) -> None:
    found = array.find_keys(keys)
    if isinstance(found, Reason):
        fail(found.message, *path, hint=found.hint)


def _check_places(part: CellsParts, array: CellArray, path: Path) -> None:
    """Check regions, marks and lines; merged regions may not overlap partly."""
    boxes: list[tuple[int, int, int, int, int, int]] = []
    for index, region in enumerate(array.regions):
        at = (*path, "regions", index)
        _require_cells(array, region.at, (*at, "at"))
        if not (region.fill or region.label or region.merged):
            fail("changes nothing", *at, hint="give a fill, a label or merged: true")
        place = array.find_checked(region.at)
        box = (*place.layers, *place.rows, *place.columns)
        for other in boxes:
            if region.merged and all(box[i] < other[i + 1] and other[i] < box[i + 1] for i in (0, 2, 4)):
                hint = "merge cells once, or leave out merged"
                fail("some of its cells are in a merged region already", *at, "at", hint=hint)
        boxes += [box] if region.merged else []
    for index, mark in enumerate(array.marks):
        _require_cells(array, mark.at, (*path, "marks", index, "at"))
    for index, line in enumerate(array.lines):
        header, many = (array.rows, array.shape[1]) if line.axis == "rows" else (array.columns, array.shape[2])
        what = line.axis.removesuffix("s")
        at = (*path, "lines", index, "after")
        if isinstance(line.after, str):
            require(line.after, header.ids, *at, what=what)
        elif not header.first - 1 <= line.after < header.first + many:
            hint = f"use {header.first - 1} to {header.first + many - 1}"
            fail(f"unknown {what} {line.after}", *at, hint=hint)


def _check_header(header: Header, what: str, many: int, path: Path) -> None:
    """Check that lists have one entry per row or column, and that groups are apart and in order."""
    for field in ("texts", "ids", "after"):
        given: Sequence[str] = getattr(header, field)
        if given and len(given) != many:
            text = f"the number of {field} is {len(given)}, that of {what}s {many}"
            fail(text, *path, field, hint=f"give one for each {what}")
    check_distinct(((name, (*path, "ids", place)) for place, name in enumerate(header.ids)), f"name each {what} once")
    if header.after and header.side not in ("before", "both"):
        hint = "use side: before"
        fail("needs a header at the side before", *path, "after", hint=hint)
    for index, number in enumerate(header.keep):
        if not header.first <= number < header.first + many:
            hint = f"use {header.first} to {header.first + many - 1}"
            fail(f"unknown {what} {number}", *path, "keep", index, hint=hint)
    end = 0
    for index, group in enumerate(header.groups):
        found = header.find_range(group.cells, what, many)
        at = (*path, "groups", index, "cells")
        if isinstance(found, Reason):
            fail(found.message, *at, hint=found.hint)
        if found[0] < end:
            fail("begins before the group in front of it ends", *at, hint="list the groups in order, without overlap")
        end = found[1]


def _check_attached(part: CellsParts) -> None:
    """Check that arrays are attached to other arrays, in no circle, and one per side."""
    holders = {array.id: array.beside for array in part.arrays}
    taken: set[tuple[str, str]] = set()
    for index, array in enumerate(part.arrays):
        if array.beside is None:
            continue
        path = ("arrays", index, "beside")
        require(array.beside, holders.keys() - {array.id}, *path, what="other array")
        if (array.beside, array.side) in taken:
            fail(f"there is an array {array.side} of {quote(array.beside)} already", *path, hint="use another side")
        taken.add((array.beside, array.side))
        seen, holder = {array.id}, array.beside
        while (above := holders[holder]) is not None:
            if holder in seen:
                fail("arrays are attached in a circle", *path, hint="omit the field in one of them")
            seen.add(holder)
            holder = above


def _check_totals(part: CellsParts) -> None:
    """Check the number of cells and of labels of all arrays."""
    cells = 0
    texts = 0
    for index, array in enumerate(part.arrays):
        layers, rows, columns = array.shape
        cells += layers * rows * columns
        texts += len(array.grid.texts) + len(array.grid.labeled)
        if cells > MOST_CELLS:
            hint = "draw fewer cells, or one for several"
            fail(f"all arrays have more than {MOST_CELLS} cells", "arrays", index, hint=hint)
        if texts > MOST_TEXTS:
            hint = "leave out some values" if not array.ramp else "set `texts: false` in the ramp"
            fail(f"all arrays have more than {MOST_TEXTS} labels", "arrays", index, "values", hint=hint)


def _check_bars(part: CellsParts) -> None:
    check_common_measure(times_in(part.bars, "bars"))
    if part.axis is not None and not part.bars:
        fail("an axis needs bars", "axis", hint="list bars, or leave it out")
    for index, bar in enumerate(part.bars):
        if bar.size == 0:
            fail(f"{quote(bar.id)} has no length", "bars", index, "parts", hint="let one segment be above 0")
        ids = ((one.id, ("bars", index, "parts", place, "id")) for place, one in enumerate(bar.parts) if one.id)
        check_distinct(ids, "name each segment once")


def check_element_addresses(part: CellsParts) -> None:
    """Check that flows, braces and notes end on drawn parts."""
    for index, flow in enumerate(part.flows):
        for field in ("source", "target"):
            require_element(part, getattr(flow, field), "flows", index, field)
        if flow.source == flow.target:
            fail("a flow from a part to itself", "flows", index, hint="use two addresses")
    for index, brace in enumerate(part.braces):
        require_element(part, brace.over, "braces", index, "over")
        if part.find_checked_element(brace.over).bar is not None:
            hint = "name rows or columns of an array"
            fail("a brace runs along cells of an array", "braces", index, "over", hint=hint)
    for index, note in enumerate(part.notes):
        if note.about is not None:
            require_element(part, note.about, "notes", index, "about")


def require_element(part: CellsParts, text: str, *path: str | int) -> None:
    """Raise an error for an address that names no drawn part."""
    reason = part.resolve(read_address(text))
    if reason is not None:
        fail(reason.message, *path, hint=reason.hint)


def _check_owners(part: CellsParts) -> None:
    """Check that labels number the owners if there are more than fills alone distinguish."""
    owners = dict(reversed([*part.list_owners()]))
    if len(owners) <= MOST_UNNAMED_OWNERS:
        return
    unnamed = sorted(owners.keys() - part.named_owners())
    if unnamed:
        hint = f"write {unnamed[0]} in a cell of this owner, in its header or in the label of its array"
        text = f"no text names owner {unnamed[0]}: fills distinguish {MOST_UNNAMED_OWNERS} owners"
        fail(text, *owners[unnamed[0]], hint=hint)
