"""What the layout counts on and the templates draw: lengths in cm, shares of a way."""

from __future__ import annotations

from collections.abc import Mapping

from tikzgen.plane.cubics import LOOSENESS

__all__ = ["CONSTANTS", "ENTRY_GAP", "SHEET", "STEP_AT"]

SHEET = 0.08  # cm by which each sheet of a stack is set off
ENTRY_GAP = 0.55  # cm between two legend entries
STEP_AT = 0.2  # of a flow that has a label: where its number stands
CONSTANTS: Mapping[str, float] = {
    "looseness": LOOSENESS,
    "sheet_offset": SHEET,
    "entry_gap": ENTRY_GAP,
    "step_at": STEP_AT,
}
"""By the names that templates know them by."""
