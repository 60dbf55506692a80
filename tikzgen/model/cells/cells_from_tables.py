"""Arrays of cells from data: arrays of numpy or nested lists, and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from numbers import Real
from string import ascii_letters
from typing import Any, Literal

from tikzgen.base.errors import Problem, SpecError, quote, shorten_for_message
from tikzgen.model.cells.cell_arrays import MOST_CELLS, CellArray
from tikzgen.model.cells.cell_fills import EMPTY, MASKED
from tikzgen.model.tables import read_table, to_python

Meaning = Literal["auto", "values", "owners", "mask"]
_OWNER_LETTERS = ascii_letters


def array_of_data(data: Any, meaning: Meaning, *, ramp: bool, facts: dict[str, Any]) -> CellArray:
    """Return an array with the cells of a nested list or an array of numpy, of two or three dimensions."""
    layers = _read_layers(data)
    shape = (len(layers), len(layers[0]), len(layers[0][0]))
    size = [*shape] if len(layers) > 1 or _depth_of(data) > 2 else [*shape[1:]]
    cells = {
        (layer, row, column): layers[layer][row][column]
        for layer, row, column in product(*map(range, shape))
        if layers[layer][row][column] is not None
    }
    if meaning == "auto":
        meaning = "mask" if cells and all(isinstance(value, bool) for value in cells.values()) else "values"
    given = {"id": "a", "size": size, **facts}
    if meaning == "mask":
        fills = {cell: "a" if value else MASKED for cell, value in cells.items()}
        return CellArray(**{"fill": _spell_fill(fills, shape, size), "keys": {"a": {"owner": 0}}, **given})
    if meaning == "owners":
        letters = _letters_of_owners(cells.values())
        fills = {cell: letters[value] for cell, value in cells.items() if value >= 0}
        keys = {letter: {"owner": owner} for owner, letter in letters.items()}
        return CellArray(**{"fill": _spell_fill(fills, shape, size), "keys": keys, **given})
    if ramp:
        given = {"ramp": _find_ramp(cells.values()), **given}
    return CellArray(**{"values": dict(_iterate_values(cells, shape, size)), **given})


def array_of_table(frame: Any, *, ramp: bool, facts: dict[str, Any]) -> CellArray:
    """Return an array with the cells of a table; its columns and a pandas index are the headers."""
    _, _, records = read_table(frame)
    if not records:
        raise SpecError([Problem("the table has no rows", "frame")])
    names = [str(name) for name in records[0]]
    rows = [[to_python(value) for value in record.values()] for record in records]
    headers: dict[str, Any] = {"columns": {"texts": names}}
    index = getattr(frame, "index", None)
    if index is not None and not callable(index) and list(index) != list(range(len(rows))):
        headers["rows"] = {"texts": [str(to_python(value)) for value in index]}
    return array_of_data(rows, "values", ramp=ramp, facts={**headers, **facts})


def _depth_of(data: Any) -> int:
    depth = 0
    while isinstance(data, Sequence) and not isinstance(data, str) and data:
        depth, data = depth + 1, data[0]
    return depth if not hasattr(data, "ndim") else int(data.ndim)


def _read_layers(data: Any) -> list[list[list[Any]]]:
    """Return the values as layers, rows and columns; raise `SpecError` if they have another form."""
    listed = data.tolist() if hasattr(data, "tolist") else data
    depth = _depth_of(listed)
    if depth not in (2, 3):
        what = shorten_for_message(type(data).__name__)
        hint = "give rows of cells, or layers of rows; reshape(1, -1) makes a row"
        raise SpecError([Problem(f"should have 2 or 3 dimensions, not {depth} ({what})", "data", hint=hint)])
    layers = [listed] if depth == 2 else listed
    lengths = [len(row) for layer in layers for row in layer]
    if len({len(layer) for layer in layers}) > 1 or len({*lengths}) > 1:
        message = "rows have different lengths" if len({*lengths}) > 1 else "layers have different numbers of rows"
        raise SpecError([Problem(message, "data", hint="fill them up with None, which draws an empty cell")])
    if sum(lengths) > MOST_CELLS:
        raise SpecError([Problem(f"{sum(lengths)} cells are more than {MOST_CELLS}", "data", hint="draw fewer cells")])
    return [[[to_python(value) for value in row] for row in layer] for layer in layers]


def _letters_of_owners(values: Any) -> dict[int, str]:
    """Return a letter for each owner."""
    owners = {*values}
    if wrong := [value for value in owners if isinstance(value, bool) or not isinstance(value, int)]:
        message = f"an owner is a whole number, not {quote(str(wrong[0]))}"
        raise SpecError([Problem(message, "data", hint="write -1 for an empty cell")])
    known = sorted(owner for owner in owners if owner >= 0)
    if len(known) > len(_OWNER_LETTERS):
        message = f"{len(known)} owners are more than {len(_OWNER_LETTERS)}"
        raise SpecError([Problem(message, "data", hint="draw fewer owners")])
    return dict(zip(known, _OWNER_LETTERS, strict=False))


def _spell_fill(fills: dict[tuple[int, int, int], str], shape: tuple[int, int, int], size: list[int]) -> Any:
    """Return the fill of an array, as lines of characters; a list of layers if the size has layers."""
    layers, rows, columns = shape
    found = [
        "\n".join("".join(fills.get((layer, row, column), EMPTY) for column in range(columns)) for row in range(rows))
        for layer in range(layers)
    ]
    return found if len(size) == 3 else found[0]


def _iterate_values(
    cells: dict[tuple[int, int, int], Any], shape: tuple[int, int, int], size: list[int]
) -> Iterator[tuple[str, list[str | None]]]:
    """Yield the labels in each row by its address."""
    layers, rows, columns = shape
    for layer, row in product(range(layers), range(rows)):
        texts = [_spell_value(cells.get((layer, row, column))) for column in range(columns)]
        if any(text is not None for text in texts):
            yield f"{layer},{row},:" if len(size) == 3 else f"{row},:", texts


def _spell_value(value: Any) -> str | None:
    if value is None:
        return None
    return f"{value:g}" if isinstance(value, float) else str(value)


def _find_ramp(values: Any) -> dict[str, str]:
    """Return a ramp from the least to the greatest value."""
    numbers = [value for value in values if isinstance(value, Real) and not isinstance(value, bool)]
    if len(numbers) < len([*values]) or len({*numbers}) < 2:
        raise SpecError([Problem("a ramp needs two different numbers", "ramp", hint="leave ramp out")])
    return {"from": f"{min(numbers):g}", "to": f"{max(numbers):g}"}
