"""Operations on figures of cells, and the names in a figure that they take."""

from __future__ import annotations

from collections.abc import Iterable

from tikzgen.model.cells.cells import Cells
from tikzgen.model.cells.cells_operations import CELLS_OPERATIONS, list_arrays, list_bars
from tikzgen.model.figure import FigureModel

OPERATIONS = CELLS_OPERATIONS


def list_names(figure: FigureModel) -> dict[str, Iterable[str]]:
    """Return the names of arrays and bars."""
    parts = [part for _, _, part in figure.parts(Cells)]
    return {
        "arrays": [name for part in parts for name in list_arrays(part)],
        "bars": [name for part in parts for name in list_bars(part)],
    }
