"""Figures of cells: arrays with addresses, and scaled bars."""

from typing import Self

from pydantic import model_validator

from tikzgen.model.cells.cells_parts import CellsParts
from tikzgen.model.cells.check_cells import check_cells


class Cells(CellsParts):
    """Arrays of cells with addresses, such as tensors, masks and tables; scaled bars; flows."""

    @model_validator(mode="after")
    def _check_cells(self) -> Self:
        check_cells(self)
        return self
