"""What stands on lifelines beside messages: bars, events with their texts and clocks, cuts, what happened before what.

Each mark gives the wishes of its texts first; when these have their places, its items are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from tikzgen.layout.attempt import Plan
from tikzgen.layout.constants import ACTIVE, CRASH, INNER, NUMBER_INNER, SIGNS, SIZES
from tikzgen.layout.items import Item
from tikzgen.layout.length import number
from tikzgen.layout.number_words import spell, wordy
from tikzgen.layout.spacetime.clock_marks import Moment, moments
from tikzgen.layout.spacetime.spacetime_items import Clock, LifeBar
from tikzgen.layout.spacetime.texts_beside import Wish, anchor, label_size, size_of
from tikzgen.layout.spacetime.weave import OUT, Weave, busy
from tikzgen.layout.timeline.arrow_labels import Standing
from tikzgen.layout.timeline.directions import spot
from tikzgen.layout.timeline.timeline_items import Label, Path, Spot
from tikzgen.model.spacetime_marks import LifeEvent
from tikzgen.plane.rectangles import Box, Point

_OFF = 0.1  # cm between a note's box and its lifeline
_HAIR = 0.001  # cm: a moment as a line beside which a text may stand


def event_stem(weave_mark: str, index: int, event: LifeEvent) -> str:
    """The stem of the macro of an event's label."""
    return f"{wordy(event.id)}label{weave_mark}" if event.id else f"happening{spell(index + 1)}label{weave_mark}"


def activation_stem(index: int, mark: str) -> str:
    """The stem of the macro of an activation's label."""
    return f"activation{spell(index + 1)}label{mark}"


def note_stem(index: int, mark: str) -> str:
    """The stem of the macro of a note."""
    return f"lifenote{spell(index + 1)}{mark}"


def arrow_stem(index: int, mark: str) -> str:
    """The stem of the macro of the label of an arrow between events."""
    return f"before{spell(index + 1)}label{mark}"


def _name(plan: Plan, weave: Weave, name: str) -> str:
    return plan.name(weave.panel, name)


def _point(plan: Plan, time: Fraction, row: float) -> tuple[Point, Point]:
    """A moment of a lifeline, as a line along time."""
    u, v = float(time) * plan.values["timeunit"], row * plan.values["lifelinesep"]
    return (u - _HAIR, v), (u + _HAIR, v)


def _room(weave: Weave, row: int, time: Fraction) -> float:
    """How far a text stands off its moment besides: beyond a sign, or a bar."""
    line, moment = weave.part.lifelines[row].id, time * weave.unit
    signs = (SIGNS[one.mark] / 2 for one in weave.part.events if one.lifeline == line and one.time == moment)
    return max(busy(weave, line, moment), *signs, 0.0)


def mark_wishes(plan: Plan, weave: Weave) -> Iterator[Wish]:
    """The texts of events and bars, and the clocks."""
    part = weave.part
    for name, row, time, size in point_texts(plan, weave):
        yield Wish(name, _point(plan, time, row), size, _room(weave, row, time))
    for index, note in enumerate(part.notes):
        row, time = weave.row(note.lifeline), note.time / weave.unit
        along, across = size_of(plan, weave, note.text)
        size = along + 2 * INNER, across + 2 * INNER
        yield Wish(f"note {index}", _point(plan, time, row), size, _room(weave, row, time) + _OFF)
    for index, one in enumerate(part.activations):
        if one.label:
            (start, end), row = (each / weave.unit for each in (one.start, one.end)), weave.row(one.lifeline)
            ends = _point(plan, start, row)[0], _point(plan, end, row)[1]
            yield Wish(f"active {index}", ends, size_of(plan, weave, one.label), ACTIVE / 2)
    for index, arrow in enumerate(part.happened_before):
        if arrow.label:
            points = _arrow_points(plan, weave, index)
            loops = len(points) > 2
            way = tuple(points[1:3] if loops else points)
            yield Wish(f"before {index}", way, size_of(plan, weave, arrow.label), leg=2 if loops else 0)


def point_texts(plan: Plan, weave: Weave) -> Iterator[tuple[str, int, Fraction, tuple[float, float]]]:
    """The texts at moments of lifelines: clocks, and what events say; each with its lifeline, time and size."""
    for moment in moments(weave):
        yield _clock_name(moment), moment.row, moment.time, size_of(plan, weave, moment.clock, SIZES[-1])
    for event, name in zip(weave.part.events, weave.part.event_names(), strict=True):
        if event.label:
            row, time = weave.row(event.lifeline), event.time / weave.unit
            yield name, row, time, size_of(plan, weave, event.label)


def _clock_name(moment: Moment) -> str:
    return f"clock {moment.row} {moment.time}"


def _event(weave: Weave, name: str) -> LifeEvent:
    return weave.part.events[weave.part.event_names().index(name)]


def _arrow_turns(weave: Weave, index: int) -> list[tuple[Fraction, int, float]]:
    """The way of an arrow between two events: when, on which lifeline, how far from it in cm."""
    arrow = weave.part.happened_before[index]
    ends = [_event(weave, name) for name in (arrow.source, arrow.target)]
    (first, one), (last, other) = ((each.time / weave.unit, weave.row(each.lifeline)) for each in ends)
    if one != other:
        return [(first, one, 0.0), (last, other, 0.0)]
    out = -OUT if weave.part.direction == "right" else OUT
    return [(first, one, 0.0), (first, one, out), (last, one, out), (last, one, 0.0)]


def _arrow_points(plan: Plan, weave: Weave, index: int) -> list[Point]:
    unit, apart = plan.values["timeunit"], plan.values["lifelinesep"]
    return [(float(time) * unit, row * apart + off) for time, row, off in _arrow_turns(weave, index)]


