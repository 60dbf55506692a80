"""The texts beside arrows: at the first place along the arrow where they cover nothing and nothing passes through."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from tikzgen.base.plane import OVERLAP_COST, Box, PlaceIndex, Point, clearest
from tikzgen.base.record import Record
from tikzgen.layout.constants import INNER

Side = tuple[str, str]
"""Where a text stands, seen from its arrow: `before` or `after` it, away from the first lane; `early` or `late`."""

_STRAIGHT_SIDES: tuple[Side, ...] = (("before", ""), ("after", ""))
_TIME_SIDES: tuple[Side, ...] = (("", "late"), ("", "early"))
_CORNER_SIDES: tuple[Side, ...] = tuple((across, along) for across, _ in _STRAIGHT_SIDES for _, along in _TIME_SIDES)
_SEGMENT_SHARES = (0.5, 0.35, 0.65, 0.2, 0.8, 0.08, 0.92)  # share of a segment: where a text may stand beside it
_BEFORE_START_COST = 1.0  # what a place before the beginning costs
_TEXT_TO_SPAN_CM = 0.03  # cm between a text and the border of a span
TEXT_TO_ARROW_CM = 0.02  # cm between a text and an arrow


class LaneOnPaper(Record):
    """A lane on paper, in cm: its edges away from the first lane and the periods that its spans take along time.

    `texts` lie on it, `below` between it and the next lane, or over both, all in the order of time: each by where it
    begins along time and away from the first lane, and where it ends there.
    """

    near: float
    far: float
    texts: tuple[Box, ...]
    spans: tuple[tuple[float, float], ...]
    below: tuple[Box, ...]


class Standing(Record):
    """Where a text stands: on which leg of its arrow (from 1), at which share of it, on which side; and its place."""

    leg: int
    share: float
    side: Side
    box: Box


def choose_place(
    way: Sequence[Point],
    width: float,
    height: float,
    rows: Sequence[LaneOnPaper],
    drawn: PlaceIndex,
    off: float = 0.0,
) -> Standing:
    """Choose the best place for a label (cm) next to its arrow, `off` cm farther than usual.

    It avoids spans, other labels, and crossing arrows if possible.
    """
    return clearest(_candidate_places(way, width, height, off + INNER), partial(_cost, rows, drawn))


def _candidate_places(way: Sequence[Point], width: float, height: float, off: float) -> Iterator[Standing]:
    """Yield places: the usual one late on the last segment first, then those of longer segments."""
    legs = list(enumerate(pairwise(way), 1))
    yield stand(*legs[-1], 0.5, ("", "late"), width, height, off)
    for leg, (start, goal) in sorted(legs, key=lambda each: -_length(*each[1])):
        flat = abs(goal[0] - start[0]) > abs(goal[1] - start[1])
        for sides in (_STRAIGHT_SIDES if flat else _TIME_SIDES, _CORNER_SIDES):
            for share in _SEGMENT_SHARES:
                for side in sides:
                    yield stand(leg, (start, goal), share, side, width, height, off)


def _length(start: Point, goal: Point) -> float:
    return abs(goal[0] - start[0]) + abs(goal[1] - start[1])


def stand(
    leg: int, ends: tuple[Point, Point], share: float, side: Side, width: float, height: float, off: float
) -> Standing:
    """A text of this size on a side of a leg, `off` cm from it; on it where it stands on neither."""
    (u0, v0), (u1, v1) = ends
    u, v = u0 + (u1 - u0) * share, v0 + (v1 - v0) * share
    start = {"late": u + off, "early": u - off - width}.get(side[1], u - width / 2)
    near = {"after": v + off, "before": v - off - height}.get(side[0], v - height / 2)
    return Standing(leg, share, side, (start, near, start + width, near + height))


def _cost(rows: Sequence[LaneOnPaper], drawn: PlaceIndex, place: Standing, most: float) -> float:
    """What a place costs: nothing where the text is alone; `most` or more where it is no better than that."""
    box = place.box
    cost = _BEFORE_START_COST if box[0] < 0 else 0.0
    for row in rows:
        if row.near < box[3] + _TEXT_TO_SPAN_CM and box[1] - _TEXT_TO_SPAN_CM < row.far:
            first = max(bisect_left(row.spans, (box[0],)) - 1, 0)
            for low, high in row.spans[first:]:
                if low > box[2] + _TEXT_TO_SPAN_CM or cost >= most:
                    break
                cost += OVERLAP_COST * (high > box[0] - _TEXT_TO_SPAN_CM)
    return cost + drawn.cost(box, most=most - cost) if cost < most else cost
