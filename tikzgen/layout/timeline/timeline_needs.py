"""How long a time unit must be, how thick lanes and how wide the gaps between them, so that labels have room."""

from __future__ import annotations

from tikzgen.layout.attempt import Direction, DistanceNeed, LayoutAttempt
from tikzgen.layout.constants import FULLEST, INNER, SIZES
from tikzgen.layout.time.time_to_position import unit_meaning
from tikzgen.layout.timeline.labels_outside_cells import shrink_label
from tikzgen.layout.timeline.span_labels import LABEL_MARGIN, choices, stays_level
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper
from tikzgen.model.looks import TEXT_WIDE, width_in_cm
from tikzgen.model.timeline import Timeline
from tikzgen.text import TextSize

_CELL_TOLERANCE = 0.002  # cm that a cell may be shorter for: distances are whole hundredths of a mm
_TIME_UNIT_CM = 0.42  # cm, where nothing else decides
_GAP_MARGIN = 0.2  # cm that a gap is wider than a text beside an arrow in it
_ARROW_TAIL_CM = 0.7  # cm of the time arrow behind the lanes, with its tip
_PAGE_HEIGHT = 20.0  # cm that lanes take of a page's height, but for what else stands in their column
_OTHER_HEIGHT = 6.0  # cm
_LEAST_LANE_CM = 0.3  # cm of a lane at least, and between two labels
_LABEL_GAP = 0.05  # cm
_INK_SHARE = 0.82  # of a label's height, which its ink takes, and cm between two where lanes are pressed
_PRESSED_LABEL_GAP = 0.035  # cm
_LENGTH = 6.0  # cm that a timeline takes before labels shrink
_NARROW_SHARE = 0.75  # of what their labels leave of the width, where texts are set narrow
_LEAST_TIMELINE_CM = 1.5  # cm that a timeline takes at least, however narrow its figure is to be


def distances_of_timeline(facts: TimelineOnPaper) -> dict[str, DistanceNeed]:
    """Collect the distances of a timeline: large enough for every label at 6 pt, usually at full size."""
    part = facts.part
    along: Direction = "x" if part.direction == "right" else "y"
    across: Direction = "y" if part.direction == "right" else "x"
    unit = _unit(facts)
    height = _height(facts)
    if across == "y" and facts.plan.figure.height is None:
        height = height[0], max(height[0], min(height[1], max(share_of_page(facts.plan), _thin(facts))))
    return {
        "timeunit": DistanceNeed(unit[0], unit[1], along, unit_meaning(facts.clock.unit), unit[2]),
        "laneheight": DistanceNeed(*height, across, "thickness of a lane"),
        "lanesep": DistanceNeed(*_sep(facts.plan, part, *height), across, "gap between neighbouring lanes"),
    }


def share_of_page(plan: LayoutAttempt) -> float:
    """What a page has for each lane, in cm, beside what else stands above it."""
    figure, rows = plan.figure, [facts.rows for facts in plan.timelines.values()]
    others = [len(panel.content) - 1 for panel in figure.panels if panel.arrange == "column"]
    if figure.abreast > 1:
        return (_PAGE_HEIGHT - _OTHER_HEIGHT * max(others, default=0)) / max(rows)
    return (_PAGE_HEIGHT - _OTHER_HEIGHT * sum(others)) / sum(rows)


def _thin(facts: TimelineOnPaper, share: float = 1.0, beyond: float = _LABEL_GAP) -> float:
    """What a lane takes with its label, in cm, or with a share of its height and so much `beyond`."""
    labels = (lane.label for lane in facts.part.lanes if lane.label)
    sizes = [facts.plan.measure(label, size=facts.lanes_size) for label in labels]
    return max([_LEAST_LANE_CM, *(share * size.total + beyond for size in sizes)])