def mark_ways(plan: Plan, weave: Weave) -> Iterator[list[Point]]:
    """The lines that texts had better pass clear of."""
    unit, apart = plan.values["timeunit"], plan.values["lifelinesep"]
    for index in range(len(weave.part.happened_before)):
        yield _arrow_points(plan, weave, index)
    lines = [[one.time] * len(weave.part.lifelines) for one in weave.part.separators]
    for times in (*lines, *map(weave.part.crossings, weave.part.cuts)):
        points = [(float(time / weave.unit) * unit, row * apart) for row, time in enumerate(times)]
        yield [(points[0][0], -OUT), *points, (points[-1][0], points[-1][1] + OUT)]


def taken_by_marks(plan: Plan, weave: Weave) -> Iterator[Box]:
    """The places of bars and signs, in cm along time and away from the first lifeline."""
    unit, apart, half = plan.values["timeunit"], plan.values["lifelinesep"], ACTIVE / 2
    for one in weave.part.activations:
        row, (start, end) = weave.row(one.lifeline), (float(each / weave.unit) * unit for each in (one.start, one.end))
        yield start, row * apart - half, end, row * apart + half
    for event in weave.part.events:
        u, v, half = float(event.time / weave.unit) * unit, weave.row(event.lifeline) * apart, SIGNS[event.mark] / 2
        yield u - half, v - half, u + half, v + half


def bars(plan: Plan, weave: Weave) -> Iterator[Item]:
    """The bars of busy lifelines; the cross of one that fails meanwhile stands behind its bar, where that is longer."""
    for one in weave.part.activations:
        row = weave.row(one.lifeline)
        line, start, end = weave.part.lifelines[row], one.start / weave.unit, one.end / weave.unit
        back = CRASH / 2 if line.crash == one.end else 0.0
        if float(end - start) * plan.values["timeunit"] > back:
            first = _spot(weave, start, row, -ACTIVE / 2)
            last = spot(weave, number(float(end), 4), row, along=-back, off=ACTIVE / 2)
            yield LifeBar((f"active={line.color}",), first, last)


def mark_items(plan: Plan, weave: Weave, texts: Mapping[str, Standing]) -> Iterator[Item]:
    """Events with their texts, the texts of bars, clocks, and arrows between events."""
    part, size = weave.part, label_size(plan)
    small = number(size) if size != plan.size else ""
    look = ("slbl", "clear") if part.ticks else ("slbl",)  # ticks are many: texts stand on paper over them
    for index, (event, name) in enumerate(zip(part.events, part.event_names(), strict=True)):
        row, time = weave.row(event.lifeline), event.time / weave.unit
        yield Label((), _spot(weave, time, row), styles=(f"{event.mark} sign",), name=_name(plan, weave, name))
        if name in texts:
            macro = plan.labels.macro(weave.panel, event_stem(weave.mark, index, event))
            place = _beside(weave, time, row, texts[name], _room(weave, row, time))
            yield Label((macro,), place, anchor(weave, texts[name]), look, small)
    for index, note in enumerate(part.notes):
        if text := texts.get(f"note {index}"):
            row, time = weave.row(note.lifeline), note.time / weave.unit
            macro = plan.labels.macro(weave.panel, note_stem(index, weave.mark))
            place = _beside(weave, time, row, text, _room(weave, row, time) + _OFF + INNER)
            yield Label((macro,), place, anchor(weave, text), ("life note",), small)
    for index, one in enumerate(part.activations):
        if text := texts.get(f"active {index}"):
            row, start, end = weave.row(one.lifeline), one.start / weave.unit, one.end / weave.unit
            macro = plan.labels.macro(weave.panel, activation_stem(index, weave.mark))
            time = start + (end - start) * Fraction(text.share).limit_denominator(100)
            yield Label((macro,), _beside(weave, time, row, text, ACTIVE / 2), anchor(weave, text), look, small)
    for index, arrow in enumerate(part.happened_before):
        turns = _arrow_turns(weave, index)
        ends = [Spot(name=_name(plan, weave, name)) for name in (arrow.source, arrow.target)]
        spots = (ends[0], *(_spot(weave, time, row, off) for time, row, off in turns[1:-1]), ends[1])
        styles = ("happened before", "bent arrow") if len(turns) > 2 else ("happened before",)
        found = texts.get(f"before {index}")
        if found is None:
            yield Path(styles, spots)
            continue
        macro, leg = plan.labels.macro(weave.panel, arrow_stem(index, weave.mark)), found.leg % (len(spots) - 1)
        yield Path(styles, spots, macro, anchor(weave, found), pos=found.share, size=small, leg=leg)
    for moment in moments(weave):
        text = texts.get(_clock_name(moment))
        if text is not None:
            room = _room(weave, moment.row, moment.time) + INNER - NUMBER_INNER
            place = _beside(weave, moment.time, moment.row, text, room)
            yield Clock(moment.clock, place, anchor(weave, text), number(SIZES[-1]), part.ticks)


def _spot(weave: Weave, time: Fraction, row: float, off: float = 0.0) -> Spot:
    return spot(weave, number(float(time), 4), row, off=off)


def _beside(weave: Weave, time: Fraction, row: int, text: Standing, room: float) -> Spot:
    """Where a text's corner or side stands: `room` cm off its moment, to the side that was chosen."""
    across = {"before": -room, "after": room}.get(text.side[0], 0.0)
    along = {"early": -room, "late": room}.get(text.side[1], 0.0)
    return spot(weave, number(float(time), 4), row, along=along, off=across)
