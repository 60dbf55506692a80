"""Spans and their labels: how long and thick lanes must be, and which text fits in which span, at which size."""

from __future__ import annotations

from tikzgen.layout.constants import FULLEST, INNER, SIZES
from tikzgen.layout.lengths import number
from tikzgen.layout.plan import Direction, Need, Plan
from tikzgen.layout.timeline.fitted_texts import shortened
from tikzgen.layout.timeline.timeline_items import NO_CELL_TEXT, CellText
from tikzgen.layout.timeline_facts import Chart, unit_meaning
from tikzgen.model.content import Path
from tikzgen.model.timeline import Timeline
from tikzgen.model.timeline_parts import Half, Span
from tikzgen.model.widths import width_in_cm
from tikzgen.text import Extent, Text

_MARGIN = 0.06  # cm between a span's label and its border, on each side
_ROUNDED = 0.002  # cm that a cell may be shorter for: distances are whole hundredths of a mm
_TIMEUNIT = 0.42  # cm, where nothing else decides
_BESIDE = 0.2  # cm that a gap is wider than a text beside an arrow in it
_PAGE, _OTHER = 20.0, 6.0  # cm that lanes take of a page's height, but for what else stands in their column
_THIN, _BETWEEN = 0.3, 0.05  # cm of a lane at least, and between two labels
_LENGTH = 6.0  # cm that a timeline takes before labels shrink
_LONGEST = 17.8  # cm that labels may stretch it to, where no width is given


def _choices(span: Span) -> list[str]:
    return [text for text in (span.label, span.short) if text]


def spacing(plan: Plan, chart: Chart) -> dict[str, Need]:
    """The distances that a timeline uses: long and thick enough for every label at 6 pt, usually at full size."""
    part = chart.part
    along: Direction = "x" if part.direction == "right" else "y"
    across: Direction = "y" if part.direction == "right" else "x"
    unit = _unit(plan, chart)
    height = _height(plan, chart)
    if across == "y" and plan.figure.height is None:
        height = height[0], max(height[0], min(height[1], max(_share(plan), _thin(plan, part))))
    return {
        "timeunit": Need(unit[0], unit[1], along, unit_meaning(chart.clock.unit), unit[2]),
        "laneheight": Need(*height, across, "thickness of a lane"),
        "lanesep": Need(*_sep(plan, part, *height), across, "gap between neighbouring lanes"),
    }


def _share(plan: Plan) -> float:
    """What a page has for each lane, in cm, beside what else stands above it."""
    figure, rows = plan.figure, [chart.rows for chart in plan.charts.values()]
    others = [len(panel.content) - 1 for panel in figure.panels if panel.arrange == "column"]
    if figure.abreast > 1:
        return (_PAGE - _OTHER * max(others, default=0)) / max(rows)
    return (_PAGE - _OTHER * sum(others)) / sum(rows)


def _thin(plan: Plan, part: Timeline) -> float:
    """The least that a lane takes with its label, in cm."""
    sizes = [plan.measure(lane.label) for lane in part.lanes if lane.label]
    return max([_THIN, *(size.height + size.depth + _BETWEEN for size in sizes)])


def _unit(plan: Plan, chart: Chart) -> tuple[float, float, float]:
    """The least and the usual length of a time unit, and the one that it takes where lanes are thin.

    Every label fits at 6 pt at least; at full size as far as that does not stretch the timeline beyond `_LENGTH`.
    """
    part, end = chart.part, float(chart.end) or 1.0
    least = full = tight = legible = 0.0
    longest = width_in_cm(plan.figure.width) if plan.figure.width else _LONGEST
    # all timelines have one unit: what stretches another one beyond the width is no room for labels here
    reach = _reach(plan, part) if plan.figure.width else end
    for span in part.spans:
        if not span.label:
            continue
        duration = chart.clear(span)
        small, large = plan.measure(_choices(span)[-1], size=SIZES[-1]), plan.measure(span.label)
        if _is_level(part, span):
            least = max(least, (small.height + small.depth + _MARGIN) / duration)
            full = max(full, (large.height + large.depth + 3 * _MARGIN) / duration)
            if len(span.lanes) == 1:
                tight = max(tight, (small.width + 2 * _MARGIN) / duration)
        else:
            wanted = (small.width + 2 * _MARGIN) / duration
            # a long text in a short span is no reason for a figure that fits no page
            least = max(least, wanted if wanted * reach <= longest else 0.0)
            full = max(full, (large.width + 3 * _MARGIN) / duration)
    for cell in chart.cells:
        full = max(full, _along(part, plan.measure(cell.text)) / cell.length)
        enough = _along(part, plan.measure(cell.text, size=SIZES[-1])) / cell.length
        legible = max(legible, enough if enough * reach <= longest else 0.0)
    usual = max(_TIMEUNIT if end <= 24 else 10.0 / end, min(full, _LENGTH / end), legible)
    return max(least, min(0.12, _LENGTH / reach)), max(usual, least), tight


