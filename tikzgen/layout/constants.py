"""What the layout counts on and the templates draw: lengths in cm (those in pt end on _PT), shares of a way."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tikzgen.base.plane import CM_PER_PT, LOOSENESS_SHARE

SIZES = (10.0, 9.0, 8.0, 7.0, 6.0)  # pt of type; nothing is set smaller than 6
MARGIN = 0.06  # cm: paper around everything
# texts
INNER_PT = 2  # inner sep round free-standing labels
INNER = round(INNER_PT * CM_PER_PT, 2)
NUMBER_INNER_PT = 1  # round the numbers of a ruler and of a strip
NUMBER_INNER = round(NUMBER_INNER_PT * CM_PER_PT, 2)
NUMERAL_INNER = 0.05  # cm: round the numbers beside the first lane
# entities
PAD = 0.25  # cm: between a text and the frame around it
BOX_WIDTH = 1.2  # cm: at least
LINE_PT = 0.6  # of an entity's border
HIGHLIGHT_LINE_PT = 1.4
ICON_INNER_PT = 1  # round an icon,
CAPTION_GAP_PT = 2  # and between it and its caption
CELL_INNER = 0.08  # cm: of a box's part
CELL_HEIGHT = 0.5  # cm
DOTS_LONG = 0.7  # cm: what stands for entities that are left out
DOTS_WIDE = 0.4  # cm
SHEET_OFFSET = 0.08  # cm: by which each sheet of a stack is set off
OUTLINE_INNER = 0.08  # cm: between a text and the outline that is no box
# flows
APART = 0.3  # cm: between flows that join the same two nodes
DOUBLE_LINE = 0.6  # share of its width: each line of a double one, and what is between them
DOUBLE_GAP = 1.1  # share of its width
WAVE = 1.8  # mm: the length of a wave, and how far its control points are aside
WAVES_HIGH = 0.6  # mm
LABEL_INNER_PT = 3  # round a flow's label beside its line, and on it
INLINE_INNER_PT = 1.5
CURL = 0.16  # cm: by which a brace stands out
STEP_SIZE_PT = 6  # its type, the room around it, its circle
STEP_INNER_PT = 1
STEP_LINE_PT = 0.5
# lifelines
HEAD_PAD = 0.25  # cm: between the label of a lifeline and the frame around it
STRUT_HEIGHT = 0.76  # em above and below the baseline that its label takes at least
STRUT_DEPTH = 0.22  # em
CRASH = 0.24  # cm: the cross where it fails,
CRASH_LINE_PT = 1.4
RESTART = 0.2  # cm: and the ring where it is back
ACTIVE = 0.18  # cm: the thickness of the bar while it is busy
BARB = 1.2  # mm: the open head of an asynchronous message
# timelines
ARROW_LINES_PT = MappingProxyType({"dependency": 0.6, "message": 0.4, "critical arrow": 1, "dense": 0.3})
TICK = 0.08  # cm: of a mark on the time arrow
GAP_PT = 0.7  # paper between two cells, and how their corners are rounded
CORNER_PT = 1
LEAST_CORNER_PT = 0.3  # viewers draw what is all corners to whole pixels, where the paper between cells is lost
SHORTEST = 0.12  # cm: a cell that would be shorter joins a run
FULLEST = 0.65  # share of a cell: more its number does not take
SIGNS = MappingProxyType({"dot": 0.16, "diamond": 0.15, "triangle": 0.2, "cross": 0.18})  # of events
# the legend
SWATCH = 0.26  # cm
SAMPLE = 0.6  # cm: the line of a kind of flow, and at most the circle of a step
SIGN = 0.32  # cm
ENTRY_GAP = 0.2  # cm: between two entries

CONSTANTS: Mapping[str, Any] = {
    "looseness": LOOSENESS_SHARE,
    **{name.lower(): value for name, value in globals().items() if name.isupper()},
}
"""By the names that templates know them by."""
