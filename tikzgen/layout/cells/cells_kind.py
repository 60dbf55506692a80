"""Figures of cells as a kind of panel content."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tikzgen.layout.attempt import DistanceNeed, LayoutAttempt
from tikzgen.layout.cells.cell_labels import iterate_header_formats, iterate_labels
from tikzgen.layout.cells.cells_contract import CellsContract
from tikzgen.layout.cells.cells_facts import make_facts
from tikzgen.layout.cells.place_cells import find_distances, place_cells
from tikzgen.layout.layout_kinds import FactsByPlace, LayoutKind, Linked, Said
from tikzgen.layout.scene.scene import Fate, PlacedPart
from tikzgen.model.cells import Cells
from tikzgen.model.content import Path
from tikzgen.model.panel_parts import Panel


class CellsKind(CellsContract):
    """Layout of arrays of cells and of bars to scale."""

    styles = (
        *(
            "masked",
            "diagonal",
            "cell rule",
            "open rule",
            "shard edge",
            "cell edge",
            "hole edge",
            "removed",
            "held",
            "end line",
        ),
        *("block top", "block side", "level dots", "upright dots"),
        *("cell text", "cell site", "header", "array name"),
        *("bar edge", "bar grid", "bar tick", "size limit"),
    )

    def texts(self, timelines: FactsByPlace, panel: Panel, index: int, part: Cells) -> Iterator[Said]:
        return iterate_labels(panel, part)

    def number_formats(self, panel: Panel, index: int, part: Cells) -> Iterator[Said]:
        return iterate_header_formats(part)

    def needs(self, plan: LayoutAttempt, panel: Panel, index: int, part: Cells) -> dict[str, DistanceNeed]:
        return find_distances(make_facts(plan, panel, index, part))

    def place_part(self, plan: LayoutAttempt, panel: Panel, index: int, part: Cells, linked: Linked) -> PlacedPart:
        return place_cells(make_facts(plan, panel, index, part), linked)

    def fates(self, plan: LayoutAttempt, panel: Panel, at: Path, part: Cells, used: Collection[str]) -> Iterator[Fate]:
        yield from super().fates(plan, panel, at, part, used)
        for place, flow in enumerate(part.flows):
            yield Fate("flow", (*at, "flows", place), f"{flow.source} {flow.target}", "drawn")
            if flow.step:
                yield Fate("step", (*at, "flows", place, "step"), str(flow.step), "drawn")


KIND: LayoutKind[Cells] = CellsKind()
