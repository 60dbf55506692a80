"""What each mark beside the lanes asks for: the place along time, the room, the lines to it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from tikzgen.layout.attempt import SIZES, Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.timeline.directions import Side
from tikzgen.layout.timeline.fitted_texts import NO_TEXT, Fitted, common_size, fit_text, fitted_at
from tikzgen.layout.timeline.margin_shelves import Put, Want
from tikzgen.layout.timeline.outside_labels import Moved

__all__ = ["BAR", "BRACE", "Stack", "axis_events", "braces", "tied"]

BRACE = 0.2  # cm that a brace takes with the air before it
BAR = 0.16  # cm that the line of a dimension takes
_WIDE = 3.2  # cm to which remarks are broken

Wants: TypeAlias = Iterator[tuple[tuple[str, int], Want]]


@dataclass(slots=True)
class Stack:
    """Where marks stand, by kind and place in their list; and how far they reach, in cm beyond the outermost rows."""

    put: dict[tuple[str, int], Put] = field(default_factory=dict)
    text: dict[tuple[str, int], Fitted] = field(default_factory=dict)
    side: dict[tuple[str, int], Side] = field(default_factory=dict)
    moved: tuple[Moved, ...] = ()
    before: float = 0.0
    after: float = 0.0


def tied(plan: Plan, chart: Chart, found: Stack, side: Side) -> Wants:
    """What has lines to the lanes."""
    for part in (_dimensions, _signs, _labels, _remarks):
        yield from part(plan, chart, found, side)


def _dimensions(plan: Plan, chart: Chart, found: Stack, side: Side) -> Wants:
    if side == "before":
        return
    unit = plan.values["timeunit"]
    for index, part in enumerate(chart.part.dimensions):
        key = ("dimension", index)
        start, stop = (float(chart.clock.at(time)) * unit for time in (part.start, part.end))
        if part.lane is not None and not part.label:
            continue
        if part.lane is not None:
            within = [fitted_at(plan, part.label, size, 0.0) for size in SIZES if size <= plan.size]
            room = 0.85 * plan.values["laneheight"]
            inside = next((text for text in within if text.width <= stop - start and text.height <= room), None)
            if inside:
                found.text[key] = inside
                continue
        found.side[key] = "after"
        text = fit_text(plan, part.label, stop - start) if part.label else NO_TEXT
        if text.wrap or text.width > stop - start:
            # too long for its period: it stands beside it, on the side where there is room
            text = fitted_at(plan, part.label, plan.size, 0.0)
            low, high = (start - text.width, stop) if start > text.width else (start, stop + text.width)
            size, core = (high - low, max(text.height, BAR)), high - low
        else:
            low, high = start, stop
            size, core = (high - low, text.height + BAR), text.width
        yield key, Want(f"dimension{index}", *size, ((low + high) / 2,), lines=(start, stop), core=core)
        found.text[key] = text


def _signs(plan: Plan, chart: Chart, found: Stack, side: Side) -> Wants:
    """Barriers and events on lanes."""
    unit = plan.values["timeunit"]
    right = chart.part.direction == "right"
    if side == "before":
        ids = [lane.id for lane in chart.part.lanes]
        for index, barrier in enumerate(chart.part.barriers):
            if barrier.label and (not barrier.lanes or ids[0] in barrier.lanes):
                text = fitted_at(plan, barrier.label, plan.size, 0.0, strut=False)
                found.text["barrier", index] = text
                size = (text.width, text.height) if right else (text.height, text.width)
                at = float(chart.clock.at(barrier.time)) * unit
                yield ("barrier", index), Want(f"barrier{index}", *size, (at,))
    for index, event in enumerate(chart.part.events):
        key = ("event", index)
        if event.lane and event.label and found.side[key] == side:
            text = fit_text(plan, event.label, 2.5)
            found.text[key] = text
            at = float(chart.clock.at(event.time)) * unit
            yield key, Want(f"event{index}", text.width, text.height, (at,), centred=False)


def _labels(plan: Plan, chart: Chart, found: Stack, side: Side) -> Wants:
    """Labels that do not fit into their spans."""
    unit = plan.values["timeunit"]
    for index, label in enumerate(found.moved):
        if label.side == side:
            start, stop = (float(chart.clock.at(time)) * unit for time in (label.span.start, label.span.end))
            text = fit_text(plan, label.text, _WIDE)
            found.text["label", index] = text
            middle = (start + stop) / 2
            yield ("label", index), Want(f"label{index}", text.width, text.height, (middle,), centred=False)


def _remarks(plan: Plan, chart: Chart, found: Stack, side: Side) -> Wants:
    if not chart.part.remarks:
        return
    unit = plan.values["timeunit"]
    spans = dict(zip(chart.names, chart.part.spans, strict=True))
    bands = _bands(chart)
    for index, remark in enumerate(chart.part.remarks):
        if remark.side != side:
            continue
        span = spans[remark.about]
        start, stop = (float(chart.clock.at(time)) * unit for time in (span.start, span.end))
        places = [start + (stop - start) * share for share in (0.5, 0.25, 0.75, 0.1, 0.9, 0.03, 0.97)]
        # a line through other lanes stands where it meets the fewest spans
        places.sort(key=lambda place: _met(chart, bands, span.lanes, side, place / unit))
        text = fit_text(plan, remark.text, _WIDE)
        found.text["remark", index] = text
        yield ("remark", index), Want(f"remark{index}", text.width, text.height, tuple(places), centred=False)


_Bands: TypeAlias = dict[float, tuple[list[float], list[tuple[float, bool]]]]
"""By row, in the order of time: where spans begin; where they end, and whether they have a label."""


def _bands(chart: Chart) -> _Bands:
    found: _Bands = {}
    for span in sorted(chart.part.spans, key=lambda span: span.start):
        starts, ends = found.setdefault(chart.place[span.lanes[0]], ([], []))
        starts.append(float(chart.clock.at(span.start)))
        ends.append((float(chart.clock.at(span.end)), bool(span.label)))
    return found


def _met(chart: Chart, bands: _Bands, lanes: tuple[str, ...], side: Side, place: float) -> int:
    """How many spans lie between a lane's span and the edge of the lanes, at a place along time (in time units)."""
    own = [chart.place[lane] for lane in lanes]
    count = 0
    for row, (starts, ends) in bands.items():
        between = row < min(own) if side == "before" else row > max(own)
        index = bisect_left(starts, place) - 1
        if not between or index < 0 or place >= ends[index][0]:
            continue
        start, (stop, labelled) = starts[index], ends[index]
        count += 2 if abs(place - (start + stop) / 2) < 0.25 * (stop - start) and labelled else 1
    return count


