"""Labels next to arrows: at the first position along the arrow without overlaps."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from math import inf

from tikzgen.base.plane import OVERLAP_COST, Box, PlaceIndex, Point, choose_clearest
from tikzgen.base.record import Record
from tikzgen.layout.constants import INNER

Side = tuple[str, str]
"""Side of a label: `before` or `after` its arrow, in the direction away from the first lane; `early` or `late` in
time."""

_STRAIGHT_SIDES: tuple[Side, ...] = (("before", ""), ("after", ""))
_TIME_SIDES: tuple[Side, ...] = (("", "late"), ("", "early"))
_CORNER_SIDES: tuple[Side, ...] = tuple((across, along) for across, _ in _STRAIGHT_SIDES for _, along in _TIME_SIDES)
_SEGMENT_SHARES = (0.5, 0.35, 0.65, 0.2, 0.8, 0.08, 0.92)  # share of a segment: positions of a label next to it
_BEFORE_START_COST = 1.0  # cost of a position before the beginning of time
_TEXT_TO_SPAN_CM = 0.03  # cm between a label and the border of a span
TEXT_TO_ARROW_CM = 0.02  # cm between a label and an arrow
_OWNER_MARGIN_CM = 0.1  # cm: least excess of the distance to other arrows; costs 1 if missing
_MOST_OWNER_COST = 1.9  # cost of a position whose nearest arrow is another one: less than that of a crossing arrow
_OWNER_REACH_CM = 0.5  # cm: arrows at a larger distance do not matter


class LaneOnPaper(Record):
    """A lane in cm: its edges, measured away from the first lane, and the periods of its spans along time.

    `texts` are the boxes of labels on the lane. `below` are the boxes between it and the next lane, or over both. All
    are in the order of time, each as (start, near edge, end, far edge).
    """

    near: float
    far: float
    texts: tuple[Box, ...]
    spans: tuple[tuple[float, float], ...]
    below: tuple[Box, ...]


class Standing(Record):
    """Position of a label: the segment of its arrow (`leg`, from 1), the share along it, side and box."""

    leg: int
    share: float
    side: Side
    box: Box


class Owner(Record):
    """The arrows that a label belongs to (`own`) among all `arrows`, as indices of lines in a `PlaceIndex`."""

    own: range
    arrows: range

    def compute_place_cost(self, drawn: PlaceIndex, box: Box) -> float:
        """Return the cost of a position: 0 if the label is clearly nearest to its own arrow."""
        gaps = drawn.measure_line_gaps(box, _OWNER_REACH_CM)
        own = min((gap for index, gap in gaps.items() if index in self.own), default=_OWNER_REACH_CM)
        others = (gap for index, gap in gaps.items() if index in self.arrows and index not in self.own)
        missing = own + _OWNER_MARGIN_CM - min(others, default=inf)
        return min(missing / _OWNER_MARGIN_CM, _MOST_OWNER_COST) if missing > 0 else 0.0


def choose_place(
    way: Sequence[Point],
    width: float,
    height: float,
    rows: Sequence[LaneOnPaper],
    drawn: PlaceIndex,
    off: float = 0.0,
    owner: Owner | None = None,
) -> Standing:
    """Return the best position for a label (size in cm) next to its arrow, `off` cm away from the usual one.

    It avoids spans, other labels, crossing arrows, and the neighborhood of arrows that are not its own, if possible.
    """
    return choose_clearest(
        _candidate_places(way, width, height, off + INNER), partial(_compute_place_cost, rows, drawn, owner)
    )


def _candidate_places(way: Sequence[Point], width: float, height: float, off: float) -> Iterator[Standing]:
    """Yield positions: late in the last segment first, then by decreasing length of segments."""
    legs = list(enumerate(pairwise(way), 1))
    yield place_beside_segment(*legs[-1], 0.5, ("", "late"), width, height, off)
    for leg, (start, goal) in sorted(legs, key=lambda each: -_measure_segment(*each[1])):
        flat = abs(goal[0] - start[0]) > abs(goal[1] - start[1])
        for sides in (_STRAIGHT_SIDES if flat else _TIME_SIDES, _CORNER_SIDES):
            for share in _SEGMENT_SHARES:
                for side in sides:
                    yield place_beside_segment(leg, (start, goal), share, side, width, height, off)


def _measure_segment(start: Point, goal: Point) -> float:
    return abs(goal[0] - start[0]) + abs(goal[1] - start[1])


def place_beside_segment(
    leg: int, ends: tuple[Point, Point], share: float, side: Side, width: float, height: float, off: float
) -> Standing:
    """Return the position of a label on a side of a segment, `off` cm from it.

    Without a side, the label is on the segment.
    """
    (u0, v0), (u1, v1) = ends
    u, v = u0 + (u1 - u0) * share, v0 + (v1 - v0) * share
    start = {"late": u + off, "early": u - off - width}.get(side[1], u - width / 2)
    near = {"after": v + off, "before": v - off - height}.get(side[0], v - height / 2)
    return Standing(leg, share, side, (start, near, start + width, near + height))


def _compute_place_cost(
    rows: Sequence[LaneOnPaper], drawn: PlaceIndex, owner: Owner | None, place: Standing, most: float
) -> float:
    """Return the cost of a position: 0 without overlaps; `most` or more if it is not better than `most`."""
    box = place.box
    cost = _BEFORE_START_COST if box[0] < 0 else 0.0
    for row in rows:
        if row.near < box[3] + _TEXT_TO_SPAN_CM and box[1] - _TEXT_TO_SPAN_CM < row.far:
            first = max(bisect_left(row.spans, (box[0],)) - 1, 0)
            for low, high in row.spans[first:]:
                if low > box[2] + _TEXT_TO_SPAN_CM or cost >= most:
                    break
                cost += OVERLAP_COST * (high > box[0] - _TEXT_TO_SPAN_CM)
    if cost < most:
        cost += drawn.compute_place_cost(box, most=most - cost)
    return owner.compute_place_cost(drawn, box) if owner and not cost else cost  # overlaps are worse


def choose_level_anchor(text: Standing, *, right: bool) -> str:
    """Return the side or corner of a level label that faces its arrow; time runs to the right, or down."""
    across, along = text.side
    if right:
        up, side = {"before": "south", "after": "north"}, {"late": "west", "early": "east"}
        return " ".join(filter(None, (up.get(across), side.get(along)))) or "center"
    up, side = {"late": "north", "early": "south"}, {"before": "east", "after": "west"}
    return " ".join(filter(None, (up.get(along), side.get(across)))) or "center"