def _reach(plan: Plan, part: Timeline) -> float:
    """The end of the longest timeline that runs in the same direction, in time units on paper."""
    return max(float(chart.end) for chart in plan.charts.values() if chart.part.direction == part.direction) or 1.0


def _along(part: Timeline, text: Extent) -> float:
    """What a cell needs along time for its number, which stands level."""
    return text.width / FULLEST + _ROUNDED if part.direction == "right" else text.height + text.depth + _MARGIN


def _height(plan: Plan, chart: Chart) -> tuple[float, float]:
    """The least and the usual thickness of a lane."""
    part = chart.part
    labels = [short.height for lane in part.lanes if lane.label and (short := shortened(plan, chart, lane.label))]
    least, usual = 0.3, 0.5 if part.direction == "right" else 0.62
    for span in part.spans:
        if not span.label:
            continue
        small = plan.measure(_choices(span)[-1], size=SIZES[-1])
        least = max(least, small.height + small.depth + _MARGIN)
        if _is_level(part, span):
            usual = max(usual, (small.width + 2 * _MARGIN) / len(span.lanes))
    least = max(least, *(height + 2 * INNER / 3 for height in labels)) if labels else least
    return least, max(usual, least)


def _sep(plan: Plan, part: Timeline, least: float, usual: float) -> tuple[float, float]:
    """The least and the usual gap between lanes: room for arrows with their texts, and for lane labels that stand
    side by side."""
    texts = [plan.measure(arrow.label, size=SIZES[-1]) for arrow in part.dependencies if arrow.label]
    tallest = max((text.height + text.depth + _BESIDE for text in texts), default=0.0)
    if part.direction == "right":
        return (max(0.3, tallest), max(0.35, tallest)) if part.dependencies or part.critical else (0.0, 0.0)
    widest = max((plan.measure(lane.label).width for lane in part.lanes), default=0.0)
    return max(0.06, widest + 0.1 - least, tallest), max(0.15, widest + 0.25 - usual, tallest)


def _is_level(part: Timeline, span: Span) -> bool:
    """Where time runs up or down, labels run along it; numbers, labels with a short form or over lanes stay level."""
    return part.direction != "right" and (len(span.lanes) > 1 or bool(span.short) or _has_number(span))


def _has_number(span: Span) -> bool:
    return span.number is not None and not span.label


def is_level(plan: Plan, part: Timeline, span: Span) -> bool:
    """Whether a span's label stays level; a short form that does not fit across a thin lane runs along it."""
    if not _is_level(part, span):
        return False
    if len(span.lanes) > 1 or _has_number(span):
        return True
    return plan.measure(span.short, size=SIZES[-1]).width + 2 * _MARGIN <= plan.values["laneheight"] + 1e-6


def _room(plan: Plan, chart: Chart, span: Span, share: float) -> tuple[float, float]:
    """The width and height in cm that a label may take in a share of a span, along its own baseline."""
    thickness, length = cell_size(plan, len(span.lanes), chart.clear(span) * share)
    along, across = (thickness, length) if is_level(plan, chart.part, span) else (length, thickness)
    return along - 2 * _MARGIN, across - _MARGIN


def cell_size(plan: Plan, lanes: int, duration: float) -> tuple[float, float]:
    """The thickness of so many lanes and the length of so many time units, in cm."""
    values = plan.values
    return lanes * values["laneheight"] + (lanes - 1) * values["lanesep"], duration * values["timeunit"]


def fitted(plan: Plan, chart: Chart, index: int, half: Half | None = None) -> CellText:
    """The label that fits, of a span by its place or of its second half: full, then smaller, then the short form."""
    span, at = chart.part.spans[index], (*chart.at, "spans", index)
    if not (half or span).label:
        return NO_CELL_TEXT
    if half:
        return chosen(plan, (*at, "second"), half.label, "", _room(plan, chart, span, float(half.share)))
    room = _room(plan, chart, span, 1.0 - float(span.second.share) if span.second else 1.0)
    return chosen(plan, at, span.label, span.short, room)


def chosen(plan: Plan, at: Path, label: Text, short: Text, room: tuple[float, float]) -> CellText:
    """What fits into a room of so much width and height in cm, of the texts of what lies at this path."""
    for kind, text in (("label", label), ("short", short)):
        for size in (size for size in SIZES if text and size <= plan.size):
            found = plan.measure(text, size=size)
            if found.width <= room[0] + 1e-6 and found.height + found.depth <= room[1] + 1e-6:
                return CellText(plan.labels.of(*at, kind), "" if size == plan.size else number(size), text)
    return NO_CELL_TEXT
