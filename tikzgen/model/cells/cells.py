"""Figures of cells: arrays with addresses, and scaled bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from pydantic import model_validator

from tikzgen.model.cells.cell_arrays import CellArray
from tikzgen.model.cells.cells_parts import CellsParts
from tikzgen.model.cells.check_cells import check_cells

if TYPE_CHECKING:
    from tikzgen.model.cells.cells_from_tables import Meaning


class Cells(CellsParts):
    """Arrays of cells with addresses, such as tensors, masks and tables; scaled bars; flows."""

    @classmethod
    def from_array(cls, data: Any, *, meaning: Meaning = "auto", ramp: bool = False, **more: Any) -> Self:
        """Return one array with the cells of `data`, nested lists or an array of numpy.

        The data have two or three dimensions. `meaning` is the meaning of a value: a label (`values`), an owner
        (`owners`) or an unmasked cell (`mask`); `auto` is `mask` for booleans, and otherwise `values`. Cells for None,
        and for negative owners, are empty. With `ramp`, values have fills from light to dark.

        Further arguments are fields of the array (`id="w"`, `label="W"`, `rows={…}`), or of the part (`notes=[…]`).

        Raises:
            SpecError: the data have another form, or too many cells.

        >>> Cells.from_array([[0, 0, 1], [2, 2, 1]], meaning="owners").arrays[0].fill.splitlines()
        ['aab', 'ccb']
        """
        from tikzgen.model.cells.cells_from_tables import array_of_data

        own, facts = _split_fields(cls, more)
        return cls(arrays=[array_of_data(data, meaning, ramp=ramp, facts=facts)], **own)

    @classmethod
    def from_frame(cls, frame: Any, *, ramp: bool = False, **more: Any) -> Self:
        """Return one array with the cells of a table: a frame, a CSV file, or rows as mappings.

        Names of columns are headers of columns. The index of a pandas frame is the header of the rows.
        With `ramp`, values have fills from light to dark. Further arguments are as in `from_array`.

        Raises:
            SpecError: the table has no rows, or too many cells.

        >>> Cells.from_frame([{"a": 1, "b": 2.5}]).arrays[0].values
        {'0,:': ['1', '2.5']}
        """
        from tikzgen.model.cells.cells_from_tables import array_of_table

        own, facts = _split_fields(cls, more)
        return cls(arrays=[array_of_table(frame, ramp=ramp, facts=facts)], **own)

    @model_validator(mode="after")
    def _check_cells(self) -> Self:
        check_cells(self)
        return self


def _split_fields(kind: type[Cells], given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
<<<<<<< HEAD
    """Return the fields of the part, then the fields of the array, including unknown names."""
=======
    """Return the fields of the part, and the others for the array, which refuses unknown names."""
>>>>>>> cells-addresses
    own = {name: value for name, value in given.items() if name in kind.model_fields.keys() - CellArray.model_fields}
    return own, {name: value for name, value in given.items() if name not in own}
