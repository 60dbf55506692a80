"""Timelines: lanes over time with spans on them, and their consistency checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, Self

from pydantic import model_validator

from tikzgen.base.errors import TikzgenError, quote, shorten_for_message
from tikzgen.base.suggest import suggest_known_names
from tikzgen.base.trust import may_overlap
from tikzgen.model.exact_fields import count_units, spell_time
from tikzgen.model.part import Part, check_common_measure, check_distinct, fail, require
from tikzgen.model.timeline.mark_table import MARKS, list_marks
from tikzgen.model.timeline.timeline_marks import Strip
from tikzgen.model.timeline.timeline_parts import TimelineParts

_ONE_LANE = "every id names one lane"


def check_timeline(timeline: TimelineParts) -> None:
    """Raise an error for a timeline that cannot be drawn, with the path of the faulty field."""
    per_unit = check_common_measure(_iterate_times(timeline))
    check_distinct(((lane.id, ("lanes", index, "id")) for index, lane in enumerate(timeline.lanes)), _ONE_LANE)
    order = {lane.id: index for index, lane in enumerate(timeline.lanes)}
    for index, span in enumerate(timeline.spans):
        listed = not isinstance(span.lane, str)
        if not listed and span.lane in order:
            continue
        for place, lane in enumerate(span.lanes):
            if lane not in order:
                where = ("spans", index, "lane", place) if listed else ("spans", index, "lane")
                require(lane, set(order), *where, what="lane")
        if listed:
            _check_adjacent(span.lanes, order, "spans", index, "lane")
    for kind, index, mark in list_marks(timeline):
        lanes, only = getattr(mark, "lanes", []), getattr(mark, "lane", None)
        for place, one in enumerate(lanes):
            require(one, set(order), kind.field, index, "lanes", place, what="lane")
        if lanes:
            _check_adjacent(lanes, order, kind.field, index, "lanes")
        if only is not None:
            require(only, set(order), kind.field, index, "lane", what="lane")
    _check_ellipses(timeline)
    _check_periods(timeline)
    _check_group_nesting(timeline, order)
    _check_overlaps(timeline, per_unit)
    _check_breaks(timeline)
    _check_names(timeline)
    _check_table(timeline)


def _iterate_times(timeline: TimelineParts) -> Iterator[tuple[tuple[str | int, ...], Fraction]]:
    """Yield the times and durations, with their paths; of spans, the first with each denominator."""
    seen: set[int] = set()
    for index, span in enumerate(timeline.spans):
        for name, time in (("start", span.start), ("duration", span.duration)):
            if time.denominator not in seen:
                seen.add(time.denominator)
                yield ("spans", index, name), time
    for kind, index, mark in list_marks(timeline):
        for name in ("start", "duration", "end", "time"):
            if name in mark.__dict__:
                yield (kind.field, index, name), mark.__dict__[name]


def _check_ellipses(timeline: TimelineParts) -> None:
    """Raise an error for spans or marks on ellipses alone, which are not devices and not measured."""
    drawn = [lane.id for lane in timeline.lanes if not lane.ellipsis]
    if len(drawn) == len(timeline.lanes):
        return
    on_lanes = [("spans", index, span.lanes) for index, span in enumerate(timeline.spans)]
    for kind, index, mark in list_marks(timeline):
        if kind.happens_on_lane and "lane" in type(mark).model_fields and drawn:
            on_lanes.append((kind.field, index, (mark.lane or drawn[0],)))
    for field, index, lanes in on_lanes:
        if lanes and not any(lane in drawn for lane in lanes):
            hint = f"use one that is drawn: {shorten_for_message(', '.join(drawn))}" if drawn else "draw a lane"
            fail(f"nothing happens on {quote(lanes[0])}, an ellipsis", field, index, "lane", hint=hint)


def _check_table(timeline: TimelineParts) -> None:
    """Check that a table has lanes that run to the right, and a column for each cell."""
    if timeline.columns and timeline.direction != "right":
        fail("a table needs lanes with time to the right", "columns", hint="use direction: right")
    for index, lane in enumerate(timeline.lanes):
        if len(lane.cells) > len(timeline.columns):
            hint = "head each column in `columns`; a head may be empty"
            fail("has more cells than the timeline has columns", "lanes", index, "cells", hint=hint)


def _check_adjacent(lanes: Sequence[str], order: Mapping[str, int], *path: str | int) -> None:
    if not lanes:
        fail("needs at least one lane", *path)
    places = sorted(order[lane] for lane in lanes)
    if places != list(range(places[0], places[0] + len(places))):
        fail("the lanes must be adjacent", *path, hint="list each of them once, without a gap")


def _check_periods(timeline: TimelineParts) -> None:
    for kind, index, mark in list_marks(timeline):
        if {"start", "end"} <= type(mark).model_fields.keys() and mark.end <= mark.start:
            fail(f"{kind.noun} must end after it starts", kind.field, index, "end")
    for number, strip in enumerate(timeline.strips):
        _check_levels(timeline, strip, number)


def _check_levels(timeline: TimelineParts, strip: Strip, number: int) -> None:
    if strip.of is not None and strip.levels:
        fail("has both levels and the levels of a phase", "strips", number, "of", hint="drop one of the two")
    if not timeline.levels(strip):
        if strip.of is None:
            fail("needs levels, or a phase", "strips", number, hint="name a phase, as in of: forward")
        where = f" on {quote(strip.lane)}" if strip.lane else ""
        hint = suggest_known_names(strip.of, sorted({span.phase for span in timeline.spans}))
        fail(f"no span{where} has the phase {quote(strip.of)}", "strips", number, "of", hint=hint)
    for index, level in enumerate(strip.levels):
        if level.end <= level.start:
            fail("a level must end after it starts", "strips", number, "levels", index, "end")
    for index, (before, after) in enumerate(pairwise(strip.levels), 1):
        if after.start < before.end:
            hint = f"start at {spell_time(before.end)} or later"
            fail("begins before the level before it ends", "strips", number, "levels", index, "start", hint=hint)


def _check_group_nesting(timeline: TimelineParts, order: Mapping[str, int]) -> None:
    """Check that groups of lanes are nested or disjoint."""
    sets = [frozenset(order[lane] for lane in group.lanes) for group in timeline.groups]
    for index, group in enumerate(sets):
        for other in sets[:index]:
            if group & other and not (group <= other or other <= group):
                fail("shares some lanes with another group", "groups", index, "lanes", hint="groups nest or stay apart")


def _check_overlaps(timeline: TimelineParts, per_unit: int) -> None:
    spans = timeline.spans
    if _in_order(timeline, per_unit) or may_overlap():
        return
    ordered = sorted(range(len(spans)), key=lambda index: (spans[index].start, index))
    latest: dict[str, int] = {}
    for index in ordered:
        span = spans[index]
        for lane in span.lanes:
            before = latest.get(lane)
            if before is not None and spans[before].end > span.start:
                other = spans[before]
                when = f"{spell_time(other.start)} to {spell_time(other.end)}"
                message = f"overlaps spans[{before}] ({shorten_for_message(other.phase)}, {when}) in lane {quote(lane)}"
                hint = f"start at {spell_time(other.end)} or later"
                fail(message, "spans", index, "start", hint=hint, impossible=True)
            latest[lane] = index


def _in_order(timeline: TimelineParts, per_unit: int) -> bool:
    """Return whether every lane lists its spans in order of time without overlap: the usual case."""
    reached: dict[str, int] = {}
    for span in timeline.spans:
        start = count_units(span.start, per_unit)
        end = start + count_units(span.duration, per_unit)
        for lane in span.lanes:
            if reached.get(lane, start) > start:
                return False
            reached[lane] = end
    return True


def _check_breaks(timeline: TimelineParts) -> None:
    """Check that breaks of the axis are in order and that no span begins or ends inside a break."""
    cuts = timeline.axis.breaks if timeline.axis else []
    for index, cut in enumerate(cuts):
        where = ("axis", "breaks", index)
        if cut.end <= cut.start:
            fail("a break must end after it starts", *where, "end")
        if index and cut.start < cuts[index - 1].end:
            fail("begins before the break before it ends", *where, "start", hint="list breaks in the order of time")
        for number, span in enumerate(timeline.spans):
            if cut.start < span.start < cut.end or cut.start < span.end < cut.end:
                ends = f"{spell_time(span.start)} to {spell_time(span.end)}"
                message = f"cuts through spans[{number}] ({shorten_for_message(span.phase)}, {ends})"
                fail(message, *where, hint="a span begins or ends in it")


def _check_names(timeline: TimelineParts) -> None:
    seen: dict[str, int] = {}
    for index, name in enumerate(timeline.names()):
        if name in seen:
            fail(f"the id {quote(name)} is used twice", "spans", index, hint=f"spans[{seen[name]}] has it already")
        seen[name] = index
    known = set(seen)
    for index, dependency in enumerate(timeline.dependencies):
        require(dependency.source, known, "dependencies", index, "source", what="span")
        require(dependency.target, known, "dependencies", index, "target", what="span")
    for index, name in enumerate(timeline.critical):
        require(name, known, "critical", index, what="span")
    for index, remark in enumerate(timeline.remarks):
        require(remark.about, known, "remarks", index, "about", what="span")
    for index, note in enumerate(timeline.notes):
        if note.about is not None:
            require(
                note.about, known | {lane.id for lane in timeline.lanes}, "notes", index, "about", what="span or lane"
            )


_OF_TABLE = ("lanes", "spans")  # fields that a table sets
_BY_NAME = ("note", "group", "dependency")  # set by their fields: they name spans, lanes or the timeline


def _field_of(mark: Part) -> str:
    """Return the field of a timeline for a mark that has its own time or lane.

    Raise `TikzgenError` for other objects.
    """
    kinds = [MARKS[name] for name in MARKS.built_in if name not in _BY_NAME]
    if isinstance(name := getattr(mark, "type", None), str) and name in MARKS:
        kinds.append(MARKS[name])
    if field := next((kind.field for kind in kinds if type(mark) is kind.model), ""):
        return field
    known = ", ".join(kind.model.__name__ for kind in kinds)
    raise TikzgenError(f"marks: {type(mark).__name__} is not a mark", hint=f"marks are {known}")


class Timeline(TimelineParts):
    """A timeline: lanes over time, with spans and marks."""

    @classmethod
    def from_frame(
        cls, frame: Any, *, unit: Any = 1, lanes: Sequence[Any] = (), marks: Sequence[Part] = (), **more: Any
    ) -> Timeline:
        """Return the timeline of a table: a pandas or polars frame, a CSV file, or rows as mappings.

        A row is a span. Its columns are `lane`, `start`, `end` or `duration`, and optionally `phase`, `label`,
        `short`, `number` and `id`. `lane="gpu"` names a column with another name. Times are divided by `unit`, exactly:
        1000 converts microseconds to milliseconds. `lanes=["GPU 1", "GPU 0"]` is the order of the lanes; other lanes
        follow in the order of their first rows.

        Further arguments are fields of the timeline: `dependencies=[…]`, `braces=[…]`, `title="…"`. `marks` is a list
        of frames, bubbles, barriers, braces, dimensions, events, remarks and strips.

        Raises:
            SpecError: the table has an invalid value; the error names its row.

        >>> rows = [{"gpu": "GPU 0", "start": 0, "end": 1.5, "phase": "forward"}]
        >>> Timeline.from_frame(rows, lane="gpu").spans[0].duration
        Fraction(3, 2)
        """
        from tikzgen.model.timeline.timeline_from_table import lanes_and_spans

        own = {name: value for name, value in more.items() if name in cls.model_fields and name not in _OF_TABLE}
        columns = {name: more[name] for name in more.keys() - own.keys()}
        of_table, spans = lanes_and_spans(frame, unit, lanes, columns)
        for mark in marks:
            field = _field_of(mark)
            own[field] = [*own.get(field, ()), mark]
        return cls(lanes=of_table, spans=spans, **own)

    @model_validator(mode="after")
    def _check_timeline(self) -> Self:
        check_timeline(self)
        return self
