"""A timeline on paper. Coordinates inside its scope are (time, lane): the scope's unit vectors do the rest."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tikzgen.layout.labels import single_texts, span_stem, timeline_mark
from tikzgen.layout.length import ZERO, Length, number, param
from tikzgen.layout.plan import INNER, Plan
from tikzgen.layout.scene import Bar, Caption, Edge, Extent, Item, Note, Piece, Rectangle, Rule, union
from tikzgen.layout.spanroom import fitted, is_level
from tikzgen.layout.words import spell, wordy
from tikzgen.model.timeline import Timeline

__all__ = ["timeline"]

_AXIS = 0.15  # cm between the lanes and the time arrow
_TAIL = 0.55  # cm by which the arrow outruns the last span
_BARRIER = 0.65  # of the distance of lanes: how far a barrier reaches beyond the middle of the outermost


def _moment(value: Fraction) -> str:
    """A time as TeX reads it; four digits are finer than any printer for figures under a metre."""
    return number(float(value), 4)


def timeline(plan: Plan, panel: str, part: Timeline) -> Piece:
    """Lay out a timeline: time 0 of the first lane is at the origin."""
    sections: list[tuple[str, list[Item]]] = [
        ("lanes", list(_lane_labels(plan, panel, part))),
        ("frames: what no span covers is idle", list(_frames(part))),
        ("spans", list(_bars(plan, panel, part))),
        ("barriers", list(_barriers(plan, panel, part))),
        ("dependencies", list(_dependencies(plan, panel, part))),
        ("time", list(_arrow(plan, panel, part))),
    ]
    items = tuple(item for title, section in sections if section for item in (Note(title), *section))
    parts = (*_lane_extents(plan, part), *_axis_extents(plan, part), *_barrier_extents(plan, part))
    extent = union([_extent(plan, panel, part), *parts], plan.values)
    return Piece(items=items, extent=extent, axes=part.direction)


def _frames(part: Timeline) -> Iterator[Item]:
    order = {lane.id: index for index, lane in enumerate(part.lanes)}
    for frame in part.frames:
        places = [order[lane] for lane in frame.lanes] or list(order.values())
        low, high = number(min(places) - 0.5), number(max(places) + 0.5)
        yield Rectangle("frame", _moment(frame.start), low, _moment(frame.end), high)


def _bars(plan: Plan, panel: str, part: Timeline) -> Iterator[Item]:
    order = {lane.id: index for index, lane in enumerate(part.lanes)}
    single = single_texts(plan.figure)
    for span, name in zip(part.spans, part.names(), strict=True):
        places = [order[lane] for lane in span.lanes]
        text, size = fitted(plan, panel, part, span, span_stem(span.phase, name, single))
        yield Bar(
            name=plan.name(panel, name),
            phase=span.phase,
            start=_moment(span.start),
            duration=_moment(span.duration),
            lane=(min(places) + max(places)) / 2,
            lanes=len(places),
            text=text,
            size=size,
            level=is_level(plan, part, span),
        )


def _barriers(plan: Plan, panel: str, part: Timeline) -> Iterator[Item]:
    order = {lane.id: index for index, lane in enumerate(part.lanes)}
    mark = timeline_mark(plan.figure, panel, part)
    for index, barrier in enumerate(part.barriers):
        places = [order[lane] for lane in barrier.lanes] or list(order.values())
        moment = _moment(barrier.time)
        macro = plan.labels.macro(panel, f"barrier{spell(index + 1)}label{mark}") if barrier.label else ""
        low, high = number(min(places) - _BARRIER), number(max(places) + _BARRIER)
        yield Rule(
            "barrier", moment, low, moment, high, macro, "slbl", "above" if part.direction == "right" else "left"
        )


def _dependencies(plan: Plan, panel: str, part: Timeline) -> Iterator[Item]:
    order = {lane.id: index for index, lane in enumerate(part.lanes)}
    first = {name: order[span.lanes[0]] for span, name in zip(part.spans, part.names(), strict=True)}
    for dependency in part.dependencies:
        # a span's own south looks to the next lane, unless time runs down: there it is its north
        onward = (first[dependency.target] >= first[dependency.source]) == (part.direction != "down")
        out, into = ("south", "north") if onward else ("north", "south")
        source, target = plan.name(panel, dependency.source), plan.name(panel, dependency.target)
        yield Edge("dependency", f"{source}.{out} east", f"{target}.{into} west")


def _lane_labels(plan: Plan, panel: str, part: Timeline) -> Iterator[Item]:
    anchor = {"right": "east", "up": "north", "down": "south"}[part.direction]
    for index, lane in enumerate(part.lanes):
        if lane.label:
            macro = plan.labels.macro(panel, wordy(lane.id) + "lanelabel")
            yield Caption((macro,), ("slbl",), x=ZERO, y=Length(float(index)), anchor=anchor)
    if part.title:
        title = plan.labels.macro(panel, "timelinetitle" + timeline_mark(plan.figure, panel, part))
        middle = Length((len(part.lanes) - 1) / 2)
        if part.direction == "right":
            yield Caption((title,), ("slbl", "strong"), x=Length(float(part.end) / 2), y=Length(-0.5), anchor="south")
        else:
            drop = -(_label_height(plan, part)) if part.direction == "up" else _label_height(plan, part)
            yield Caption((title,), ("slbl", "strong"), x=ZERO, y=middle, anchor=anchor, shift=drop)


def _label_height(plan: Plan, part: Timeline) -> float:
    sizes = [plan.measure(lane.label) for lane in part.lanes if lane.label]
    return max((size.height + size.depth for size in sizes), default=0.0) + (2 * INNER if sizes else 0.0)


def _arrow(plan: Plan, panel: str, part: Timeline) -> Iterator[Item]:
    if part.axis is None:
        return
    edge = number(len(part.lanes) - 0.5)
    mark = timeline_mark(plan.figure, panel, part)
    macro = plan.labels.macro(panel, f"timelabel{mark}") if part.axis.label else ""
    yield Rule("time", "0", edge, _moment(part.end), edge, macro, "slbl", part.direction)


def _lane_extents(plan: Plan, part: Timeline) -> Iterator[Extent]:
    """What the lanes' labels take across the lanes: they may be larger than their lanes."""
    pitch = param("laneheight") + param("lanesep")
    for index, lane in enumerate(part.lanes):
        if lane.label:
            size = plan.measure(lane.label)
            if part.direction == "right":
                half = (size.height + size.depth) / 2 + INNER
                yield Extent(ZERO, pitch * -index - half, ZERO, pitch * -index + half)
            else:
                half = size.width / 2 + INNER
                yield Extent(pitch * index - half, ZERO, pitch * index + half, ZERO)


