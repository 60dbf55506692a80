"""The way of an arrow across lanes: straight where that strikes no text, else between spans and beside their texts.

An arrow that bends crosses each lane at a right angle and is straight in the gaps between lanes. Where it crosses is
the cheapest choice for all lanes together, found lane by lane: little to the side, few bends, no text, over idle time
or along the ends of spans rather than through one, and not where another arrow crosses already.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

from tikzgen.base.plane import Box, Point, meets
from tikzgen.layout.time.labels_beside_arrows import LaneOnPaper

_ARROW_TO_TEXT_CM = 0.06  # cm that an arrow keeps from a text where it can, besides half its own width
_SEEN_AS_CROSSED_CM = 0.02  # cm from a straight arrow to a text, besides half its width: what is nearer seems struck
_NEAR_PLACES_COUNT = 3  # places of each kind, on either side of where a lane would be crossed by a straight arrow
_COMPARED_PLACES_COUNT = 5  # places at which a lane may be crossed that are compared with those of its neighbours
_ARROW_TO_SPAN_CM = 0.08  # cm that an arrow over idle time keeps from the spans beside it
# What costs as much as so many cm along time:
_BEND_COST = 0.12
_INSIDE_SPAN_COST = 0.6
_SHARED_CROSSING_COST = 0.4
_CROSSED_TEXT_COST = 50.0
_SEEN_AS_ONE_CM = 0.03  # cm: arrows that cross this near to each other lie on one another


class LaneCrossings:
    """The lanes of a timeline, and where arrows cross them so far."""

    def __init__(self, rows: Sequence[LaneOnPaper]) -> None:
        self._rows = rows
        self._crossed: list[list[float]] = [[] for _ in rows]
        self._ends = [sorted({end for span in row.spans for end in span}) for row in rows]

    def between(self, source: int, target: int, start: float, goal: float, width: float) -> list[tuple[int, float]]:
        """Where an arrow crosses the lanes between two others: each lane, by place, with the moment on paper in cm.

        Nothing for a straight arrow. It leaves lane `source` at `start` and reaches `target` at `goal`; `width` is
        that of its line, in cm.
        """
        step = 1 if target > source else -1
        crossed = range(source + step, target, step)
        first, last = self._edge(source, step), self._edge(target, -step)
        if not crossed or not self._crosses_text((start, first), (goal, last), crossed, step, width / 2):
            return []
        share = [(self._middle(lane) - first) / (last - first) for lane in crossed]
        straight = [start + (goal - start) * each for each in share]
        found = self._cheapest(crossed, step, start, goal, straight, width / 2)
        for lane, at in zip(crossed, found, strict=True):
            self._crossed[lane].append(at)
        return list(zip(crossed, found, strict=True))

    def _edge(self, lane: int, step: int) -> float:
        return self._rows[lane].far if step > 0 else self._rows[lane].near

    def _middle(self, lane: int) -> float:
        return (self._rows[lane].near + self._rows[lane].far) / 2

    def _crosses_text(self, start: Point, goal: Point, crossed: Sequence[int], step: int, half: float) -> bool:
        """Return whether a segment crosses a label on or between the lanes that it crosses."""
        gaps = [crossed[0] - (step > 0), *(lane - (step < 0) for lane in crossed)]
        half += _SEEN_AS_CROSSED_CM
        texts = [self._rows[lane].texts for lane in crossed] + [self._rows[lane].below for lane in gaps]
        return any(
            meets(start, goal, box, half) for boxes in texts for box in _texts_near(boxes, start[0], goal[0], half)
        )

    def _cheapest(
        self, crossed: Sequence[int], step: int, start: float, goal: float, straight: Sequence[float], half: float
    ) -> list[float]:
        """Where each lane is crossed, so that all of it costs least."""
        wanted = [[*self._cheap(lane, at, half), start, goal] for lane, at in zip(crossed, straight, strict=True)]
        best: list[tuple[float, int]] = [(0.0, -1)]
        before, came = [start], [best]
        columns: list[list[float]] = []
        for index, lane in enumerate(crossed):
            # a place that suits a neighbouring lane saves a bend
            near = wanted[max(index - 1, 0) : index + 2]
            places = sorted({at for places in near for at in places})
            gap = self._rows[lane - (step > 0)].below
            edges = self._edge(lane - step, step), self._edge(lane, -step)
            best = [_least(came[-1], before, at, gap, edges, self._cost(lane, at, half), half) for at in places]
            came.append(best)
            columns.append(places)
            before = places
        gap = self._rows[crossed[-1] - (step < 0)].below
        edges = self._edge(crossed[-1], step), self._edge(crossed[-1] + step, -step)
        _, chosen = _least(best, before, goal, gap, edges, 0.0, half)
        found = []
        for places, costs in zip(reversed(columns), reversed(came[1:]), strict=True):
            found.append(places[chosen])
            chosen = costs[chosen][1]
        return found[::-1]

    def _cheap(self, lane: int, at: float, half: float) -> list[float]:
        """The places to cross a lane that are worth a try."""
        found = {
            place: self._cost(lane, place, half) + abs(place - at) for place in self._crossing_places(lane, at, half)
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

    def _cost(self, lane: int, at: float, half: float) -> float:
        """What crossing a lane costs at a place."""
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
    """Yield the labels, which do not overlap, near a period."""
    low, high = min(start, goal) - room, max(start, goal) + room
    first = max(bisect_left(boxes, (low,)) - 1, 0)
    for box in boxes[first:]:
        if box[0] > high:
            return
        if box[2] > low:
            yield box


def _least(
    came: Sequence[tuple[float, int]],
    before: Sequence[float],
    at: float,
    gap: Sequence[Box],
    edges: tuple[float, float],
    cost: float,
    half: float,
) -> tuple[float, int]:
    """The cheapest way to a place from those on the lane before: its cost, and from where it comes."""
    least, chosen = float("inf"), 0
    for index, (sum_, _) in enumerate(came):
        aside = abs(before[index] - at)
        total = sum_ + cost + aside + (_BEND_COST if aside > 1e-4 else 0.0)
        if total < least and gap:
            ends = (before[index], edges[0]), (at, edges[1])
            total += _CROSSED_TEXT_COST * sum(
                meets(*ends, box, half) for box in _texts_near(gap, before[index], at, half)
            )
        if total < least - 1e-9:
            least, chosen = total, index
    return least, chosen
