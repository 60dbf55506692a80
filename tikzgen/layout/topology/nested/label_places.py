"""Where the texts of lines stand: beside free legs, clear of entities, frames, other lines and other texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from tikzgen.base.record import Record
from tikzgen.layout.topology.nested.nested_graph import Line
from tikzgen.plane.rectangles import Box, Point, grown, is_within, meets, overlap

_SHARES = tuple(0.5 + step * 0.06 * sign for step in range(8) for sign in ((1,) if not step else (1, -1)))
_OFF = 0.105  # cm between a text and its line
_BORDER = 0.07  # cm that should be between a text and the border of a frame,
_STRANGER = 0.14  # and the lines of others
_NEARLY = 0.8  # what it costs to come nearer, of 3 for what is struck
_BARE = 0.7  # cm of a line that are seen beside a text on it, both sides together
ON = 4
"""The side of a text that its line runs through."""


class Spot(Record):
    """A place for a text: its box, the point of the line that it belongs to, and how far from ideal that is.

    `side` is the side of the box that the line runs along: 0 right, 1 bottom, 2 left, 3 top, or `ON` it.
    """

    box: Box
    at: Point
    side: int
    cost: float


def spots(points: Sequence[Point], line: Line) -> Iterator[Spot]:
    """Places beside the legs of a line, on both sides of each, or on the side of its direction that was asked for.

    They are on the legs themselves where that was asked for, and turned with upright ones where it was sloped.
    """
    whole = sum(abs(x1 - x0) + abs(y1 - y0) for (x0, y0), (x1, y1) in pairwise(points))
    passed = 0.0
    for (x0, y0), (x1, y1) in pairwise(points):
        level, long = abs(y1 - y0) < 1e-9, abs(x1 - x0) + abs(y1 - y0)
        wide, tall = line.label if level or line.label_at != "sloped" else line.label[::-1]
        short = max(0.0, (wide if level else tall) + (_BARE if line.label_at == "on" else 0.1) - long)
        for share in _SHARES:
            x, y = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
            middle = abs(passed + share * long - whole / 2)
            cost = abs(share - 0.5) * 0.6 + short * 2.0 + middle * 0.08 + (0.0 if level else 0.1)
            if line.label_at == "on":
                yield Spot((x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2), (x, y), ON, cost)
                continue
            places = (
                (Spot((x - wide / 2, y - _OFF - tall, x + wide / 2, y - _OFF), (x, y), 1, cost), x1 > x0),
                (Spot((x - wide / 2, y + _OFF, x + wide / 2, y + _OFF + tall), (x, y), 3, cost + 0.05), x1 < x0),
                (Spot((x + _OFF, y - tall / 2, x + _OFF + wide, y + tall / 2), (x, y), 2, cost), y1 > y0),
                (Spot((x - _OFF - wide, y - tall / 2, x - _OFF, y + tall / 2), (x, y), 0, cost + 0.05), y1 < y0),
            )
            for spot, is_left in places[:2] if level else places[2:]:
                if not line.side or is_left == (line.side == "left"):
                    yield spot
        passed += long


def struck(
    box: Box,
    own: Sequence[Point],
    others: Sequence[Sequence[Point]],
    solids: Sequence[Box],
    borders: Sequence[Box],
    *,
    enough: Callable[[float], bool] = lambda _: False,
) -> float:
    """How much a text at a place would strike: entities and texts, borders of frames, lines."""
    found = 0.0
    near = grown(box, 0.04)
    found += 3.0 * sum(overlap(near, solid) for solid in solids)
    if enough(found):
        return found
    for border in borders:
        for room, price in ((0.04, 3.0), (_BORDER, _NEARLY)):
            near = grown(box, room)
            if overlap(near, border) and not is_within(near, border):
                found += price
                break
    if enough(found):
        return found
    found += 2.0 * sum(meets(*leg, grown(box, -0.01)) for leg in pairwise(own))
    for way in others:
        legs = list(pairwise(way))
        for room, price in ((0.09, 2.0), (_STRANGER, _NEARLY)):
            if any(meets(*leg, grown(box, room)) for leg in legs):
                found += price
                break
    return found
