"""What a measured run holds, as a timeline: cells as full as they were, waits, idle time, braces over periods."""

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from tikzgen.base.errors import Problem, SpecError
from tikzgen.model.look import PHASES, Phase
from tikzgen.model.timeline import Timeline
from tikzgen.model.timeline_marks import Axis, Brace, Bubble, Event, LaneGroup
from tikzgen.model.timeline_parts import WAIT, Lane, Span
from tikzgen.recipe.measured_reading import MeasuredCell, MeasuredPeriod, Reading
from tikzgen.recipe.schedule_marks import step as tick_step

_HUES = ("otteal", "otblue", "otorange", "otpurple")
_OWN = {
    "memcpy": Phase(label="copy", color="otgray", tint=85),
    "memset": Phase(label="fill", color="otgray", tint=130),
    WAIT: Phase(label="wait", color="otgray", tint=10, hatch="north east lines"),
}
_THIN = Fraction(1, 100)
"""A brace over less than this share of the time would be no brace any more."""


def measured_timeline(reading: Reading, marks: Collection[str], label: str, unit: str) -> Timeline:
    """The timeline of a reading, in whose unit of time it is.

    `SpecError` where communication of more ranks than two cannot be braced.
    """
    return Timeline(
        lanes=[Lane(id=lane.id, label=lane.label) for lane in reading.lanes],
        groups=[*_groups(reading)],
        spans=[span for cell in reading.cells if cell.duration for span in _spans(cell, reading.world)],
        events=[Event(time=cell.start, lane=cell.lane, mark="dot") for cell in reading.cells if not cell.duration],
        bubbles=[*_idle(reading)] if "idle" in marks else [],
        braces=[*_braces(reading, marks, unit)],
        axis=Axis(label=label, ticks=tick_step(reading.length), unit=unit, until=reading.length),
    )


def _groups(reading: Reading) -> Iterator[LaneGroup]:
    for label in dict.fromkeys(lane.group for lane in reading.lanes if lane.group):
        yield LaneGroup(lanes=[lane.id for lane in reading.lanes if lane.group == label], label=label)


def on_one_axis(timelines: Sequence[Timeline]) -> list[Timeline]:
    """The same one below the other: the last has the axis, which is as long as the longest."""
    axes = [timeline.axis for timeline in timelines if timeline.axis]
    until = max(axis.until or Fraction(0) for axis in axes)
    axis = axes[0].model_copy(update={"until": until, "ticks": tick_step(until)})
    last = len(timelines) - 1
    return [
        timeline.model_copy(update={"axis": axis if place == last else None})
        for place, timeline in enumerate(timelines)
    ]


def looks_of(reading: Reading, classes: Collection[str]) -> dict[str, Phase]:
    """The looks of what is drawn and has none of its own: the user's classes first."""
    used = {cell.phase for cell in reading.cells} | {WAIT for cell in reading.cells if cell.waited}
    looks = {**_OWN, **{name: _hue(place, name) for place, name in enumerate(classes)}}
    own = {name: look for name, look in looks.items() if name in used and name not in PHASES}
    unknown = used - PHASES.keys() - own.keys()
    return own | {name: _hue(place, name) for place, name in enumerate(sorted(unknown))}


def _hue(place: int, name: str) -> Phase:
    return Phase(label=name, color=_HUES[place % len(_HUES)], tint=70)


def _spans(cell: MeasuredCell, world: int) -> Iterator[Span]:
    """What a cell is drawn as; before it, what its annotation waited."""
    if cell.waited:
        yield Span(lane=cell.lane, start=cell.start - cell.waited, duration=cell.waited, phase=WAIT)
    facts: dict[str, Any] = {"start": cell.start, "duration": cell.duration, "number": cell.number}
    facts["chunk"] = min((cell.stage or 0) // world, 15)
    yield Span(lane=cell.lane, phase=cell.phase, occupancy=cell.occupancy, **facts)


def _idle(reading: Reading) -> Iterator[Bubble]:
    """All time in which a lane has no cell."""
    by_lane: dict[str, list[MeasuredCell]] = {lane.id: [] for lane in reading.lanes}
    for cell in reading.cells:
        by_lane[cell.lane].append(cell)
    for lane, cells in by_lane.items():
        moments = sorted((each.start - each.waited, each.end) for each in cells)
        edges = [(Fraction(0), Fraction(0)), *moments, (reading.length, reading.length)]
        for (_, before), (start, _) in pairwise(edges):
            if before < start:
                yield Bubble(lane=lane, start=before, end=start)


def _braces(reading: Reading, marks: Collection[str], unit: str) -> Iterator[Brace]:
    """Braces over exposed communication: of one rank above the lanes, of a second one below; and over steps."""
    ranks = [each.rank for each in reading.ranks]
    if "exposed" in marks and len(ranks) > 2:
        message = f"exposed communication is braced above the lanes and below: of two ranks, not of {len(ranks)}"
        raise SpecError([Problem(message, "marks", hint=f"ranks: [{ranks[0]}]")])
    wide = [period for period in reading.periods if period.rank is not None and is_wide(period, reading)]
    longest = {period.rank: period for period in sorted(wide, key=lambda period: period.exposed)}
    for period in reading.periods if "step" in marks else ():
        if period.rank is None:
            yield Brace(start=period.start, end=period.end, label=period.name)
    for period in wide if "exposed" in marks else ():
        name = f"{period.name} " if period is longest[period.rank] else ""
        where: dict[str, Any] = {"side": "before" if period.rank == ranks[0] else "after"}
        text = f"{name}{float(period.exposed):.1f}\u00a0{unit}"
        yield Brace(start=period.start, end=period.end, label=text, **where)


def is_wide(period: MeasuredPeriod, reading: Reading) -> bool:
    """Whether so much communication is exposed in a period that it gets a brace."""
    return period.exposed >= reading.length * _THIN
