"""Required time unit, lane thickness and lane gap of a timeline, so that labels have room."""

from __future__ import annotations

from tikzgen.layout.attempt import Direction, DistanceNeed, LayoutAttempt
from tikzgen.layout.constants import FULLEST, INNER, SIZES
from tikzgen.layout.time.time_to_position import unit_meaning
from tikzgen.layout.timeline.labels_outside_cells import shrink_label
from tikzgen.layout.timeline.span_labels import LABEL_MARGIN, WIDEST_LEVEL_LABEL_CM, stays_level
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper, list_label_choices
from tikzgen.model.looks import TEXT_WIDE, width_in_cm
from tikzgen.model.timeline import Timeline
from tikzgen.text import TextSize

_CELL_TOLERANCE = 0.002  # cm that a cell may be too short: distances are multiples of 0.01 mm
_TIME_UNIT_CM = 0.42  # cm, unless labels need more
_GAP_MARGIN = 0.2  # cm by which a gap exceeds the label of an arrow in it
_ARROW_TAIL_CM = 0.7  # cm of the time axis after the lanes, with its tip
_PAGE_HEIGHT = 20.0  # cm of a page's height for lanes; each other part of their column takes the next value
_OTHER_HEIGHT = 6.0  # cm
_LEAST_LANE_CM = 0.3  # cm of a lane; the next value separates two labels
_LABEL_GAP = 0.05  # cm
_INK_SHARE = 0.82  # share of a label's height that its ink takes; next value: cm between pressed labels
_PRESSED_LABEL_GAP = 0.035  # cm
_LENGTH = 6.0  # cm of a timeline before labels shrink
_NARROW_SHARE = 0.75  # share of the width without labels, if labels are set narrow
_LEAST_TIMELINE_CM = 1.5  # cm: minimum length of a timeline in any width


def distances_of_timeline(facts: TimelineOnPaper) -> dict[str, DistanceNeed]:
    """Return the distances of a timeline: large enough for every label at 6 pt, usually at full size."""
    part = facts.part
    along: Direction = "x" if part.direction == "right" else "y"
    across: Direction = "y" if part.direction == "right" else "x"
    unit = _size_time_unit(facts)
    height = _size_lane_height(facts)
    if across == "y" and facts.plan.figure.greatest_height is None:
        height = height[0], max(height[0], min(height[1], max(share_of_page(facts.plan), _size_thin_lane(facts))))
    return {
        "timeunit": DistanceNeed(unit[0], unit[1], along, unit_meaning(facts.clock.unit), unit[2]),
        "laneheight": DistanceNeed(*height, across, "thickness of a lane", close=sum(height) / 2),
        "lanesep": DistanceNeed(*_size_lane_gap(facts.plan, part, *height), across, "gap between neighboring lanes"),
    }


def share_of_page(plan: LayoutAttempt) -> float:
    """Return the height per lane in cm that a page has without other panel content."""
    figure, rows = plan.figure, [facts.rows for facts in plan.timelines.values()]
    others = [len(panel.content) - 1 for panel in figure.panels if panel.arrange == "column"]
    if figure.abreast > 1:
        return (_PAGE_HEIGHT - _OTHER_HEIGHT * max(others, default=0)) / max(rows)
    return (_PAGE_HEIGHT - _OTHER_HEIGHT * sum(others)) / sum(rows)


def _size_thin_lane(facts: TimelineOnPaper, share: float = 1.0, beyond: float = _LABEL_GAP) -> float:
    """Return the thickness of a lane in cm for its label: `share` of the label's height, plus `beyond`."""
    labels = (lane.label for lane in facts.part.lanes if lane.label)
    sizes = [facts.plan.measure(label, size=facts.lanes_size) for label in labels]
    return max([_LEAST_LANE_CM, *(share * size.total + beyond for size in sizes)])


