"""Routes of arrows across lanes: straight if that crosses no label, else between spans and labels.

A bent arrow crosses each lane orthogonally and is straight in the gaps between lanes. The crossings minimize the total
cost over all lanes, by dynamic programming from lane to lane. Cost grows with sideways distance, bends, crossed
labels, crossed spans (rather than idle time or ends of spans), and crossings shared with other arrows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

from tikzgen.base.plane import Box, Point, is_segment_across_box
from tikzgen.layout.time.labels_beside_arrows import LaneOnPaper

_ARROW_TO_TEXT_CM = 0.06  # preferred cm between an arrow and a label, in addition to half the line width
_SEEN_AS_CROSSED_CM = 0.02  # cm from a straight arrow to a label, besides half its width: below, it seems to cross
_NEAR_PLACES_COUNT = 3  # candidates of each kind, on either side of the straight crossing of a lane
_COMPARED_PLACES_COUNT = 5  # crossings of a lane that are compared with the crossings of adjacent lanes
_ARROW_TO_SPAN_CM = 0.08  # cm between an arrow over idle time and the spans next to it
# Costs, as equivalent cm along time.
_BEND_COST = 0.12
_INSIDE_SPAN_COST = 0.6
_SHARED_CROSSING_COST = 0.4
_CROSSED_TEXT_COST = 50.0
_SEEN_AS_ONE_CM = 0.03  # cm: arrows whose crossings are this close seem to overlap


class LaneCrossings:
    """Lanes of a timeline, and the crossings of arrows so far."""

    def __init__(self, rows: Sequence[LaneOnPaper]) -> None:
        self._rows = rows
        self._crossed: list[list[float]] = [[] for _ in rows]
        self._ends = [sorted({end for span in row.spans for end in span}) for row in rows]

    def route_between_lanes(
        self, source: int, target: int, start: float, goal: float, width: float
    ) -> list[tuple[int, float]]:
        """Return the crossings of an arrow with the lanes between two lanes, as (lane index, cm along time).

        Return an empty list for a straight arrow. The arrow leaves lane `source` at `start` and reaches `target` at
        `goal`; `width` is its line width. All lengths are in cm.
        """
        step = 1 if target > source else -1
        crossed = range(source + step, target, step)
        first, last = self._find_edge(source, step), self._find_edge(target, -step)
        if not crossed or not self._crosses_text((start, first), (goal, last), crossed, step, width / 2):
            return []
        share = [(self._find_middle(lane) - first) / (last - first) for lane in crossed]
        straight = [start + (goal - start) * each for each in share]
        found = self._find_cheapest_crossings(crossed, step, start, goal, straight, width / 2)
        for lane, at in zip(crossed, found, strict=True):
            self._crossed[lane].append(at)
        return list(zip(crossed, found, strict=True))

    def _find_edge(self, lane: int, step: int) -> float:
        return self._rows[lane].far if step > 0 else self._rows[lane].near

    def _find_middle(self, lane: int) -> float:
        return (self._rows[lane].near + self._rows[lane].far) / 2

    def _crosses_text(self, start: Point, goal: Point, crossed: Sequence[int], step: int, half: float) -> bool:
        """Return whether a segment crosses a label on or between the lanes that it crosses."""
        gaps = [crossed[0] - (step > 0), *(lane - (step < 0) for lane in crossed)]
        half += _SEEN_AS_CROSSED_CM
        texts = [self._rows[lane].texts for lane in crossed] + [self._rows[lane].below for lane in gaps]
        return any(
            is_segment_across_box(start, goal, box, half)
            for boxes in texts
            for box in _texts_near(boxes, start[0], goal[0], half)
        )

    def _find_cheapest_crossings(
        self, crossed: Sequence[int], step: int, start: float, goal: float, straight: Sequence[float], half: float
    ) -> list[float]:
        """Return the crossing of each lane with the least total cost, in cm along time."""
        wanted = [
            [*self._list_cheap_places(lane, at, half), start, goal] for lane, at in zip(crossed, straight, strict=True)
        ]
        best: list[tuple[float, int]] = [(0.0, -1)]
        before, came = [start], [best]
        columns: list[list[float]] = []
        for index, lane in enumerate(crossed):
            # A position that suits an adjacent lane saves a bend.
            near = wanted[max(index - 1, 0) : index + 2]
            places = sorted({at for places in near for at in places})
            gap = self._rows[lane - (step > 0)].below
            edges = self._find_edge(lane - step, step), self._find_edge(lane, -step)
            best = [
                _find_least_cost(came[-1], before, at, gap, edges, self._compute_crossing_cost(lane, at, half), half)
                for at in places
            ]
            came.append(best)
            columns.append(places)
            before = places
        gap = self._rows[crossed[-1] - (step < 0)].below
        edges = self._find_edge(crossed[-1], step), self._find_edge(crossed[-1] + step, -step)
        _, chosen = _find_least_cost(best, before, goal, gap, edges, 0.0, half)
        found = []
        for places, costs in zip(reversed(columns), reversed(came[1:]), strict=True):
            found.append(places[chosen])
            chosen = costs[chosen][1]
        return found[::-1]

    def _list_cheap_places(self, lane: int, at: float, half: float) -> list[float]:
        """Return the cheapest candidates for a crossing of a lane."""
        found = {
            place: self._compute_crossing_cost(lane, place, half) + abs(place - at)
            for place in self._crossing_places(lane, at, half)
        }
        return sorted(found, key=lambda place: (found[place], place))[:_COMPARED_PLACES_COUNT]

    def _crossing_places(self, lane: int, at: float, half: float) -> Iterator[float]:
        """Yield places to cross a lane near a position: at ends of spans, in idle time, next to labels."""
        row, ends = self._rows[lane], self._ends[lane]
        yield at
        middle = bisect_left(ends, at)
        near = ends[max(middle - _NEAR_PLACES_COUNT, 0) : middle + _NEAR_PLACES_COUNT]
        yield from near
        for one, other in pairwise(near):
            yield (one + other) / 2
            if other - one > 2 * _ARROW_TO_SPAN_CM:
                yield from (one + _ARROW_TO_SPAN_CM, other - _ARROW_TO_SPAN_CM)
        middle = bisect_left(row.texts, (at,))
        for low, _, high, _ in row.texts[max(middle - _NEAR_PLACES_COUNT, 0) : middle + _NEAR_PLACES_COUNT]:
            yield from (low - half - _ARROW_TO_TEXT_CM, high + half + _ARROW_TO_TEXT_CM)
        for end, side in ((ends[0], -1), (ends[-1], 1)) if ends else ():
            yield end + side * _ARROW_TO_SPAN_CM

    def _compute_crossing_cost(self, lane: int, at: float, half: float) -> float:
        """Return the cost of a crossing of a lane at a position."""
        row = self._rows[lane]
        cost = _SHARED_CROSSING_COST * sum(abs(other - at) < _SEEN_AS_ONE_CM for other in self._crossed[lane])
        room = min((max(low - at, at - high) for low, _, high, _ in _texts_near(row.texts, at, at, 0.3)), default=0.3)
        if room < half:
            return cost + _CROSSED_TEXT_COST * (1 + half - room)
        if room < half + _ARROW_TO_TEXT_CM:
            cost += 4 * (half + _ARROW_TO_TEXT_CM - room)
        index = bisect_left(row.spans, (at,))
        for low, high in row.spans[max(index - 1, 0) : index + 1]:
            if low + 1e-4 < at < high - 1e-4:
                return cost + _INSIDE_SPAN_COST
            if 1e-4 < min(abs(at - low), abs(at - high)) < _ARROW_TO_SPAN_CM - 1e-4:
                cost += _INSIDE_SPAN_COST / 4
        return cost


def _texts_near(boxes: Sequence[Box], start: float, goal: float, room: float) -> Iterator[Box]:
    """Yield the labels near a period; `boxes` do not overlap."""
    low, high = min(start, goal) - room, max(start, goal) + room
    first = max(bisect_left(boxes, (low,)) - 1, 0)
    for box in boxes[first:]:
        if box[0] > high:
            return
        if box[2] > low:
            yield box


def _find_least_cost(
    came: Sequence[tuple[float, int]],
    before: Sequence[float],
    at: float,
    gap: Sequence[Box],
    edges: tuple[float, float],
    cost: float,
    half: float,
) -> tuple[float, int]:
    """Return the least cost of a route to a position, and the index of its crossing on the lane before."""
    least, chosen = float("inf"), 0
    for index, (sum_, _) in enumerate(came):
        aside = abs(before[index] - at)
        total = sum_ + cost + aside + (_BEND_COST if aside > 1e-4 else 0.0)
        if total < least and gap:
            ends = (before[index], edges[0]), (at, edges[1])
            total += _CROSSED_TEXT_COST * sum(
                is_segment_across_box(*ends, box, half) for box in _texts_near(gap, before[index], at, half)
            )
        if total < least - 1e-9:
            least, chosen = total, index
    return least, chosen
