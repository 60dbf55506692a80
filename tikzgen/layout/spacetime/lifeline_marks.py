"""What stands on lifelines beside messages: events with their texts and clocks, what happened before what.

Each mark gives the wishes of its texts first; when these have their places, its items are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from tikzgen.base.record import Record, replace
from tikzgen.layout.constants import ACTIVE, INNER, NUMBER_INNER, SIGNS, SIZES
from tikzgen.layout.items import Item
from tikzgen.layout.lengths import number
from tikzgen.layout.spacetime.cuts_and_clocks import Clock, moments
from tikzgen.layout.spacetime.spacetime_facts import Turn, Weave, loop, spots, way
from tikzgen.layout.spacetime.spacetime_texts import Wish, anchor, beside_way, with_text
from tikzgen.layout.timeline.arrow_labels import Standing
from tikzgen.layout.timeline.timeline_items import UNPLACED, Label, Path, Spot
from tikzgen.plane.rectangles import Box, Point

_OFF = 0.1  # cm between a note's box and its lifeline
_HAIR = 0.001  # cm: a moment as a line beside which a text may stand


class LifeText(Record):
    """A text at a moment of a lifeline, or over a period: how far it reaches along time and across it, and how far it
    stands off the lifeline, in cm; the item that sets it has its place from the `shift` on, which is less or more."""

    name: str
    row: int
    start: Fraction
    end: Fraction
    size: tuple[float, float]
    room: float
    item: Label | Clock
    shift: float = 0.0

    def wish(self, weave: Weave) -> Wish:
        """Its wish for a place."""
        v = weave.across(self.row)
        ends = (weave.along(self.start) - _HAIR, v), (weave.along(self.end) + _HAIR, v)
        return Wish(self.name, ends, self.size, self.room)

    def placed(self, weave: Weave, text: Standing) -> Item:
        """The item at the place that was found."""
        room = self.room + self.shift
        across = {"before": -room, "after": room}.get(text.side[0], 0.0)
        along = {"early": -room, "late": room}.get(text.side[1], 0.0)
        time = self.start + (self.end - self.start) * Fraction(text.share).limit_denominator(100)
        return replace(self.item, at=weave.spot(time, self.row, along, across), anchor=anchor(weave, text))


def _room(weave: Weave, row: int, time: Fraction) -> float:
    """How far a text stands off its moment besides: beyond a sign, or a bar."""
    line = weave.part.lifelines[row].id
    signs = (SIGNS[one.mark] / 2 for one in weave.part.events if one.lifeline == line and one.time == time)
    return max(weave.busy(line, time), *signs, 0.0)


def clock_texts(weave: Weave) -> Iterator[LifeText]:
    """What clocks show."""
    for (row, time), clock in moments(weave).items():
        item = Clock(clock, UNPLACED, "", number(SIZES[-1]), weave.part.ticks)
        size, room = weave.size_of(clock, SIZES[-1]), _room(weave, row, time)
        yield LifeText(f"clock {row} {time}", row, time, time, size, room, item, INNER - NUMBER_INNER)


def event_texts(weave: Weave) -> Iterator[LifeText]:
    """What events say."""
    for index, (event, name) in enumerate(zip(weave.part.events, weave.part.event_names(), strict=True)):
        if event.label:
            row, item = weave.row(event.lifeline), _label(weave, "events", index)
            size, room = weave.size_of(event.label), _room(weave, row, event.time)
            yield LifeText(name, row, event.time, event.time, size, room, item)


def _other_texts(weave: Weave) -> Iterator[LifeText]:
    """Notes, and the texts of bars."""
    for index, note in enumerate(weave.part.notes):
        row, time = weave.row(note.lifeline), note.time
        item = Label((weave.macro("notes", index, "text"),), UNPLACED, styles=("life note",), size=weave.small_type)
        size, room = weave.with_room(note.text), _room(weave, row, time) + _OFF
        yield LifeText(f"note {index}", row, time, time, size, room, item, INNER)
    for index, one in enumerate(weave.part.activations):
        if one.label:
            row, item = weave.row(one.lifeline), _label(weave, "activations", index)
            yield LifeText(f"active {index}", row, one.start, one.end, weave.size_of(one.label), ACTIVE / 2, item)


def _label(weave: Weave, field: str, index: int) -> Label:
    """A text without its place: on paper over ticks, which are many."""
    look = ("slbl", "clear") if weave.part.ticks else ("slbl",)
    return Label((weave.macro(field, index, "label"),), UNPLACED, styles=look, size=weave.small_type)


def mark_wishes(weave: Weave) -> Iterator[Wish]:
    """The texts of events and bars, and the clocks."""
    for text in (*clock_texts(weave), *event_texts(weave), *_other_texts(weave)):
        yield text.wish(weave)
    for index, arrow in enumerate(weave.part.happened_before):
        if arrow.label:
            yield beside_way(weave, f"before {index}", way(weave, _arrow_turns(weave, index)), arrow.label)


def _arrow_turns(weave: Weave, index: int) -> tuple[Turn, ...]:
    """The way of an arrow between two events: of one lifeline, beside this."""
    arrow, events = (
        weave.part.happened_before[index],
        dict(zip(weave.part.event_names(), weave.part.events, strict=True)),
    )
    first, last = events[arrow.source], events[arrow.target]
    if first.lifeline == last.lifeline:
        return loop(weave, weave.row(first.lifeline), (first.time, last.time), (0.0, 0.0))
    return Turn(first.time, weave.row(first.lifeline)), Turn(last.time, weave.row(last.lifeline))


def mark_ways(weave: Weave) -> Iterator[list[Point]]:
    """The lines that texts had better pass clear of."""
    for index in range(len(weave.part.happened_before)):
        yield way(weave, _arrow_turns(weave, index))


def taken_by_marks(weave: Weave) -> Iterator[Box]:
    """The places of bars and signs, in cm along time and away from the first lifeline."""
    half = ACTIVE / 2
    for one in weave.part.activations:
        v = weave.across(weave.row(one.lifeline))
        yield weave.along(one.start), v - half, weave.along(one.end), v + half
    for event in weave.part.events:
        u, v, half = weave.along(event.time), weave.across(weave.row(event.lifeline)), SIGNS[event.mark] / 2
        yield u - half, v - half, u + half, v + half


def mark_items(weave: Weave, texts: Mapping[str, Standing]) -> Iterator[Item]:
    """Events with their texts, the texts of bars, clocks, and arrows between events."""
    part, said = weave.part, {text.name: text for text in event_texts(weave)}
    for event, name in zip(part.events, part.event_names(), strict=True):
        place = weave.spot(event.time, weave.row(event.lifeline))
        yield Label((), place, styles=(f"{event.mark} sign",), name=weave.name(name))
        if name in texts:
            yield said[name].placed(weave, texts[name])
    yield from (text.placed(weave, texts[text.name]) for text in _other_texts(weave) if text.name in texts)
    for index, arrow in enumerate(part.happened_before):
        turns = _arrow_turns(weave, index)
        ends = [Spot(name=weave.name(name)) for name in (arrow.source, arrow.target)]
        points = (ends[0], *spots(weave, turns)[1:-1], ends[1])
        path = Path(("happened before", "bent arrow") if len(turns) > 2 else ("happened before",), points)
        yield with_text(weave, path, weave.macro("happened_before", index, "label"), texts.get(f"before {index}"))
    yield from (text.placed(weave, texts[text.name]) for text in clock_texts(weave) if text.name in texts)
