"""Properties of a space-time diagram before its placement: names, drawn times, message routes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property

from tikzgen.base.plane import Point
from tikzgen.base.record import Record, WithCache
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.constants import ACTIVE, INNER
from tikzgen.layout.label_lines import in_lines
from tikzgen.layout.symbolic_lengths import Length, make_length
from tikzgen.layout.time.part_with_time import PartWithTime
from tikzgen.layout.time.time_to_position import TimeScale, time_unit
from tikzgen.layout.time.timed_items import TimedPoint
from tikzgen.model.content import Path
from tikzgen.model.panel_parts import Panel
from tikzgen.model.spacetime import Message, SpaceTime

LIFELINE_TAIL_CM = 0.3  # cm by which lifelines extend beyond the last time
LOOP_REACH_CM = 0.3  # cm: extent of a message from a lifeline to itself
LABEL_WIDTH = 2.8  # cm at which labels next to arrows wrap, and all labels if set narrow
NARROW_LABEL_WIDTH = 1.4  # cm
_REACH = Fraction(3, 5)  # of its route that a lost message covers


class SpacetimeFacts(PartWithTime, WithCache, Record):
    """A space-time diagram in a layout attempt, with the properties that its drawing uses.

    `at` is its path in the figure, `names` are the names of its messages, and `clock` gives the positions of times.
    """

    plan: LayoutAttempt
    panel: str
    at: Path
    part: SpaceTime
    names: tuple[str, ...]
    clock: TimeScale

    @cached_property
    def last(self) -> Fraction:
        """Last time of the diagram."""
        return self.part.end

    @property
    def end(self) -> float:
        """Drawn position of the last time, in time units."""
        return float(self.clock.locate_moment(self.last))

    def list_rows(self, lifelines: Sequence[str]) -> list[int]:
        """Return the indices of lifelines, sorted; all indices if `lifelines` is empty."""
        return sorted(map(self.find_row, lifelines)) or list(range(len(self.part.lifelines)))

    def find_row(self, lifeline: str) -> int:
        """Return the index of a lifeline."""
        return next(index for index, one in enumerate(self.part.lifelines) if one.id == lifeline)

    @property
    def pitch(self) -> float:
        return self.plan.values["lifelinesep"]

    def place_row(self, row: float) -> Length:
        return make_length("lifelinesep", row)

    @property
    def small(self) -> float:
        """Size of labels in pt, smaller than the labels of lifelines."""
        return self.plan.small

    @property
    def small_type(self) -> str:
        """Size of labels as items store it: empty for the usual size."""
        return self.plan.spelt_size(self.small)

    @property
    def is_pressed(self) -> bool:
        """Whether labels are set narrow: because the width is short, or because they had no clear place."""
        return bool(self.plan.limit) or self.plan.spread > 1

    def size_of(self, text: str, size: float | None = None) -> tuple[float, float]:
        """Return the size of a label along time and away from the lifelines, by default in small type."""
        return super().size_of(text, size or self.small)

    def text_beside_message(self, text: str, size: float | None = None) -> tuple[tuple[float, float], float]:
        """Return the size of a label next to an arrow, and the width in cm at which it wraps; 0 for one line."""
        if not text:
            return self.size_of(text, size), 0.0
        found, wrap = in_lines(
            self.plan, text, NARROW_LABEL_WIDTH if self.is_pressed else LABEL_WIDTH, size or self.small
        )
        return self.swap_axes(found.width, found.total), wrap

    def with_room(self, text: str) -> tuple[float, float]:
        """Return the size of a label with its padding, in cm; (0, 0) without a label."""
        along, across = self.size_of(text)
        return (along + 2 * INNER, across + 2 * INNER) if text else (0.0, 0.0)

    def measure_bar_offset(self, lifeline: str, time: Fraction) -> float:
        """Return the distance in cm at which an arrow ends from its lifeline: half an activation bar, or 0."""
        bars = (one for one in self.part.activations if one.lifeline == lifeline)
        return ACTIVE / 2 if any(one.start <= time <= one.end for one in bars) else 0.0


def facts_of(plan: LayoutAttempt, panel: Panel, index: int, part: SpaceTime) -> SpacetimeFacts:
    """Return the properties of a part in this attempt."""
    place = next(place for place, one in enumerate(plan.figure.panels) if one.id == panel.id)
    return SpacetimeFacts(
        plan,
        panel.id,
        ("panels", place, "content", index),
        part,
        tuple(part.names()),
        TimeScale(unit=time_unit(plan.figure)),
    )


class Turn(Record):
    """A point of a message's route: time, lifeline index (fractional between two), and offset in cm."""

    time: Fraction
    row: float
    off: float = 0.0


class Track(Record):
    """The route of a message to one lifeline, with the message's index; `name` is the name of its node."""

    place: int
    name: str
    turns: tuple[Turn, ...]
    lost: bool


def iterate_tracks(facts: SpacetimeFacts) -> Iterator[Track]:
    """Yield the route of every message to each of its targets."""
    for place, (message, name) in enumerate(zip(facts.part.messages, facts.names, strict=True)):
        several = len(message.targets) > 1
        for target, arrival in message.arrivals.items():
            lost = target in message.unreached_targets
            own = facts.name(f"{name}-{target}" if several else name)
            yield Track(place, own, _route_turns(facts, message, target, arrival, lost=lost), lost)


def _route_turns(
    facts: SpacetimeFacts, message: Message, target: str, arrival: Fraction, *, lost: bool
) -> tuple[Turn, ...]:
    sent, source, goal = message.sent, facts.find_row(message.source), facts.find_row(target)
    ends = facts.measure_bar_offset(message.source, sent), facts.measure_bar_offset(target, arrival)
    if source == goal:
        return route_loop(facts, source, (sent, arrival), ends)
    way = 1 if source < goal else -1
    start = Turn(sent, source, way * ends[0])
    if lost:
        return start, Turn(sent + (arrival - sent) * _REACH, float(source + (goal - source) * _REACH))
    return start, Turn(arrival, goal, -way * ends[1])


def route_loop(
    facts: SpacetimeFacts, row: int, times: tuple[Fraction, Fraction], ends: tuple[float, float]
) -> tuple[Turn, ...]:
    """Return the route from one time of a lifeline to another, next to it; `ends` are offsets in cm."""
    side = -1 if facts.right else 1
    out = side * (LOOP_REACH_CM + max(ends))
    (start, stop), (first, last) = times, ends
    return Turn(start, row, side * first), Turn(start, row, out), Turn(stop, row, out), Turn(stop, row, side * last)


def route_message(facts: SpacetimeFacts, turns: Sequence[Turn]) -> list[Point]:
    """Return the points of a route in cm: along time, and away from the first lifeline."""
    return [(facts.measure_time(turn.time), facts.measure_row(turn.row) + turn.off) for turn in turns]


def make_route_points(facts: SpacetimeFacts, turns: Sequence[Turn]) -> list[TimedPoint]:
    """Return the points of a route as items store them."""
    return [facts.make_point(turn.time, turn.row, off=turn.off) for turn in turns]
