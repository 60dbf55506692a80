"""Notes on a topology, as they are drawn."""

from __future__ import annotations

from tikzgen.base.record import replace
from tikzgen.layout.attempt import Plan
from tikzgen.layout.items import Item, Note
from tikzgen.layout.scene import Piece
from tikzgen.layout.side_notes import Taken, stand
from tikzgen.layout.topology.topology_items import Aside
from tikzgen.layout.topology.topology_macros import note_stem
from tikzgen.model.topology import Topology


def noted(plan: Plan, panel: str, part: Topology, mark: str, piece: Piece, taken: Taken) -> Piece:
    """The piece with its notes, which stand clear of each other and of all else."""
    stood, whole = stand(plan, part, part.notes, piece.extent, taken)
    found: list[Item] = [Note("notes")]
    for index, one in enumerate(stood):
        macro = plan.labels.macro(panel, note_stem(index, mark))
        found.append(Aside(one.at, macro, one.note.boxed, one.wrap, one.line))
    # flows lie over the lines of notes
    at = next((place for place, item in enumerate(piece.items) if item == Note("flows")), len(piece.items))
    return replace(piece, items=(*piece.items[:at], *found, *piece.items[at:]), extent=whole)