def _axis_extents(plan: Plan, part: Timeline) -> Iterator[Extent]:
    """What the text at the time arrow takes along the arrow: it may be longer than that."""
    if part.axis and part.axis.label:
        width = plan.measure(part.axis.label).width + 2 * INNER
        end = param("timeunit", float(part.end))
        if part.direction == "right":
            yield Extent(end + (0.5 - width), ZERO, end, ZERO)
        else:
            middle = (end + 0.5) * (0.5 if part.direction == "up" else -0.5)
            yield Extent(ZERO, middle - width / 2, ZERO, middle + width / 2)


def _barrier_extents(plan: Plan, part: Timeline) -> Iterator[Extent]:
    """What barriers take, with their labels."""
    order = {lane.id: index for index, lane in enumerate(part.lanes)}
    pitch = param("laneheight") + param("lanesep")
    for barrier in part.barriers:
        places = [order[lane] for lane in barrier.lanes] or list(order.values())
        low, high = pitch * (min(places) - _BARRIER), pitch * (max(places) + _BARRIER)
        size = plan.measure(barrier.label) if barrier.label else None
        width, height = (size.width + 2 * INNER, size.height + size.depth + 2 * INNER) if size else (0.0, 0.0)
        moment = param("timeunit", float(barrier.time) * (-1 if part.direction == "down" else 1))
        if part.direction == "right":
            yield Extent(moment - width / 2, -high, moment + width / 2, -low + height)
        else:
            yield Extent(low - width, moment - height / 2, high, moment + height / 2)


def _extent(plan: Plan, panel: str, part: Timeline) -> Extent:
    lanes = len(part.lanes)
    end = param("timeunit", float(part.end))
    pitch = param("laneheight") + param("lanesep")
    half = pitch * 0.5
    names = [plan.measure(lane.label).width for lane in part.lanes if lane.label]
    before = max(names, default=0.0) + (2 * INNER if names else 0.0)
    title = plan.measure(part.title, bold=True) if part.title else None
    head = title.height + title.depth + 2 * INNER if title else 0.0
    axis = plan.measure(part.axis.label) if part.axis else None
    beyond = 2 * INNER + axis.height + axis.depth if axis else 0.0
    if part.direction == "right":
        below = pitch * (lanes - 1) + half + (_AXIS + beyond if axis else 0.0)
        return Extent(Length(-before), -below, end + (_TAIL if axis else 0.0), half + head)
    under = _label_height(plan, part) + head
    right = pitch * (lanes - 1) + half + (_AXIS + beyond if axis else 0.0)
    left, right = -half, right
    if title:
        middle = pitch * ((lanes - 1) / 2)
        side = title.width / 2 + INNER
        if middle.at(plan.values) - side < left.at(plan.values):
            left = middle - side
        if middle.at(plan.values) + side > right.at(plan.values):
            right = middle + side
    if part.direction == "up":
        return Extent(left, Length(-under), right, end + (_TAIL if axis else 0.0))
    return Extent(left, -end - (_TAIL if axis else 0.0), right, Length(under))
