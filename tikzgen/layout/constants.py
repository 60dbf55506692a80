"""What the layout counts on and the templates draw: lengths in cm, shares of a way."""

from __future__ import annotations

from collections.abc import Mapping

from tikzgen.plane.cubics import LOOSENESS

__all__ = [
    "APART",
    "CONSTANTS",
    "ENTRY_GAP",
    "LOOP",
    "LOOP_LEAST",
    "LOOP_LOOSENESS",
    "SHEET",
    "STEP_AT",
    "STEP_LINE",
    "STEP_ROUND",
    "STEP_SIZE",
]

APART = 0.3  # cm between flows that join the same two nodes
LOOP = (105, 75)  # degrees, TikZ's `loop above`: where it leaves and where it comes back,
LOOP_LOOSENESS = 8  # how much looser it is than a curve,
LOOP_LEAST = 0.5  # and how near (cm) its control points may be
SHEET = 0.08  # cm by which each sheet of a stack is set off
ENTRY_GAP = 0.55  # cm between two legend entries
STEP_AT = 0.2  # of a flow that has a label: where its number stands
STEP_SIZE, STEP_ROUND, STEP_LINE = 6, 1, 0.5  # pt of a number's type, around it, and of its circle
CONSTANTS: Mapping[str, float] = {
    "looseness": LOOSENESS,
    "sheet_offset": SHEET,
    "entry_gap": ENTRY_GAP,
    "step_at": STEP_AT,
}
"""By the names that templates know them by."""
