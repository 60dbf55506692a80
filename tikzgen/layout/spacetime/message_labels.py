"""The texts of messages: beside their arrows, clear of other arrows, of lifelines and of each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.base.record import Record, replace
from tikzgen.layout.attempt import Plan
from tikzgen.layout.constants import INNER, SIZES
from tikzgen.layout.extent import Extent
from tikzgen.layout.length import param
from tikzgen.layout.spacetime.weave import Track, Weave, way
from tikzgen.layout.timeline.arrow_labels import LINE, Standing, standing
from tikzgen.layout.timeline.directions import extent
from tikzgen.plane.drawn import Drawn
from tikzgen.plane.rectangles import Box, Point, grown

__all__ = ["Said", "anchor", "label_size", "reaches", "said"]


_CLEAR = 0.045  # cm between a text and any line
_APART = 0.18  # cm between two texts, so that they are not read as one


class Said(Record):
    """The text of a message: on which of the tracks it stands, and where there; its place along time and away from
    the first lifeline, in cm."""

    track: Track
    standing: Standing

    @property
    def box(self) -> Box:
        return self.standing.box


def label_size(plan: Plan) -> float:
    """The size of messages' texts in pt: smaller than that of the lifelines' labels."""
    return max(SIZES[-1], plan.size - 1)


def said(plan: Plan, weave: Weave, found: Sequence[Track], taken: Sequence[Box]) -> Iterator[Said]:
    """The places of all texts, each clear of those before it and of what is `taken`."""
    messages = weave.part.messages
    ways = [way(plan, track) for track in found]
    sizes = {place: _size(plan, weave, one.label) for place, one in enumerate(messages) if one.label}
    apart, end = plan.values["lifelinesep"], weave.end * plan.values["timeunit"]
    lines = [[(0.0, row * apart), (end, row * apart)] for row in range(len(weave.part.lifelines))]
    airy, tight = (Drawn([*ways, *lines], list(sizes.values()), clear) for clear in (_CLEAR, LINE))
    for number, box in enumerate(taken):
        airy.put(-1 - number, box)
        tight.put(-1 - number, box)
    for place, size in sizes.items():
        own = [(track, points) for track, points in zip(found, ways, strict=True) if track.place == place]
        track, points = max(own, key=lambda each: _slant(each[1]))
        loops = len(points) > 2
        course = points[1:3] if loops else points  # beside the leg that is farthest out
        text = standing(course, *size, (), airy)
        if airy.cost(text.box):
            text = standing(course, *size, (), tight)
        text = replace(text, leg=2) if loops else text
        airy.put(place, grown(text.box, _APART))
        tight.put(place, grown(text.box, _CLEAR))
        yield Said(track, text)


def reaches(plan: Plan, weave: Weave, found: Sequence[Track]) -> Iterator[Extent]:
    """The paper that the texts lie on, wherever they stand beside their arrows."""
    unit, apart = plan.values["timeunit"], plan.values["lifelinesep"]
    for track in found:
        if label := weave.part.messages[track.place].label:
            along, across = (size + 2 * INNER for size in _size(plan, weave, label))
            us, vs = zip(*way(plan, track), strict=True)
            start, stop = param("timeunit", min(us) / unit) - along, param("timeunit", max(us) / unit) + along
            near, far = param("lifelinesep", min(vs) / apart) - across, param("lifelinesep", max(vs) / apart) + across
            yield extent(weave, start, stop, near, far)


def _slant(points: Sequence[Point]) -> float:
    """How much time a way takes from one lifeline to the next: beside the slowest of several, texts stand free."""
    (u0, v0), (u1, v1) = points[0], points[-1]
    return (u1 - u0) / (abs(v1 - v0) or 1.0)


def _size(plan: Plan, weave: Weave, label: str) -> tuple[float, float]:
    """How far a text reaches along time, and across it."""
    size = plan.measure(label, size=label_size(plan))
    high = size.height + size.depth
    return (size.width, high) if weave.part.direction == "right" else (high, size.width)


def anchor(weave: Weave, text: Standing) -> str:
    """The side or corner of an upright text that looks to its arrow."""
    across, along = text.side
    if weave.part.direction == "right":
        up, side = {"before": "south", "after": "north"}, {"late": "west", "early": "east"}
        return " ".join(filter(None, (up.get(across), side.get(along))))
    up, side = {"late": "north", "early": "south"}, {"before": "east", "after": "west"}
    return " ".join(filter(None, (up.get(along), side.get(across))))
