"""Dimensions shared by layout and templates: cm, pt if the name ends on _PT, and shares of a length."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tikzgen.base.plane import CM_PER_PT

COLUMN_HEIGHT_CM = 9.0  # cm: a taller figure fills more than a third of its column
SIZES = (10.0, 9.0, 8.0, 7.0, 6.0)  # pt of type; 6 is the smallest size used
MARGIN = 0.06  # cm: blank margin around the figure, and around its title
TITLE_GAP = 0.1  # cm: between the margins of the figure and of its title
# Labels
INNER_PT = 2  # inner sep around free-standing labels
INNER = round(INNER_PT * CM_PER_PT, 2)
NUMBER_INNER_PT = 1  # around the numbers of a ruler and of a strip
NUMBER_INNER = round(NUMBER_INNER_PT * CM_PER_PT, 2)
NUMERAL_INNER = 0.05  # cm: around the numbers next to the first lane
# Nodes
PAD = 0.25  # cm: between a label and the border around it
BOX_WIDTH = 1.2  # cm: minimum width
LINE_PT = 0.6  # border of a node
HIGHLIGHT_LINE_PT = 1.4
ICON_INNER_PT = 1  # around an icon
CAPTION_GAP_PT = 2  # between an icon and its caption
CELL_INNER = 0.08  # cm: inner sep of a part of a box
CELL_HEIGHT = 0.5  # cm
DOTS_LONG = 0.7  # cm: length of the ellipsis for omitted nodes
DOTS_WIDE = 0.4  # cm
SHEET_OFFSET = 0.08  # cm: offset of each copy in a stack
OUTLINE_INNER = 0.08  # cm: between a label and an outline that is not a box
# Flows
FLOW_LINE_PT = 1.0  # usual width
APART = 0.3  # cm: between flows that join the same two nodes
DOUBLE_LINE = 0.6  # share of the line width: each line of a double line, and the gap
DOUBLE_GAP = 1.1  # share of its width
WAVE = 1.8  # mm: length of a wave, and offset of its control points
WAVES_HIGH = 0.6  # mm
LABEL_INNER_PT = 3  # around a flow's label next to its line, and on it
INLINE_INNER_PT = 1.5
CURL = 0.16  # cm: height of a brace
STEP_SIZE_PT = 6  # type size, inner sep and circle of a step
STEP_INNER_PT = 1
STEP_LINE_PT = 0.5
# Lifelines
HEAD_PAD = 0.25  # cm: between the label of a lifeline and the border around it
STRUT_HEIGHT = 0.76  # em above and below the baseline: minimum size of a lifeline's label
STRUT_DEPTH = 0.22  # em
CRASH = 0.24  # cm: cross at a crash
CRASH_LINE_PT = 1.4
RESTART = 0.2  # cm: ring at a restart
ACTIVE = 0.18  # cm: thickness of the activation bar
BARB = 1.2  # mm: open arrowhead of an asynchronous message
# Timelines
ARROW_LINES_PT = MappingProxyType({"dependency": 0.6, "message": 0.4, "critical arrow": 1, "dense": 0.3})
TICK = 0.08  # cm: tick of the time axis
GAP_PT = 0.7  # gap between two cells, and radius of their corners
CORNER_PT = 1
LEAST_CORNER_PT = 0.3  # viewers snap shapes of corners only to whole pixels, which hides the gap between cells
SHORTEST = 0.12  # cm: shorter cells are merged into a run
FULLEST = 0.65  # maximum share of a cell that its number takes
SIGNS = MappingProxyType({"dot": 0.16, "diamond": 0.15, "triangle": 0.2, "cross": 0.18})  # cm: markers of events
# Cells
BAR_TOTAL_GAP_PT = 2  # between a bar to scale and the text at its end
BAR_UNIT_GAP = 0.1  # cm: between the last number of their axis and its unit
# Legend
SWATCH = 0.26  # cm
SAMPLE = 0.6  # cm: sample line of a flow kind, and largest circle of a step
SIGN = 0.32  # cm
ENTRY_GAP = 0.2  # cm: between two entries

CONSTANTS: Mapping[str, Any] = {
    **{name.lower(): value for name, value in globals().items() if name.isupper()},
}
"""By the names that templates know them by."""
