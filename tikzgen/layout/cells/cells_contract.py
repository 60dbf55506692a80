"""Edit contract of figures of cells: names, instructions for manual edits, and invariants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.layout.layout_kinds import LayoutKind
from tikzgen.layout.scene.scene import Scene
from tikzgen.model.cells import Cells
from tikzgen.model.figure import FigureModel


class CellsContract(LayoutKind[Cells]):
    """Edit contract of a figure of cells."""

    def naming_scheme(self, figure: FigureModel, scene: Scene, parts: Sequence[Cells]) -> Iterator[str]:
        if any(part.arrays for part in parts):
            yield "Arrays are nodes: " + "".join(f"({name})" for part in parts for name in _list_nodes(part))
            yield "Cells with a label are nodes, <array>-<row>-<column>, numbered as the headers"
        if any(part.bars for part in parts):
            yield "Bars are nodes: " + "".join(f"({bar.id})" for part in parts for bar in part.bars)

    def invariants(self, figure: FigureModel, scene: Scene, parts: Sequence[Cells]) -> Iterator[str]:
        if any(part.arrays for part in parts):
            yield "runs of a row add up to the columns of the array, and all rows have the same length"
            yield "a cell at the end of a flow keeps its node"
        if any(True for part in parts for _ in part.list_owners()):
            yield "owners keep distinct fills"
        if any(part.bars for part in parts):
            yield "bars keep one scale"


def _list_nodes(part: Cells) -> Iterator[str]:
    """Yield the names of the nodes of arrays, and of layers that are apart."""
    for array in part.arrays:
        yield from (one.id for one in array.layers_apart or (array,))
