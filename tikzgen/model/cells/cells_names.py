"""Operations on figures of cells, and the names in a figure that they take."""

from __future__ import annotations

from collections.abc import Iterable

from tikzgen.model.cells.cells import Cells
from tikzgen.model.figure import FigureModel
from tikzgen.model.operations.operation_model import Operation

OPERATIONS: tuple[type[Operation], ...] = ()


def list_names(figure: FigureModel) -> dict[str, Iterable[str]]:
    """Return the names of arrays and bars."""
    parts = [part for _, _, part in figure.parts(Cells)]
    return {
        "arrays": [array.id for part in parts for array in part.arrays],
        "bars": [bar.id for part in parts for bar in part.bars],
    }
