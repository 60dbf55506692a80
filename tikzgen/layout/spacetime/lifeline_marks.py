"""Marks on lifelines: events with labels and clocks, happened-before arrows, crashes and restarts.

Each mark first requests places for its labels. After their placement, the module creates the items.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from tikzgen.base.plane import Box, Point
from tikzgen.base.record import Record, replace
from tikzgen.layout.constants import ACTIVE, CRASH, INNER, NUMBER_INNER, SIGNS, SIZES
from tikzgen.layout.place_free_notes import Stood, Taken, place_free_notes
from tikzgen.layout.scene.items import Item
from tikzgen.layout.spacetime.cuts_and_clocks import ClockItem, join_clock_values
from tikzgen.layout.spacetime.facts_and_message_ways import (
    LIFELINE_TAIL_CM,
    SpacetimeFacts,
    Track,
    Turn,
    make_route_points,
    route_loop,
    route_message,
)
from tikzgen.layout.spacetime.spacetime_texts import PlacedText, Wish, beside_way, with_text
from tikzgen.layout.symbolic_lengths import SymbolicBox, number
from tikzgen.layout.time.labels_beside_arrows import choose_level_anchor
from tikzgen.layout.time.timed_items import ORIGIN_POINT, LabelItem, PathItem, TimedPoint
from tikzgen.model.content import FreeNote

_TEXT_TO_BAR_CM = 0.045  # cm between labels and activation bars or markers
_MOMENT_WIDTH = 0.001  # cm: a time as a short line, next to which a label may be
_TEXT_TO_CROSS_CM = CRASH / 2 + 0.055  # cm: 1.5 pt between labels and crosses


class LifeText(Record):
    """A label at a time of a lifeline, or over a period, with its size along time and across it in cm.

    `room` is its distance from the lifeline in cm. `shift` is an additional offset of the item in cm, possibly
    negative.
    """

    name: str
    row: int
    start: Fraction
    end: Fraction
    size: tuple[float, float]
    room: float
    item: LabelItem | ClockItem
    shift: float = 0.0

    def placement_of(self, facts: SpacetimeFacts) -> Wish:
        """Return the placement request of the label."""
        v = facts.measure_row(self.row)
        ends = (facts.measure_time(self.start) - _MOMENT_WIDTH, v), (facts.measure_time(self.end) + _MOMENT_WIDTH, v)
        return Wish(self.name, ends, self.size, self.room)

    def place_mark(self, facts: SpacetimeFacts, text: PlacedText) -> Item:
        """Return the item at a placement, with a background if it covers a line."""
        room = self.room + self.shift
        across = {"before": -room, "after": room}.get(text.side[0], 0.0)
        along = {"early": -room, "late": room}.get(text.side[1], 0.0)
        time = self.start + (self.end - self.start) * Fraction(text.share).limit_denominator(100)
        item = replace(
            self.item,
            at=facts.make_point(time, self.row, along, across),
            anchor=choose_level_anchor(text, right=facts.right),
        )
        return _on_paper(item) if text.covers else item


def _on_paper(item: LabelItem | ClockItem) -> LabelItem | ClockItem:
    """Return the item with a background."""
    return replace(item, clear=True) if isinstance(item, ClockItem) else replace(item, styles=("slbl", "clear"))


def around_moment(facts: SpacetimeFacts, row: int, time: Fraction) -> float:
    """Return the extent of a time from its lifeline in cm: to the edge of a marker or activation bar.

    A crash or restart counts as a marker.
    """
    line = facts.part.lifelines[row]
    signs = (SIGNS[one.mark] / 2 for one in facts.part.events if one.lifeline == line.id and one.time == time)
    return max(
        facts.measure_bar_offset(line.id, time),
        *signs,
        _TEXT_TO_CROSS_CM if time in (line.crash, line.restart) else 0.0,
    )


def clock_texts(facts: SpacetimeFacts) -> Iterator[LifeText]:
    """Yield the values of clocks."""
    for (row, time), clock in join_clock_values(facts).items():
        item = ClockItem(clock, ORIGIN_POINT, "", number(SIZES[-1]), facts.part.ticks)
        size, room = facts.size_of(clock, SIZES[-1]), around_moment(facts, row, time)
        yield LifeText(f"clock {row} {time}", row, time, time, size, room, item, INNER - NUMBER_INNER)


def event_texts(facts: SpacetimeFacts) -> Iterator[LifeText]:
    """Yield the labels of events."""
    for index, (event, name) in enumerate(zip(facts.part.events, facts.part.event_names(), strict=True)):
        if event.label:
            row, item = facts.find_row(event.lifeline), _label(facts, "events", index)
            size, room = facts.size_of(event.label), around_moment(facts, row, event.time)
            yield LifeText(name, row, event.time, event.time, size, room, item)


def _bar_texts(facts: SpacetimeFacts) -> Iterator[LifeText]:
    """Yield the labels of activation bars."""
    for index, one in enumerate(facts.part.activations):
        if one.label:
            row, item = facts.find_row(one.lifeline), _label(facts, "activations", index)
            yield LifeText(f"active {index}", row, one.start, one.end, facts.size_of(one.label), ACTIVE / 2, item)


def _label(facts: SpacetimeFacts, field: str, index: int) -> LabelItem:
    """Return the item of a label without its position; over ticks, it has a background."""
    look = ("slbl", "clear") if facts.part.ticks else ("slbl",)
    return LabelItem((facts.find_field_macro(field, index, "label"),), ORIGIN_POINT, styles=look, size=facts.small_type)


def mark_wishes(facts: SpacetimeFacts) -> Iterator[Wish]:
    """Yield the placement requests of labels: of events, activations and arrows, and of clocks."""
    for text in (*clock_texts(facts), *event_texts(facts), *_bar_texts(facts)):
        yield text.placement_of(facts)
    for index, arrow in enumerate(facts.part.happened_before):
        if arrow.label:
            yield beside_way(facts, f"before {index}", route_message(facts, _arrow_turns(facts, index)), arrow.label)


def _arrow_turns(facts: SpacetimeFacts, index: int) -> tuple[Turn, ...]:
    """Return the route of an arrow between two events; next to the lifeline if they share one."""
    arrow, events = (
        facts.part.happened_before[index],
        dict(zip(facts.part.event_names(), facts.part.events, strict=True)),
    )
    first, last = events[arrow.source], events[arrow.target]
    if first.lifeline == last.lifeline:
        return route_loop(facts, facts.find_row(first.lifeline), (first.time, last.time), (0.0, 0.0))
    return Turn(first.time, facts.find_row(first.lifeline)), Turn(last.time, facts.find_row(last.lifeline))


def mark_ways(facts: SpacetimeFacts) -> Iterator[list[Point]]:
    """Yield the lines of marks that labels should avoid."""
    for index in range(len(facts.part.happened_before)):
        yield route_message(facts, _arrow_turns(facts, index))


def placed_notes(
    facts: SpacetimeFacts,
    room: SymbolicBox,
    ways: Sequence[Sequence[Point]],
    taken: Sequence[Box],
    frames: Sequence[SymbolicBox],
) -> list[Stood]:
    """Place the notes of a diagram with extent `room`, clear of `taken` areas, lines and frame borders."""
    about, notes, end = {"": (room,)}, [], facts.measure_time(facts.last) + LIFELINE_TAIL_CM
    for index, one in enumerate(facts.part.notes):
        row = facts.find_row(one.lifeline)
        moment, line, half = (
            facts.place_time(one.time),
            facts.place_row(row),
            max(around_moment(facts, row, one.time), _MOMENT_WIDTH),
        )
        about[f"note-{index}"] = (facts.make_extent(moment - half, moment + half, line - half, line + half),)
        notes.append(FreeNote(text=one.text, about=f"note-{index}", side=one.side, boxed=True))
    lines = [[(0.0, across), (end, across)] for across in map(facts.measure_row, range(len(facts.part.lifelines)))]
    courses = tuple(tuple(facts.on_page((*at, *at)).middle for at in way) for way in (*ways, *lines))
    solids = tuple(map(facts.on_page, taken))
    taken_up = Taken(solids, tuple(frames), courses, about, (1.0,))
    return place_free_notes(facts.plan, facts.part, notes, room, taken_up, must=False)[0]


def taken_by_marks(facts: SpacetimeFacts) -> Iterator[Box]:
    """Yield the areas of markers and activations in cm, along time and away from the first lifeline."""
    half = ACTIVE / 2 + _TEXT_TO_BAR_CM
    for one in facts.part.activations:
        v = facts.measure_row(facts.find_row(one.lifeline))
        yield facts.measure_time(one.start), v - half, facts.measure_time(one.end), v + half
    for event in facts.part.events:
        u, v, half = (
            facts.measure_time(event.time),
            facts.measure_row(facts.find_row(event.lifeline)),
            SIGNS[event.mark] / 2 + _TEXT_TO_BAR_CM,
        )
        yield u - half, v - half, u + half, v + half


def mark_items(facts: SpacetimeFacts, texts: Mapping[str, PlacedText]) -> Iterator[Item]:
    """Yield events with labels, labels of activation bars, arrows between events, and clocks."""
    part, said = facts.part, {text.name: text for text in event_texts(facts)}
    for event, name in zip(part.events, part.event_names(), strict=True):
        place = facts.make_point(event.time, facts.find_row(event.lifeline))
        yield LabelItem((), place, styles=(f"{event.mark} sign",), name=facts.name(name))
        if name in texts:
            yield said[name].place_mark(facts, texts[name])
    yield from (text.place_mark(facts, texts[text.name]) for text in _bar_texts(facts) if text.name in texts)
    for index, arrow in enumerate(part.happened_before):
        turns = _arrow_turns(facts, index)
        ends = [TimedPoint(name=facts.name(name)) for name in (arrow.source, arrow.target)]
        points = (ends[0], *make_route_points(facts, turns)[1:-1], ends[1])
        path = PathItem(("happened before", "bent arrow") if len(turns) > 2 else ("happened before",), points)
        yield with_text(
            facts,
            path,
            arrow.label,
            facts.find_field_macro("happened_before", index, "label"),
            texts.get(f"before {index}"),
        )
    yield from (text.place_mark(facts, texts[text.name]) for text in clock_texts(facts) if text.name in texts)


def _crash_markers(facts: SpacetimeFacts) -> Iterator[tuple[int, Fraction, str, str]]:
    """Yield crashes and restarts of lifelines: lifeline index, time, marker name and marker style."""
    for row, one in enumerate(facts.part.lifelines):
        if one.crash is not None:
            yield row, one.crash, f"{facts.name(one.id)}-crash", "crash sign"
        if one.restart is not None:
            yield row, one.restart, f"{facts.name(one.id)}-restart", f"restart sign={one.color}"


def crash_parts(facts: SpacetimeFacts) -> Iterator[Item]:
    for row, time, name, style in _crash_markers(facts):
        yield LabelItem((), facts.make_point(time, row), styles=(style,), name=name)


def iterate_cross_areas(facts: SpacetimeFacts, found: Sequence[Track]) -> Iterator[Box]:
    """Yield the areas of all crosses, in cm along time and away from the first lifeline."""
    lost: list[tuple[Fraction, float]] = [(each.turns[-1].time, each.turns[-1].row) for each in found if each.lost]
    for time, row in (*lost, *((time, row) for row, time, _, _ in _crash_markers(facts))):
        u, v = facts.measure_time(time), facts.measure_row(row)
        yield u - _TEXT_TO_CROSS_CM, v - _TEXT_TO_CROSS_CM, u + _TEXT_TO_CROSS_CM, v + _TEXT_TO_CROSS_CM
