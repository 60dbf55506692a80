"""Placement of labels in a space-time diagram: next to their subjects, clear of lines and labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import inf

from tikzgen.base.plane import CM_PER_PT, CROSSING_COST, Box, PlaceIndex, Point, choose_clearest, grow_box
from tikzgen.base.record import Record, replace
from tikzgen.layout.constants import INNER
from tikzgen.layout.spacetime.facts_and_message_ways import LIFELINE_TAIL_CM, SpacetimeFacts, Track, route_message
from tikzgen.layout.symbolic_lengths import SymbolicBox, make_length
from tikzgen.layout.time.labels_beside_arrows import (
    TEXT_TO_ARROW_CM,
    Owner,
    Standing,
    choose_level_anchor,
    choose_place,
    place_beside_segment,
)
from tikzgen.layout.time.timed_items import PathItem

_TEXT_TO_LINE_CM = 0.045  # cm between a label and any line
_TEXT_TO_ARROW_EDGE_CM = 0.015  # cm between a label and the edge of the thickest arrow
_TEXT_TO_TEXT_CM = 0.18  # cm between two labels, so that they do not read as one
_MOST_PASSES_COUNT = 2  # times that labels without a clear place are placed again, before the others
_MOST_PLACED_AGAIN_COUNT = 10  # such labels; in a more crowded diagram, another order does not help
_ARROW_SHARES = (0.5, 0.35, 0.65, 0.22, 0.78)  # share of an arrow: possible positions of a label on it
_ON_COST = 0.5  # cost of a label on its arrow that has no clear place next to it
_MIDDLE_SHARES = _ARROW_SHARES[:3]  # the same, if no place beside the arrow is clear


class PlacedText(Standing):
    """A placed label; `covers` is true if it overlaps a line or another label because no place is free.

    `unclear` is true if it covers something, or if another arrow is about as near as its own. It is also true for a
    label on its arrow that has no clear place next to it.
    """

    covers: bool
    unclear: bool


class Wish(Record):
    """A placement request of a label: a line next to which it may be, and its size in cm.

    `text` is the size along time and across it. `room` is an extra distance from the line in cm. `leg` is the segment
    number of the line in a longer route. If `on`, the label is on the line. `others` are further lines, by name, next
    to which it may be. `owner` are the lines of its message.
    """

    name: str
    course: tuple[Point, ...]
    text: tuple[float, float]
    room: float = 0.0
    leg: int = 0
    on: bool = False
    others: tuple[tuple[str, tuple[Point, ...]], ...] = ()
    owner: Owner | None = None

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
    tracks = {place: list(several) for place, several in groupby(found, key=lambda track: track.place)}
    first = 0
    for place, message in enumerate(facts.part.messages):
        owner = Owner(range(first, first + len(tracks[place])), range(len(found)))
        first = owner.own.stop
        if message.label:
            own = [(track, route_message(facts, track.turns)) for track in tracks[place]]
            track, points = max(own, key=lambda each: _measure_slant(each[1]))
            wish = beside_way(facts, track.name, points, message.label)
            others = tuple((one.name, tuple(its)) for one, its in own if one is not track and len(its) == 2)
            yield replace(wish, on=message.label_at == "on" and not wish.leg, others=others, owner=owner)


def place_texts(
    facts: SpacetimeFacts, found: Sequence[Wish], ways: Sequence[Sequence[Point]], taken: Sequence[Box]
) -> dict[str, PlacedText]:
    """Place all labels, each clear of earlier labels, of the lines and of the `taken` areas.

    If labels have no clear place, they are placed again, before the others.
    """
    plan, end = facts.plan, facts.measure_time(facts.last)
    rows = [row for row, one in enumerate(facts.part.lifelines) if not one.ellipsis]
    lines = [[(0.0, across), (end + LIFELINE_TAIL_CM, across)] for across in map(facts.measure_row, rows)]
    thick = max((plan.figure.kind(message.kind).width for message in facts.part.messages), default=0.0)
    half = plan.figure.style.lines * thick * CM_PER_PT / 2 + _TEXT_TO_ARROW_EDGE_CM
    airy = PlaceIndex([*ways, *lines], [one.text for one in found], max(_TEXT_TO_LINE_CM, half))
    tight = airy.with_lines(max(TEXT_TO_ARROW_CM, half))
    placing = _Placing(found, airy, tight, taken)
    order = list(range(len(found)))
    best = placing.place_in_order(order)
    for _ in range(_MOST_PASSES_COUNT):
        first = [place for place in order if best.costs[place]]
        if not first or len(first) > _MOST_PLACED_AGAIN_COUNT:
            break
        order = [*first, *(place for place in order if not best.costs[place])]
        again = placing.place_in_order(order)
        if again.rank >= best.rank:
            break
        best = again
    return best.standings


class _PlacedTexts(Record):
    """The placed labels by name, with the cost of each by its index."""

    standings: dict[str, PlacedText]
    costs: dict[int, float]

    @property
    def rank(self) -> tuple[int, float]:
        """Quality of the placement, lower is better: the labels that cover something, then all costs."""
        return sum(text.covers for text in self.standings.values()), sum(self.costs.values())


class _Placing(Record):
    """The requests of labels, and the lines and areas that they avoid; with more distance in the index `airy`."""

    found: Sequence[Wish]
    airy: PlaceIndex
    tight: PlaceIndex
    taken: Sequence[Box]

    def place_in_order(self, order: Sequence[int]) -> _PlacedTexts:
        """Place the labels in an order of their indices."""
        airy, tight = self.airy.without_boxes(), self.tight.without_boxes()
        for number, box in enumerate(self.taken):
            airy.place_box(-1 - number, box)
            tight.place_box(-1 - number, box)
        standings, costs = {}, {}
        for place in order:
            wish = self.found[place]
            name, text = (wish.name, _place_on_line(wish, airy)) if wish.on else _choose_line(wish, airy, tight)
            own = 0.0 if any(text.side) else CROSSING_COST  # its own line crosses a label on it
            covers = tight.compute_place_cost(text.box) > own
            costs[place] = max(
                _compute_cost(wish, tight, text.box) - own, 0.0 if any(text.side) or wish.on else _ON_COST
            )
            airy.place_box(place, grow_box(text.box, _TEXT_TO_TEXT_CM))
            tight.place_box(place, grow_box(text.box, _TEXT_TO_LINE_CM))
            unclear = costs[place] > 0
            standings[name] = PlacedText(wish.leg or text.leg, text.share, text.side, text.box, covers, unclear)
        return _PlacedTexts(standings, costs)


def _choose_line(wish: Wish, airy: PlaceIndex, tight: PlaceIndex) -> tuple[str, Standing]:
    """Return the line and position of a label: the first clear one, or on its line if no side is clear.

    If that is not clear either, return the best position next to a line.
    """
    found = []
    for name, course in ((wish.name, wish.course), *wish.others):
        for drawn in (airy, tight):
            text = choose_place(course, *wish.text, (), drawn, wish.room, wish.owner)
            cost = _compute_cost(wish, drawn, text.box)
            if not cost:
                return name, text
        found.append((cost, name, text))
    if wish.owner is not None and not wish.leg:
        text = _place_on_line(wish, airy, _MIDDLE_SHARES)
        if _compute_cost(wish, airy, text.box) <= CROSSING_COST:  # its line crosses it
            return wish.name, text
    _, name, text = min(found, key=lambda one: one[0])
    return name, text


def _compute_cost(wish: Wish, drawn: PlaceIndex, box: Box, most: float = inf) -> float:
    """Return the cost of a label's position: of overlaps, else of an unclear owner."""
    cost = drawn.compute_place_cost(box, most=most)
    return wish.owner.compute_place_cost(drawn, box) if wish.owner and not cost else cost


def _place_on_line(wish: Wish, drawn: PlaceIndex, shares: Sequence[float] = _ARROW_SHARES) -> Standing:
    """Return the position on a line at which a label overlaps least."""
    ends = wish.course[0], wish.course[-1]
    places = (place_beside_segment(1, ends, share, ("", ""), *wish.text, 0.0) for share in shares)
    return choose_clearest(places, lambda place, most: _compute_cost(wish, drawn, place.box, most))


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


def with_text(facts: SpacetimeFacts, path: PathItem, label: str, macro: str, text: Standing | None) -> PathItem:
    """Return a line with its label, if the label was placed."""
    if text is None:
        return path
    side, leg = choose_level_anchor(text, right=facts.right), text.leg % (len(path.spots) - 1)
    return replace(
        path,
        text=macro,
        anchor=side,
        pos=text.share,
        size=facts.small_type,
        leg=leg,
        wrap=facts.text_beside_message(label)[1],
    )
