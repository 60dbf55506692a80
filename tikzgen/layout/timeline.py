"""A timeline on paper. Coordinates inside its scope are (time, lane): the scope's unit vectors do the rest."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tikzgen.layout.labels import single_texts, span_stem
from tikzgen.layout.length import ZERO, Length, number, param
from tikzgen.layout.plan import INNER, Direction, Need, Plan
from tikzgen.layout.scene import Bar, Caption, Edge, Extent, Item, Note, Piece, Rectangle, Rule
from tikzgen.layout.words import spell, wordy
from tikzgen.model.timeline import Span, Timeline

__all__ = ["is_level", "spacing", "timeline"]

SIZES = (10.0, 9.0, 8.0, 7.0, 6.0)  # pt; nothing is set smaller than 6
_MARGIN = 0.06  # cm between a span's label and its border, on each side
_TIMEUNIT = 0.42  # cm, where nothing else decides
_LENGTH = 6.0  # cm that a timeline takes before labels shrink
_AXIS = 0.15  # cm between the lanes and the time arrow
_TAIL = 0.55  # cm by which the arrow outruns the last span


def _moment(value: Fraction) -> str:
    """A time as TeX reads it; four digits are finer than any printer for figures under a metre."""
    return number(float(value), 4)


def _choices(span: Span) -> list[str]:
    return [text for text in (span.label, span.short) if text]


def spacing(plan: Plan, panel: str, part: Timeline) -> dict[str, Need]:
    """The distances that a timeline uses: long and thick enough for every label at 6 pt, usually at full size."""
    along: Direction = "x" if part.direction == "right" else "y"
    across: Direction = "y" if part.direction == "right" else "x"
    unit = _unit(plan, part)
    height = _height(plan, part)
    return {
        "timeunit": Need(unit[0], unit[1], along, "length of one time unit", unit[2]),
        "laneheight": Need(*height, across, "thickness of a lane"),
        "lanesep": Need(*_sep(plan, part, *height), across, "gap between neighbouring lanes"),
    }


def _unit(plan: Plan, part: Timeline) -> tuple[float, float, float]:
    """The least and the usual length of a time unit, and the one that it takes where lanes are thin.

    Every label fits at 6 pt at least; at full size as far as that does not stretch the timeline beyond `_LENGTH`.
    """
    end = float(part.end) or 1.0
    least = full = tight = 0.0
    for span in part.spans:
        if not span.label:
            continue
        duration = float(span.duration)
        small, large = plan.measure(_choices(span)[-1], size=SIZES[-1]), plan.measure(span.label)
        if _is_level(part, span):
            least = max(least, (small.height + small.depth + _MARGIN) / duration)
            full = max(full, (large.height + large.depth + 3 * _MARGIN) / duration)
            if len(span.lanes) == 1:
                tight = max(tight, (small.width + 2 * _MARGIN) / duration)
        else:
            least = max(least, (small.width + 2 * _MARGIN) / duration)
            full = max(full, (large.width + 3 * _MARGIN) / duration)
    usual = max(_TIMEUNIT if end <= 24 else 10.0 / end, min(full, _LENGTH / end))
    return max(least, min(0.12, _LENGTH / end)), max(usual, least), tight


def _height(plan: Plan, part: Timeline) -> tuple[float, float]:
    """The least and the usual thickness of a lane."""
    least, usual = 0.3, 0.5 if part.direction == "right" else 0.62
    for span in part.spans:
        if not span.label:
            continue
        small = plan.measure(_choices(span)[-1], size=SIZES[-1])
        least = max(least, small.height + small.depth + _MARGIN)
        if _is_level(part, span):
            usual = max(usual, (small.width + 2 * _MARGIN) / len(span.lanes))
    return least, max(usual, least)


def _sep(plan: Plan, part: Timeline, least: float, usual: float) -> tuple[float, float]:
    """The least and the usual gap between lanes: room for arrows, and for lane labels that stand side by side."""
    if part.direction == "right":
        return (0.3, 0.35) if part.dependencies else (0.0, 0.0)
    widest = max((plan.measure(lane.label).width for lane in part.lanes), default=0.0)
    return max(0.06, widest + 0.1 - least), max(0.15, widest + 0.25 - usual)


def _is_level(part: Timeline, span: Span) -> bool:
    """Where time runs up or down, labels run along it; over several lanes, or with a short form, they stay level."""
    return part.direction != "right" and (len(span.lanes) > 1 or bool(span.short))


def is_level(plan: Plan, part: Timeline, span: Span) -> bool:
    """Whether a span's label stays level; a short form that does not fit across a thin lane runs along it."""
    if not _is_level(part, span):
        return False
    if len(span.lanes) > 1:
        return True
    return plan.measure(span.short, size=SIZES[-1]).width + 2 * _MARGIN <= plan.values["laneheight"] + 1e-6


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
    return Piece(items=items, extent=_extent(plan, panel, part), axes=part.direction)


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
        text, size = _fitted(plan, panel, part, span, span_stem(span.phase, name, single))
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


def _room(plan: Plan, part: Timeline, span: Span) -> tuple[float, float]:
    """The width and height in cm that a span's label may take, along its own baseline."""
    values = plan.values
    count = len(span.lanes)
    thickness = count * values["laneheight"] + (count - 1) * values["lanesep"]
    length = float(span.duration) * values["timeunit"]
    along, across = (thickness, length) if is_level(plan, part, span) else (length, thickness)
    return along - 2 * _MARGIN, across - _MARGIN


def _fitted(plan: Plan, panel: str, part: Timeline, span: Span, stem: str) -> tuple[str, str]:
    """The macro and size of the label that fits: full, then smaller, then the short form; nothing if none does."""
    if not span.label:
        return "", ""
    width, height = _room(plan, part, span)
    for kind, text in (("text", span.label), ("short", span.short)):
        if not text:
            continue
        for size in (size for size in SIZES if size <= plan.size):
            extent = plan.measure(text, size=size)
            if extent.width <= width + 1e-6 and extent.height + extent.depth <= height + 1e-6:
                return plan.labels.macro(panel, stem + kind), "" if size == plan.size else number(size)
    return "", ""


def _barriers(plan: Plan, panel: str, part: Timeline) -> Iterator[Item]:
    order = {lane.id: index for index, lane in enumerate(part.lanes)}
    for index, barrier in enumerate(part.barriers):
        places = [order[lane] for lane in barrier.lanes] or list(order.values())
        moment = _moment(barrier.time)
        macro = plan.labels.macro(panel, f"barrier{spell(index + 1)}label")
        low, high = number(min(places) - 0.65), number(max(places) + 0.65)
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
        macro = plan.labels.macro(panel, wordy(lane.id) + "lanelabel")
        if macro:
            yield Caption((macro,), ("slbl",), x=ZERO, y=Length(float(index)), anchor=anchor)
    title = plan.labels.macro(panel, "timelinetitle")
    if title:
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
    macro = plan.labels.macro(panel, "timelabel")
    yield Rule("time", "0", edge, _moment(part.end), edge, macro, "slbl", part.direction)


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
    barriers = 0.45 if any(barrier.label for barrier in part.barriers) else 0.0
    if part.direction == "right":
        below = pitch * (lanes - 1) + half + (_AXIS + beyond if axis else 0.0)
        return Extent(Length(-before), -below, end + (_TAIL if axis else 0.0), half + max(head, barriers))
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