def _unit(facts: TimelineOnPaper) -> tuple[float, float, float]:
    """The least and the usual length of a time unit, and the one that it takes where lanes are thin.

    Every label fits at 6 pt at least; at full size as far as that does not stretch the timeline beyond `_LENGTH`.
    """
    part, end = facts.part, float(facts.end) or 1.0
    least = full = tight = legible = 0.0
    longest = width_in_cm(facts.plan.figure.width) - _width_at_ends(facts) if facts.plan.figure.width else TEXT_WIDE
    # all timelines have one unit: what stretches another one beyond the width is no room for labels here
    reach = _reach(facts.plan, part) if facts.plan.figure.width else end
    for span in part.spans:
        if not span.label:
            continue
        duration = facts.clear(span)
        small, large = facts.plan.measure(choices(span)[-1], size=SIZES[-1]), facts.plan.measure(span.label)
        if stays_level(part, span):
            least = max(least, (small.total + LABEL_MARGIN) / duration)
            full = max(full, (large.total + 3 * LABEL_MARGIN) / duration)
            if len(span.lanes) == 1:
                tight = max(tight, (small.width + 2 * LABEL_MARGIN) / duration)
        else:
            wanted = (small.width + 2 * LABEL_MARGIN) / duration
            # a long text in a short span is no reason for a figure that fits no page
            least = max(least, wanted if wanted * reach <= longest else 0.0)
            full = max(full, (large.width + 3 * LABEL_MARGIN) / duration)
    for cell in facts.cells:
        full = max(full, _along(part, facts.plan.measure(cell.text)) / cell.length)
        enough = _along(part, facts.plan.measure(cell.text, size=SIZES[-1])) / cell.length
        legible = max(legible, enough if enough * reach <= longest else 0.0)
    usual = max(_TIME_UNIT_CM if end <= 24 else 10.0 / end, min(full, _LENGTH / end), legible)
    short = (
        max(longest * _NARROW_SHARE, _LEAST_TIMELINE_CM)
        if facts.plan.limit and facts.plan.figure.abreast == 1
        else _LENGTH
    )
    return max(least, min(0.12, min(short, _LENGTH) / reach)), max(usual, least), tight


def _width_at_ends(facts: TimelineOnPaper) -> float:
    """Return the least width at the ends of the lanes in cm: their labels, and the tail of the time arrow."""
    if facts.part.direction != "right":
        return 0.0
    labels = [facts.plan.measure(lane.label, size=SIZES[-1]).width for lane in facts.part.lanes if lane.label]
    return max(labels, default=0.0) + _ARROW_TAIL_CM * (facts.part.axis is not None)


def _reach(plan: LayoutAttempt, part: Timeline) -> float:
    """The end of the longest timeline that runs in the same direction, in time units on paper."""
    return max(float(facts.end) for facts in plan.timelines.values() if facts.part.direction == part.direction) or 1.0


def _along(part: Timeline, text: TextSize) -> float:
    """What a cell needs along time for its number, which stands level."""
    return text.width / FULLEST + _CELL_TOLERANCE if part.direction == "right" else text.total + LABEL_MARGIN


def _height(facts: TimelineOnPaper) -> tuple[float, float]:
    """The least and the usual thickness of a lane."""
    part = facts.part
    labels = [short.height for lane in part.lanes if lane.label and (short := shrink_label(facts, lane.label))]
    least, usual = (_thin(facts, _INK_SHARE, _PRESSED_LABEL_GAP), 0.5) if facts.right else (_LEAST_LANE_CM, 0.62)
    for span in part.spans:
        if not span.label:
            continue
        small = facts.plan.measure(choices(span)[-1], size=SIZES[-1])
        least = max(least, small.total + LABEL_MARGIN)
        if stays_level(part, span):
            usual = max(usual, (small.width + 2 * LABEL_MARGIN) / len(span.lanes))
    least = max(least, *(height + 2 * INNER / 3 for height in labels)) if labels else least
    return least, max(usual, least)


def _sep(plan: LayoutAttempt, part: Timeline, least: float, usual: float) -> tuple[float, float]:
    """The least and the usual gap between lanes: room for arrows with their texts, and for lane labels that stand
    side by side."""
    texts = [plan.measure(arrow.label, size=SIZES[-1]) for arrow in part.dependencies if arrow.label]
    tallest = max((text.total + _GAP_MARGIN for text in texts), default=0.0)
    if part.direction == "right":
        return (max(0.3, tallest), max(0.35, tallest)) if part.dependencies or part.critical else (0.0, 0.0)
    widest = max((plan.measure(lane.label).width for lane in part.lanes), default=0.0)
    return max(0.06, widest + 0.1 - least, tallest), max(0.15, widest + 0.25 - usual, tallest)