def braces(plan: Plan, chart: Chart, found: Stack, side: Side) -> Wants:
    """Braces, of which those inside another's period stand nearer to the lanes."""
    unit = plan.values["timeunit"]
    parts = [(index, part) for index, part in enumerate(chart.part.braces) if part.side == side]
    rooms = [
        (part.label, float(chart.clock.at(part.end) - chart.clock.at(part.start)) * unit - 0.12) for _, part in parts
    ]
    common = common_size(plan, [(label, room) for label, room in rooms if label])
    # what lies inside another period stands nearer
    for index, part in sorted(parts, key=lambda entry: entry[1].end - entry[1].start):
        start, stop = (float(chart.clock.at(time)) * unit for time in (part.start, part.end))
        text = fit_text(plan, part.label, stop - start - 0.12, most=common) if part.label else NO_TEXT
        found.text["brace", index] = text
        width = max(text.width, stop - start - 0.12)
        yield ("brace", index), Want(f"brace{index}", width, BRACE + text.height, ((start + stop) / 2,))


def axis_events(plan: Plan, chart: Chart, found: Stack, side: Side) -> Wants:
    """Events on the time arrow."""
    if side == "before":
        return
    unit = plan.values["timeunit"]
    for index, event in enumerate(chart.part.events):
        if event.lane is None:
            text = fit_text(plan, event.label, 2.5) if event.label else Fitted("", 0.0, 0.0, 0.04)
            found.text["event", index] = text
            at = float(chart.clock.at(event.time)) * unit
            yield ("event", index), Want(f"event{index}", text.width, text.height, (at,), centred=False)
