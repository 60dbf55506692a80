"""Order of events across lifelines: logical clocks with their ticks, cuts, separators."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

from tikzgen.base.plane import Point
from tikzgen.base.record import NOTHING, Record, replace
from tikzgen.layout.scene.items import Item
from tikzgen.layout.spacetime.facts_and_message_ways import LOOP_REACH_CM, SpacetimeFacts
from tikzgen.layout.symbolic_lengths import ZERO, Length, SymbolicBox
from tikzgen.layout.time.timed_items import PathItem, TimedPoint
from tikzgen.model.spacetime import Occurrence, lamport_clocks, sort_occurrences, vector_clocks

_CUT_OVERHANG_CM = 0.3  # cm by which a line across all lifelines extends beyond them
_ANCHORS = {
    True: {0: "south", -1: "south east", 1: "south west"},
    False: {0: "west", -1: "south west", 1: "north west"},
}
"""Anchors of labels at the ends of lines, by whether time runs right, and by the slope of the line."""
_FRAME_OVERHANG_CM = 0.1  # cm by which such a line extends beyond frames around the lifelines


class ClockItem(Item):
    """Value of a logical clock at an event; `clear` gives it a background.

    It consists of computed numbers, so it has no label macro.
    """

    spelling: ClassVar[str] = "spacetime.clock"
    look: ClassVar[str] = "number"

    clock: str
    at: TimedPoint
    anchor: str
    size: str
    clear: bool = False


def join_clock_values(facts: SpacetimeFacts) -> dict[tuple[int, Fraction], str]:
    """Return the clock values by lifeline and time; values at one time are joined in order."""
    order = _order(facts)
    shown = _values_of_clocks(facts, order)
    found: dict[tuple[int, Fraction], str] = {}
    for one in order:
        before = found.get((one.line, one.time))
        found[one.line, one.time] = f"{before}, {shown[one.key]}" if before else shown[one.key]
    return found


def _order(facts: SpacetimeFacts) -> list[Occurrence]:
    return (sort_occurrences(facts.part.occurrences()) or []) if facts.part.clocks else []


def _values_of_clocks(facts: SpacetimeFacts, order: list[Occurrence]) -> Mapping[Hashable, str]:
    if facts.part.clocks == "lamport":
        return {key: str(clock) for key, clock in lamport_clocks(order).items()}
    vectors = vector_clocks(order, len(facts.part.lifelines)) if order else NOTHING
    return {key: f"({','.join(map(str, vector))})" for key, vector in vectors.items()}


def iterate_tick_times(facts: SpacetimeFacts) -> Iterator[list[Fraction]]:
    """Yield, for each tick of Lamport clocks, the times at which it crosses the lifelines.

    The times are between the events before the tick and the events after it.
    """
    if not facts.part.ticks:
        return
    order = _order(facts)
    clocks = lamport_clocks(order)
    last, end = max(clocks.values(), default=0), facts.last
    lines: list[list[tuple[int, Fraction]]] = [[(0, Fraction(0))] for _ in facts.part.lifelines]
    for one in order:
        lines[one.line].append((clocks[one.key], one.time))
    for line in lines:
        line.append((last + 1, max(end, line[-1][1])))
    for tick in range(1, last):
        crossed = []
        for line in lines:
            low = max(one for one in line if one[0] <= tick)
            high = min(one for one in line if one[0] > tick)
            share = Fraction(tick - low[0] + 1, high[0] - low[0] + 1)
            crossed.append(low[1] + (high[1] - low[1]) * share)
        yield crossed


class CutItem(Record):
    """A separator or cut: its times by lifeline, the macro of its label, and the label's size in cm.

    The size is along time and away from the lifelines. The label is centered at the end of the line (`lean` 0), before
    it (-1) or after it (1).
    """

    style: str
    times: tuple[Fraction, ...]
    macro: str
    text: tuple[float, float]
    lean: int = 0


def make_cut_items(facts: SpacetimeFacts) -> list[CutItem]:
    """Return all separators and cuts; labels of two that would touch move apart."""
    found = list(_iterate_cut_items(facts))
    at = [facts.measure_time(line.times[0 if facts.right else -1]) for line in found]
    order = [place for place in sorted(range(len(found)), key=lambda place: (at[place], place)) if found[place].macro]
    for one, other in pairwise(order):
        wide = found[one].text[0] + found[other].text[0]
        if at[other] - at[one] < wide / 2 and not found[one].lean:
            found[one], found[other] = replace(found[one], lean=-1), replace(found[other], lean=1)
    return found


def _iterate_cut_items(facts: SpacetimeFacts) -> Iterator[CutItem]:
    part = facts.part
    for index, one in enumerate(part.separators):
        macro = facts.find_field_macro("separators", index, "label")
        yield CutItem("separator", (one.time,) * len(part.lifelines), macro, facts.with_room(one.label))
    for index, cut in enumerate(part.cuts):
        style = "cut line" if cut.consistent else "inconsistent cut"
        macro = facts.find_field_macro("cuts", index, "label")
        yield CutItem(style, tuple(part.crossings(cut)), macro, facts.with_room(cut.label))


def across_ways(facts: SpacetimeFacts) -> Iterator[list[Point]]:
    """Yield separators and cuts as lines to avoid, in cm along time and away from the first lifeline."""
    for line in _iterate_cut_items(facts):
        points = [(facts.measure_time(time), facts.measure_row(row)) for row, time in enumerate(line.times)]
        yield [(points[0][0], -LOOP_REACH_CM), *points, (points[-1][0], points[-1][1] + LOOP_REACH_CM)]


def across_parts(facts: SpacetimeFacts, around: tuple[float, float]) -> Iterator[Item | SymbolicBox]:
    """Yield the ticks, and the cuts with their labels, and their areas; `around` is the extent of frames in cm."""
    first, beyond = _measure_overhang(facts, around)
    end = facts.place_row(len(facts.part.lifelines) - 1)
    for times in iterate_tick_times(facts):
        yield PathItem(("clock tick",), _make_cut_points(facts, times, _CUT_OVERHANG_CM, _CUT_OVERHANG_CM))
    if facts.part.ticks:
        yield facts.make_extent(ZERO, ZERO, Length(-_CUT_OVERHANG_CM), end + _CUT_OVERHANG_CM)
    for line in make_cut_items(facts):
        spots = _make_cut_points(facts, line.times, first, beyond)
        ordered, anchor = spots[::-1] if facts.right else spots, _ANCHORS[facts.right][line.lean]
        yield PathItem((line.style,), ordered, line.macro, anchor, size=facts.small_type)
        for time in line.times:
            yield facts.make_extent(facts.place_time(time), facts.place_time(time), Length(-first), end + beyond)
    yield from across_texts(facts, around)


def across_texts(facts: SpacetimeFacts, around: tuple[float, float]) -> Iterator[SymbolicBox]:
    """Yield the areas of the labels of separators and cuts, on the side without the time axis."""
    first, beyond = _measure_overhang(facts, around)
    end = facts.place_row(len(facts.part.lifelines) - 1)
    for line in make_cut_items(facts):
        long, deep = line.text
        middle = facts.place_time(line.times[0 if facts.right else -1])
        near, far = (Length(-first - deep), Length(-first)) if facts.right else (end + beyond, end + (beyond + deep))
        yield facts.make_extent(middle + (line.lean - 1) * long / 2, middle + (line.lean + 1) * long / 2, near, far)


def _make_cut_points(
    facts: SpacetimeFacts, times: Sequence[Fraction], first: float, last: float
) -> tuple[TimedPoint, ...]:
    inner = [facts.make_point(time, row) for row, time in enumerate(times)]
    return facts.make_point(times[0], 0, off=-first), *inner, facts.make_point(times[-1], len(times) - 1, off=last)


def _measure_overhang(facts: SpacetimeFacts, around: tuple[float, float]) -> tuple[float, float]:
    """Return the distances in cm by which a line extends beyond the first and the last lifeline.

    The line passes loops and frames.
    """
    part = facts.part
    row = 0 if facts.right else len(part.lifelines) - 1
    loops = any(one.source in one.targets and facts.find_row(one.source) == row for one in part.messages)
    far = _CUT_OVERHANG_CM + (2 * LOOP_REACH_CM if loops else LOOP_REACH_CM / 2)
    near, beyond = around
    if facts.right:
        return max(far, near + _FRAME_OVERHANG_CM), max(_CUT_OVERHANG_CM, beyond and beyond + _FRAME_OVERHANG_CM)
    return max(_CUT_OVERHANG_CM, near and near + _FRAME_OVERHANG_CM), max(far, beyond + _FRAME_OVERHANG_CM)
