"""Time unit and lifeline distance that a space-time diagram needs for its heads and labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, pairwise
from math import floor

from tikzgen.base.record import Record
from tikzgen.layout.attempt import Direction, DistanceNeed
from tikzgen.layout.constants import INNER, SIZES
from tikzgen.layout.spacetime.facts_and_message_ways import LOOP_REACH_CM, SpacetimeFacts, Track, iterate_tracks
from tikzgen.layout.spacetime.lifeline_marks import LifeText, clock_texts, event_texts
from tikzgen.layout.spacetime.lifeline_parts import size_feet, size_heads
from tikzgen.layout.spacetime.regions import Area, size_regions
from tikzgen.layout.time.time_to_position import unit_meaning

_TEXT_TO_ARROW_CM = 0.12  # cm between a label and the next arrow
_UNIT = {"right": (0.4, 1.0), "down": (0.4, 0.6)}  # cm: least and usual time unit, unless labels need more
_STEEP_GAPS_CM = (0.4, 0.8)  # cm of a time unit if a low diagram runs down: labels are between arrows
_LOW_DIAGRAM_CM = 3.6  # cm: height of a low diagram
_SHORT_DIAGRAMS_CM = (3.5, 6.0)  # cm: lengths beyond which the least time unit does not stretch the diagram
_STRETCHED_LENGTHS_CM = (6.0, 10.0)  # cm: largest lengths (least, usual) to which labels stretch the diagram
_LONGEST_DIAGRAM_CM = 15.0  # cm
_NARROW_LENGTH_CM = 4.4  # cm: the same, if nothing else fits the width
_LIFELINE_GAPS_CM = (0.75, 1.05)  # cm between lifelines, unless labels need more
_TEXT_MARGINS_CM = (0.3, 0.6)  # cm by which the distance of lifelines exceeds the width of a label between them
_WRAPPED_TEXT_FACTOR = 2.0  # factor on the height of a wrapped label between lifelines, because arrows pass it steeply
_SHARES = (0.5, 0.3, 0.7)  # of the gap between lifelines: the middle, and other positions of labels
_HEADS = (0.12, 0.3)  # cm between two heads


def distances_of_spacetime(facts: SpacetimeFacts) -> dict[str, DistanceNeed]:
    """Return the distances that a space-time diagram uses."""
    along: Direction = "x" if facts.right else "y"
    across: Direction = "y" if facts.right else "x"
    apart, unit = (
        _size_stacked_lifelines(facts) if facts.right else _size_parallel_lifelines(facts),
        _size_time_unit(facts),
    )
    least = apart[0]
    spread = facts.plan.spread  # along the page, if there is room
    if facts.right:
        apart = apart[0] * spread, apart[1] * spread
    else:
        unit = unit[0] * spread, unit[1] * spread
        if facts.plan.figure.width is None:  # longer, flatter arrows
            apart = apart[0], min(apart[1] * spread, max(apart[1], _LONGEST_DIAGRAM_CM / len(facts.part.lifelines)))
    return {
        "timeunit": DistanceNeed(*unit, along, unit_meaning(facts.clock.unit)),
        "lifelinesep": DistanceNeed(*apart, across, "gap between neighboring lifelines", firm=least),
    }


def _size_time_unit(facts: SpacetimeFacts) -> tuple[float, float]:
    """Return the least and usual time unit in cm, so that the label of an arrow ends before the next one.

    The total length of the diagram limits them.
    """
    end = facts.end or 1.0
    points = sorted(
        (text.row, float(facts.clock.locate_moment(text.start)), text.size[0]) for text in _point_texts(facts)
    )
    found = []
    longest = (_NARROW_LENGTH_CM if facts.plan.pressed else _STRETCHED_LENGTHS_CM[0], _limit_length(facts))
    for index, (size, places) in enumerate(((SIZES[-1], len(_SHARES)), (facts.small, 1))):
        wish = 0.0
        for crossings in _list_gap_crossings(facts).values():
            for (times, label), (later, _) in pairwise(sorted(crossings)):
                free = max(after - before for before, after in list(zip(times, later, strict=True))[:places])
                if label and free > 0:
                    wish = max(
                        wish, (facts.text_beside_message(label, size)[0][0] + 2 * INNER + _TEXT_TO_ARROW_CM) / free
                    )
        for one, other in pairwise(points):
            if one[0] == other[0] and other[1] > one[1]:  # labels alternate between the sides of the lifeline
                wish = max(wish, ((one[2] + other[2]) / 2 + 2 * INNER) / 2 / (other[1] - one[1]))
        least = max(
            _UNIT[facts.part.direction][index],
            0.0 if facts.right else min(_STEEP_GAPS_CM[index], _LOW_DIAGRAM_CM / end),
        )
        found.append(max(min(least, _SHORT_DIAGRAMS_CM[index] / end), min(wish, longest[index] / end)))
    return found[0], max(found)


def _limit_length(facts: SpacetimeFacts) -> float:
    """Return the length in cm to which labels may stretch a diagram: more if horizontal without a width."""
    free = facts.right and facts.plan.figure.width is None
    return min(_STRETCHED_LENGTHS_CM[1] * facts.plan.spread, _LONGEST_DIAGRAM_CM) if free else _STRETCHED_LENGTHS_CM[1]


def _point_texts(facts: SpacetimeFacts) -> Iterator[LifeText]:
    """Yield the labels at times of lifelines."""
    return chain(clock_texts(facts), event_texts(facts))


def _list_gap_crossings(facts: SpacetimeFacts) -> dict[int, list[tuple[tuple[float, ...], str]]]:
    """Return for each gap between two lifelines when each message passes it, with its label.

    The times are at the middle of the gap and near its two lifelines, in drawn time units.
    """
    gaps: dict[int, list[tuple[tuple[float, ...], str]]] = defaultdict(list)
    spoken: set[int] = set()
    for track in iterate_tracks(facts):
        label = "" if track.place in spoken else facts.part.messages[track.place].label
        spoken.add(track.place)
        start, goal = track.turns[0], track.turns[-1]
        low, high = sorted((start.row, goal.row))
        inside = list(range(floor(low), max(floor(low) + 1, floor(high + 0.99))))
        time, lasts = (float(facts.clock.locate_moment(each)) for each in (start.time, goal.time - start.time))
        for gap in inside:
            rows = [gap + share - start.row for share in _SHARES]
            shares = [row / (goal.row - start.row) if goal.row != start.row else 0.5 for row in rows]
            times = tuple(time + lasts * min(max(share, 0.0), 1.0) for share in shares)
            gaps[gap].append((times, label if gap == _choose_label_gap(track, inside) else ""))
    return gaps


def _choose_label_gap(track: Track, gaps: list[int]) -> int:
    """Return the gap that contains the label of a message: at the middle of its route."""
    return gaps[len(gaps) // 2] if track.turns[0].row < track.turns[-1].row else gaps[(len(gaps) - 1) // 2]


def _size_stacked_lifelines(facts: SpacetimeFacts) -> tuple[float, float]:
    """Return the least and usual distance of stacked lifelines, in cm.

    They leave room for heads, and for a label next to an arrow or over a loop.
    """
    labels = [one.label for one in facts.part.messages if one.label]
    spoken = [facts.text_beside_message(label) for label in labels]
    tallest = max(
        (across * (_WRAPPED_TEXT_FACTOR if wrap and facts.plan.limit else 1.0) for (_, across), wrap in spoken),
        default=0.0,
    )
    loop = LOOP_REACH_CM if any(one.source in one.targets for one in facts.part.messages) else 0.0
    high = max(head.height for head in size_heads(facts))
    points = max((text.size[1] + INNER for text in _point_texts(facts)), default=0.0) + _measure_frames(facts)
    least, usual = (
        max(apart, high + gap, tallest + loop + points + 2 * INNER + gap)
        for apart, gap in zip(_LIFELINE_GAPS_CM, _HEADS, strict=True)
    )
    return least, usual


def _size_parallel_lifelines(facts: SpacetimeFacts) -> tuple[float, float]:
    """Return the least and usual distance of lifelines side by side, in cm.

    They leave room for heads, and for the widest label between two lifelines.
    """
    ends = size_heads(facts), size_feet(facts)
    wide = [(one.width + other.width) / 2 for each in ends for one, other in pairwise(each)]
    found = size_regions(facts)
    texts = [text.width + _width_of_frames(found, text) for text in _iterate_labels_between(facts)]
    frames = [_width_of_frames(found, _Between(gap, None, 0.0)) for gap in range(len(facts.part.lifelines) - 1)]
    least, usual = (
        max([apart, *(each + gap for each in wide), *(each + clear for each in (*texts, *frames))])
        for apart, gap, clear in zip(_LIFELINE_GAPS_CM, _HEADS, _TEXT_MARGINS_CM, strict=True)
    )
    return least, usual


def _measure_frames(facts: SpacetimeFacts) -> float:
    """Return the space in cm that frames with their tabs take between two lifelines."""
    found, last = size_regions(facts), len(facts.part.lifelines) - 1
    near = max((area.near for area in found if area.first > 0), default=0.0)
    return near + max((area.far for area in found if area.last < last), default=0.0)


class _Between(Record):
    """A label between the lifelines `gap` and `gap` + 1: its period (None: always) and its width in cm."""

    gap: int
    when: tuple[Fraction, Fraction] | None
    width: float


def _width_of_frames(found: Sequence[Area], text: _Between) -> float:
    """Return the width that frames take between the same lifelines at the same time, in cm."""
    met = [
        area
        for area in found
        if text.when is None or (area.region.start <= text.when[1] and text.when[0] <= area.region.end)
    ]
    near = max((area.near for area in met if area.first == text.gap + 1), default=0.0)
    return near + max((area.far for area in met if area.last == text.gap), default=0.0)


def _iterate_labels_between(facts: SpacetimeFacts) -> Iterator[_Between]:
    """Yield the labels between two lifelines. Beyond the outer lifelines, labels always have room."""
    last = len(facts.part.lifelines) - 1
    for message in facts.part.messages:
        if message.label:
            rows = [facts.find_row(line) for line in (message.source, *message.targets)]
            when = message.sent, max([message.sent, *message.arrivals.values()])
            width = facts.text_beside_message(message.label)[0][1]
            if message.source in message.targets and rows[0] < last:
                yield _Between(rows[0], when, width + LOOP_REACH_CM)
            for gap in range(min(rows), max(rows)):
                yield _Between(gap, when, width)
    for text in _point_texts(facts):
        for gap in (text.row - 1, text.row):
            if 0 <= gap < last or len(facts.part.lifelines) == 1:
                yield _Between(gap, (text.start, text.end), text.size[1])
