"""Rows of cells in a file, and the operations that express their changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, TypeAlias

from tikzgen.edit.set_spacing_and_texts import read_label
from tikzgen.layout.scene import name_fill_style
from tikzgen.lint.inventory import find_panel
from tikzgen.model.cells import EMPTY, MASKED, CellArray, Cells
from tikzgen.model.figure import FigureModel
from tikzgen.texfile import Facts, read_filled_run

_Call: TypeAlias = tuple[str, Mapping[str, Any]]
_Key: TypeAlias = tuple[str, ...]
_SITE = "cell site"
_CELL = re.compile(r"(.+)-(\d+)-(\d+)")
_EMPTY_STYLE = ""


def find_array_names(facts: Facts) -> dict[int | None, str]:
    """Return the names of the arrays by the scopes that draw them."""
    found: dict[int | None, str] = {}
    for node in facts.nodes:
        scope = facts.statements[node.statement].scope
        if scope is not None and node.name and any(option.key == _SITE for option in node.options):
            found.setdefault(scope, node.name.strip())
    return found


def add_run(says: dict[_Key, dict[str, str]], array: str, spelt: str) -> _Key | None:
    """Add a run of cells to the styles of its row, `column=style` for each cell; return the key of the row.

    Return None for code that is not a run.
    """
    found = read_filled_run(spelt) if array else None
    if found is None:
        return None
    style, columns, row = found
    key = ("cells", array, str(row))
    said = says.setdefault(key, {"is": key[0], "fill": ""})
    styles = (f"{column}={style}" for column in columns)
    said["fill"] = "|".join([*filter(None, [said["fill"]]), *styles])
    return key


def list_cell_changes(
    figure: FigureModel,
    rows: Iterable[tuple[_Key, str, str, str]],
    labels: Iterable[tuple[_Key, str]],
) -> Iterator[tuple[list[_Call], _Key]]:
    """Yield the operations for rows with other fills and for cells with other labels, with their keys."""
    yield from _list_row_changes(figure, rows)
    for key, label in labels:
        match = _CELL.fullmatch(key[1])
        if match and (found := _find_array(figure, match[1])):
            address = f"{found[1].id}[{found[2]}{match[2]},{match[3]}]"
            yield [("set-cell", {"cell": address, "value": read_label(label)})], key


def _list_row_changes(
    figure: FigureModel, rows: Iterable[tuple[_Key, str, str, str]]
) -> Iterator[tuple[list[_Call], _Key]]:
    for key, _, old, new in rows:
        found = _find_array(figure, key[1])
        if found is None:
            continue
        part, array, layer = found
        before, after = _read_row(old), _read_row(new)
        changed = [column for column in sorted({*before, *after}) if before.get(column) != after.get(column)]
        letters = {column: _find_letter(part, array, after.get(column, _EMPTY_STYLE)) for column in changed}
        if not changed or None in letters.values():
            continue
        calls: list[_Call] = []
        for (letter, _), group in groupby(enumerate(changed), key=lambda each: (letters[each[1]], each[1] - each[0])):
            columns = [column for _, column in group]
            last = f":{columns[-1] + 1}" if len(columns) > 1 else ""
            calls.append(("set-cell", {"cell": f"{array.id}[{layer}{key[2]},{columns[0]}{last}]", "fill": letter}))
        yield calls, key


def _find_array(figure: FigureModel, name: str) -> tuple[Cells, CellArray, str] | None:
    """Return the array of a node with its part, and the start of its addresses: a layer, if any."""
    panel = find_panel(name, [each.id for each in figure.panels]) if len(figure.panels) > 1 else ""
    own = name.removeprefix(f"{panel}-") if panel else name
    for _, _, part in figure.parts(Cells):
        for array in part.arrays:
            layers = {f"{array.id}-{layer}": f"{layer}," for layer in range(array.shape[0] if array.has_layers else 0)}
            known = {array.id: "0," if array.has_layers else "", **layers}
            if own in known:
                return part, array, known[own]
    return None


def _read_row(text: str) -> dict[int, str]:
    pairs = (entry.partition("=") for entry in text.split("|") if entry)
    return {int(column): style for column, _, style in pairs}


def _find_letter(part: Cells, array: CellArray, style: str) -> str | None:
    """Return the letter of a fill by its style, preferably one in the array; None without a letter."""
    if style in (_EMPTY_STYLE, "masked"):
        return EMPTY if style == _EMPTY_STYLE else MASKED
    letters: list[str] = [*array.letters, *array.keys, *part.keys, *"abcdefghijkl"]
    for letter in dict.fromkeys(letters):
        key = part.key_of(array, letter)
        if key is not None and name_fill_style(key.role, key.owner, key.hatch) == style:
            return letter
    return None