def _size_time_unit(facts: TimelineOnPaper) -> tuple[float, float, float]:
    """Return the least and usual length of a time unit, and its length if lanes are thin, in cm.

    Every label fits at 6 pt. It fits at full size as long as that does not extend the timeline beyond `_LENGTH`.
    """
    part, end = facts.part, float(facts.end) or 1.0
    least = full = tight = legible = 0.0
    longest = width_in_cm(facts.plan.figure.width) - _width_at_ends(facts) if facts.plan.figure.width else TEXT_WIDE
    # All timelines share one unit: labels must not extend another timeline beyond the width.
    reach = _find_longest_end(facts.plan, part) if facts.plan.figure.width else end
    for span in part.spans:
        if not span.label:
            continue
        duration = facts.clear(span)
        small, large = facts.plan.measure(list_label_choices(span)[-1], size=SIZES[-1]), facts.plan.measure(span.label)
        if stays_level(facts, span):
            least = max(least, (small.total + LABEL_MARGIN) / duration)
            full = max(full, (large.total + 3 * LABEL_MARGIN) / duration)
            if len(span.lanes) == 1:
                tight = max(tight, (small.width + 2 * LABEL_MARGIN) / duration)
        else:
            wanted = (small.width + 2 * LABEL_MARGIN) / duration
            # A long label in a short span must not make a figure too large for a page.
            least = max(least, wanted if wanted * reach <= longest else 0.0)
            full = max(full, (large.width + 3 * LABEL_MARGIN) / duration)
    for cell in facts.cells:
        full = max(full, _measure_cell_length(part, facts.plan.measure(cell.text)) / cell.length)
        enough = _measure_cell_length(part, facts.plan.measure(cell.text, size=SIZES[-1])) / cell.length
        legible = max(legible, enough if enough * reach <= longest else 0.0)
    usual = max(_TIME_UNIT_CM if end <= 24 else 10.0 / end, min(full, _LENGTH / end), legible)
    short = (
        max(longest * _NARROW_SHARE, _LEAST_TIMELINE_CM)
        if facts.plan.limit and facts.plan.figure.abreast == 1
        else _LENGTH
    )
    return max(least, min(0.12, min(short, _LENGTH) / reach)), max(usual, least), tight


def _width_at_ends(facts: TimelineOnPaper) -> float:
    """Return the least width in cm at the ends of lanes: labels of lanes and groups, and the arrow."""
    if facts.part.direction != "right":
        return 0.0
    lanes, groups = (
        max((facts.plan.measure(one.label, size=SIZES[-1]).width for one in parts if one.label), default=0.0)
        for parts in (facts.part.lanes, facts.part.groups)
    )
    return lanes + groups + _ARROW_TAIL_CM * (facts.part.axis is not None)


def _find_longest_end(plan: LayoutAttempt, part: Timeline) -> float:
    """Return the end of the longest timeline in the same direction, in drawn time units."""
    return max(float(facts.end) for facts in plan.timelines.values() if facts.part.direction == part.direction) or 1.0


def _measure_cell_length(part: Timeline, text: TextSize) -> float:
    """Return the length that a cell needs along time for its level number, in cm."""
    return text.width / FULLEST + _CELL_TOLERANCE if part.direction == "right" else text.total + LABEL_MARGIN


def _size_lane_height(facts: TimelineOnPaper) -> tuple[float, float]:
    """Return the least and the usual thickness of a lane, in cm."""
    part = facts.part
    labels = [short.height for lane in part.lanes if lane.label and (short := shrink_label(facts, lane.label))]
    least, usual = (
        (_size_thin_lane(facts, _INK_SHARE, _PRESSED_LABEL_GAP), 0.5) if facts.right else (_LEAST_LANE_CM, 0.62)
    )
    for span in part.spans:
        if not span.label:
            continue
        small = facts.plan.measure(list_label_choices(span)[-1], size=SIZES[-1])
        least = max(least, small.total + LABEL_MARGIN)
        if stays_level(facts, span):
            full = facts.is_upright and not span.short and len(span.lanes) == 1
            wide = facts.plan.measure(span.label).width if full else small.width
            usual = max(usual, (wide + 2 * LABEL_MARGIN) / len(span.lanes))
    least = max(least, *(height + 2 * INNER / 3 for height in labels)) if labels else least
    return least, max(usual, least)


def _size_lane_gap(plan: LayoutAttempt, part: Timeline, least: float, usual: float) -> tuple[float, float]:
    """Return the least and the usual gap between lanes, and the gap for the tallest label, in cm.

    Gaps have room for arrows with their labels, and for lane labels next to each other.
    """
    texts = [plan.measure(arrow.label, size=SIZES[-1]) for arrow in part.dependencies if arrow.label]
    sizes = (min(text.width, WIDEST_LEVEL_LABEL_CM) if part.direction == "down" else text.total for text in texts)
    tallest = max((size + _GAP_MARGIN for size in sizes), default=0.0)
    if part.direction == "right":
        return (max(0.3, tallest), max(0.35, tallest)) if part.dependencies or part.critical else (0.0, 0.0)
    widest = max((plan.measure(lane.label).width for lane in part.lanes), default=0.0)
    return max(0.06, widest + 0.1 - least, tallest), max(0.15, widest + 0.25 - usual, tallest)
