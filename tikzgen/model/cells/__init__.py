"""Figures of cells: arrays with addresses, scaled bars, flows, braces."""

from __future__ import annotations

from tikzgen.model.cells.bars import BarPart, SizeAxis, SizeBar, SizeLimit
from tikzgen.model.cells.cell_arrays import MOST_TEXTS, CellArray, CellGrid, MergedCells, Rectangle
from tikzgen.model.cells.cell_fills import (
    EMPTY,
    HOLE,
    MASKED,
    VALUE_CLASSES_COUNT,
    VALUE_PREFIX,
    CellKey,
    CellLine,
    CellMark,
    CellRegion,
    Ramp,
)
from tikzgen.model.cells.cells import Cells
from tikzgen.model.cells.cells_parts import CellBrace, CellElement, CellEntry, CellFlow
from tikzgen.model.cells.headers import Header, HeaderGroup, LayerHeader

__all__ = [
    "EMPTY",
    "HOLE",
    "MASKED",
    "MOST_TEXTS",
    "VALUE_CLASSES_COUNT",
    "VALUE_PREFIX",
    "BarPart",
    "CellArray",
    "CellBrace",
    "CellElement",
    "CellEntry",
    "CellFlow",
    "CellGrid",
    "CellKey",
    "CellLine",
    "CellMark",
    "CellRegion",
    "Cells",
    "Header",
    "HeaderGroup",
    "LayerHeader",
    "MergedCells",
    "Ramp",
    "Rectangle",
    "SizeAxis",
    "SizeBar",
    "SizeLimit",
]
