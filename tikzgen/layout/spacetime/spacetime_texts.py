"""Placement of labels in a space-time diagram: next to their subjects, clear of lines and labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.base.plane import CM_PER_PT, CROSSING_COST, Box, PlaceIndex, Point, choose_clearest, grow_box
from tikzgen.base.record import Record, replace
from tikzgen.layout.constants import INNER
from tikzgen.layout.spacetime.facts_and_message_ways import LIFELINE_TAIL_CM, SpacetimeFacts, Track, route_message
from tikzgen.layout.symbolic_lengths import SymbolicBox, make_length
from tikzgen.layout.time.labels_beside_arrows import TEXT_TO_ARROW_CM, Standing, choose_place, place_beside_segment
from tikzgen.layout.time.timed_items import PathItem

_TEXT_TO_LINE_CM = 0.045  # cm between a label and any line
_TEXT_TO_ARROW_EDGE_CM = 0.015  # cm between a label and the edge of the thickest arrow
_TEXT_TO_TEXT_CM = 0.18  # cm between two labels, so that they do not read as one
_ARROW_SHARES = (0.5, 0.35, 0.65, 0.22, 0.78)  # share of an arrow: possible positions of a label on it


class PlacedText(Standing):
    """A placed label; `covers` is true if it overlaps a line or another label because no place is free."""

    covers: bool


class Wish(Record):
    """A placement request of a label: a line next to which it may be, and its size in cm.

    `text` is the size along time and across it. `room` is an extra distance from the line in cm. `leg` is the segment
    number of the line in a longer route. If `on`, the label is on the line. `others` are further lines, by name, next
    to which it may be.
    """

    name: str
    course: tuple[Point, ...]
    text: tuple[float, float]
    room: float = 0.0
    leg: int = 0
    on: bool = False
    others: tuple[tuple[str, tuple[Point, ...]], ...] = ()

    @property
    def reach(self) -> tuple[float, float]:
        """Largest distance of the label's edges from its line, along time and across it, in cm."""
        return self.text[0] + self.room + 2 * INNER, self.text[1] + self.room + 2 * INNER


def beside_way(facts: SpacetimeFacts, name: str, points: Sequence[Point], text: str) -> Wish:
    """Return the request of a label next to a route; next to the outermost segment of a loop."""
    loops = len(points) > 2
    return Wish(
        name, tuple(points[1:3] if loops else points), facts.text_beside_message(text)[0], leg=2 if loops else 0
    )


def message_labels(facts: SpacetimeFacts, found: Sequence[Track]) -> Iterator[Wish]:
    """Yield the labels of messages: a multicast has one, next to the slowest message."""
    for place, message in enumerate(facts.part.messages):
        if message.label:
            own = [(track, route_message(facts, track.turns)) for track in found if track.place == place]
            track, points = max(own, key=lambda each: _measure_slant(each[1]))
            wish = beside_way(facts, track.name, points, message.label)
            others = tuple((one.name, tuple(its)) for one, its in own if one is not track and len(its) == 2)
            yield replace(wish, on=message.label_at == "on" and not wish.leg, others=others)


def place_texts(
    facts: SpacetimeFacts, found: Sequence[Wish], ways: Sequence[Sequence[Point]], taken: Sequence[Box]
) -> dict[str, PlacedText]:
    """Place all labels, each clear of earlier labels, of the lines and of the `taken` areas."""
    plan, end = facts.plan, facts.measure_time(facts.last)
    rows = [row for row, one in enumerate(facts.part.lifelines) if not one.ellipsis]
    lines = [[(0.0, across), (end + LIFELINE_TAIL_CM, across)] for across in map(facts.measure_row, rows)]
    thick = max((plan.figure.kind(message.kind).width for message in facts.part.messages), default=0.0)
    half = plan.figure.style.lines * thick * CM_PER_PT / 2 + _TEXT_TO_ARROW_EDGE_CM
    airy = PlaceIndex([*ways, *lines], [one.text for one in found], max(_TEXT_TO_LINE_CM, half))
    tight = airy.with_lines(max(TEXT_TO_ARROW_CM, half))
    for number, box in enumerate(taken):
        airy.place_box(-1 - number, box)
        tight.place_box(-1 - number, box)
    standings = {}
    for place, wish in enumerate(found):
        name, text = (wish.name, _place_on_line(wish, airy)) if wish.on else _choose_line(wish, airy, tight)
        own = CROSSING_COST if wish.on else 0.0  # its own line crosses it
        covers = tight.compute_place_cost(text.box) > own
        airy.place_box(place, grow_box(text.box, _TEXT_TO_TEXT_CM))
        tight.place_box(place, grow_box(text.box, _TEXT_TO_LINE_CM))
        standings[name] = PlacedText(wish.leg or text.leg, text.share, text.side, text.box, covers)
    return standings


def _choose_line(wish: Wish, airy: PlaceIndex, tight: PlaceIndex) -> tuple[str, Standing]:
    """Return the line and position of a label: the first clear one, else the best at its own line."""
    found = []
    for name, course in ((wish.name, wish.course), *wish.others):
        for drawn in (airy, tight):
            text = choose_place(course, *wish.text, (), drawn, wish.room)
            found.append((name, text))
            if not drawn.compute_place_cost(text.box):
                return name, text
    return found[1]


def _place_on_line(wish: Wish, drawn: PlaceIndex) -> Standing:
    """Return the position on a line at which a label overlaps least."""
    ends = wish.course[0], wish.course[-1]
    places = (place_beside_segment(1, ends, share, ("", ""), *wish.text, 0.0) for share in _ARROW_SHARES)
    return choose_clearest(places, lambda place, most: drawn.compute_place_cost(place.box, most=most))


def iterate_reach_areas(facts: SpacetimeFacts, found: Sequence[Wish]) -> Iterator[SymbolicBox]:
    """Yield areas that contain the labels at any of their possible positions."""
    unit, apart = facts.plan.values["timeunit"], facts.plan.values["lifelinesep"]
    for wish in found:
        along, across = wish.reach
        us, vs = zip(*wish.course, strict=True)
        start, stop = make_length("timeunit", min(us) / unit) - along, make_length("timeunit", max(us) / unit) + along
        near, far = facts.place_row(min(vs) / apart) - across, facts.place_row(max(vs) / apart) + across
        yield facts.make_extent(start, stop, near, far)


def _measure_slant(points: Sequence[Point]) -> float:
    """Return the time in cm that a route takes per cm between lifelines; labels fit best at slow messages."""
    (u0, v0), (u1, v1) = points[0], points[-1]
    return (u1 - u0) / (abs(v1 - v0) or 1.0)


def anchor(facts: SpacetimeFacts, text: Standing) -> str:
    """Return the side or corner of a level label that faces its subject."""
    across, along = text.side
    if facts.right:
        up, side = {"before": "south", "after": "north"}, {"late": "west", "early": "east"}
        return " ".join(filter(None, (up.get(across), side.get(along)))) or "center"
    up, side = {"late": "north", "early": "south"}, {"before": "east", "after": "west"}
    return " ".join(filter(None, (up.get(along), side.get(across)))) or "center"


def with_text(facts: SpacetimeFacts, path: PathItem, label: str, macro: str, text: Standing | None) -> PathItem:
    """Return a line with its label, if the label was placed."""
    if text is None:
        return path
    side, leg = anchor(facts, text), text.leg % (len(path.spots) - 1)
    return replace(
        path,
        text=macro,
        anchor=side,
        pos=text.share,
        size=facts.small_type,
        leg=leg,
        wrap=facts.text_beside_message(label)[1],
    )
