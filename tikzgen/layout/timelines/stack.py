"""Which mark stands on which shelf before and after the lanes, at which size: decided once for a timeline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tikzgen.layout.chart import Chart
from tikzgen.layout.length import number
from tikzgen.layout.plan import INNER, SIZES, Plan
from tikzgen.layout.timelineitems import Label, Spot
from tikzgen.layout.timelines.leaders import Moved, moved
from tikzgen.layout.timelines.sheet import Side, foot
from tikzgen.layout.timelines.shelves import Put, Want, pack
from tikzgen.record import Record, replace

__all__ = ["BAR", "BRACE", "RAIL", "REACH", "Fitted", "Stack", "fit_text", "pad", "set_text", "shift", "stack"]

BRACE = 0.2  # cm that a brace takes with the air before it
BAR = 0.16  # cm that the line of a dimension takes
_WIDE = 3.2  # cm to which remarks are broken
_AIR = 0.05  # cm between the lanes and the first shelf
RAIL = 0.12  # cm from a lane to the arrows between its own spans
REACH = 0.15  # of the distance of lanes: how far barriers reach beyond the outermost lane's room


class Fitted(Record):
    """A text as it is set: its size as TeX reads it (empty for the usual one), the width it is broken to, its box.

    `sink` and `lift` are how much of the box lies below and above the text, so that neighbours share a baseline.
    """

    size: str
    wrap: float
    width: float
    height: float
    sink: float = 0.0
    lift: float = 0.0


_NOTHING = Fitted("", 0.0, 0.0, 0.0)


@dataclass(slots=True)
class Stack:
    """Where marks stand, by kind and place in their list; and how far they reach, in cm beyond the outermost rows."""

    put: dict[tuple[str, int], Put] = field(default_factory=dict)
    text: dict[tuple[str, int], Fitted] = field(default_factory=dict)
    side: dict[tuple[str, int], Side] = field(default_factory=dict)
    moved: tuple[Moved, ...] = ()
    before: float = 0.0
    after: float = 0.0


def fit_text(plan: Plan, text: str, room: float, *, strut: bool = True, most: float = SIZES[0]) -> Fitted:
    """The largest size at which a text fits; broken into lines at the smallest where none does.

    With a `strut` it is as tall as any text of its size; `most` is the size in pt that it may have.
    """
    sizes = [size for size in SIZES if size <= min(plan.size, most)]
    for size in sizes:
        found = plan.measure(text, size=size)
        if found.width + 2 * INNER <= room:
            return _fitted(plan, text, size, 0.0, strut=strut)
    return _fitted(plan, text, sizes[-1], room if " " in text.strip() else 0.0, strut=strut)


def _fitted(plan: Plan, text: str, size: float, room: float, *, strut: bool = True) -> Fitted:
    wrap = 0.0
    if room:
        lines = plan.broken(text, max(room - 2 * INNER, 0.3), size=size)
        if lines != text:
            text, wrap = lines, max(plan.measure(lines, size=size).width, 0.3) + 0.02
    found, usual = plan.measure(text, size=size), plan.measure("Ag" if strut else ".", size=size)
    sink, lift = max(usual.depth - found.depth, 0.0), max(usual.height - found.height, 0.0)
    height = found.height + found.depth + sink + lift + 2 * INNER
    spelt = "" if size == plan.size else number(size)
    return Fitted(spelt, wrap, max(found.width, wrap) + 2 * INNER, height, sink, lift)


def stack(plan: Plan, chart: Chart, inset: float = 0.0) -> Stack:
    """Place all marks beside the lanes: first what has lines to the lanes, then what has none.

    `inset` is what else stands right before the first lane, in cm.
    """
    found = Stack()
    found.moved = moved(plan, chart)
    _sides(chart, found)
    _place(plan, chart, found, "before", inset)
    _place(plan, chart, found, "after", 0.0)
    return found


def _sides(chart: Chart, found: Stack) -> None:
    """Events speak on the side that is nearer to their lane, and on the time arrow towards the lanes."""
    for index, event in enumerate(chart.part.events):
        place = chart.place[event.lane] if event.lane else chart.rows
        found.side["event", index] = "before" if place <= (chart.rows - 1) / 2 else "after"


def _place(plan: Plan, chart: Chart, found: Stack, side: Side, inset: float) -> None:
    unit = plan.values["timeunit"]
    low, high = 0.0, float(chart.end) * unit
    base = _base(plan, chart, side) + inset
    first = base
    inner: list[Put] = []
    blocks = (_tied, _braces, _axis_events)
    for block in blocks:
        wants = list(block(plan, chart, found, side))
        if not wants:
            continue
        to_axis = block is _axis_events
        placed, end = pack([want for _, want in wants], base, low, high, () if to_axis else inner)
        if to_axis:  # their lines go outwards, so that the first of them stand outermost
            placed = {
                key: replace(put, near=base + end - put.far, far=base + end - put.near) for key, put in placed.items()
            }
        base = end
        found.put.update({key: placed[want.key] for key, want in wants})
        inner.extend(placed.values())
    depth = base if base > first or side == "before" else 0.0
    if side == "before":
        found.before = depth if inner or _barriers(chart, side) or _rails(chart, side) else 0.0
    else:
        found.after = depth


def _base(plan: Plan, chart: Chart, side: Side) -> float:
    pitch = plan.values["laneheight"] + plan.values["lanesep"]
    return max(REACH * pitch if _barriers(chart, side) else _AIR, RAIL + _AIR if _rails(chart, side) else 0.0)


def _rails(chart: Chart, side: Side) -> bool:
    """Whether arrows run before the first lane: those between spans of that lane do."""
    if side == "after" or not chart.part.dependencies:
        return False
    first = chart.part.lanes[0].id
    begin = {name for name, span in zip(chart.names, chart.part.spans, strict=True) if span.lanes[0] == first}
    return any(part.source in begin and part.target in begin for part in chart.part.dependencies)


def _barriers(chart: Chart, side: Side) -> bool:
    ids = [lane.id for lane in chart.part.lanes]
    outermost = ids[0] if side == "before" else ids[-1]
    if side == "after" and chart.rows > chart.place[outermost] + 1:
        return False
    return any(not barrier.lanes or outermost in barrier.lanes for barrier in chart.part.barriers)


_Wants = Iterator[tuple[tuple[str, int], Want]]


def _tied(plan: Plan, chart: Chart, found: Stack, side: Side) -> _Wants:
    """What has lines to the lanes."""
    for part in (_dimensions, _signs, _labels, _remarks):
        yield from part(plan, chart, found, side)


def _dimensions(plan: Plan, chart: Chart, found: Stack, side: Side) -> _Wants:
    if side == "before":
        return
    unit = plan.values["timeunit"]
    for index, part in enumerate(chart.part.dimensions):
        key = ("dimension", index)
        start, stop = (float(chart.clock.at(time)) * unit for time in (part.start, part.end))
        if part.lane is not None and not part.label:
            continue
        if part.lane is not None:
            within = [_fitted(plan, part.label, size, 0.0) for size in SIZES if size <= plan.size]
            room = 0.85 * plan.values["laneheight"]
            inside = next((text for text in within if text.width <= stop - start and text.height <= room), None)
            if inside:
                found.text[key] = inside
                continue
        found.side[key] = "after"
        text = fit_text(plan, part.label, stop - start) if part.label else _NOTHING
        if text.wrap or text.width > stop - start:
            # too long for its period: it stands beside it, on the side where there is room
            text = _fitted(plan, part.label, plan.size, 0.0)
            low, high = (start - text.width, stop) if start > text.width else (start, stop + text.width)
            size, core = (high - low, max(text.height, BAR)), high - low
        else:
            low, high = start, stop
            size, core = (high - low, text.height + BAR), text.width
        yield key, Want(f"dimension{index}", *size, ((low + high) / 2,), lines=(start, stop), core=core)
        found.text[key] = text


def _signs(plan: Plan, chart: Chart, found: Stack, side: Side) -> _Wants:
    """Barriers and events on lanes."""
    unit = plan.values["timeunit"]
    right = chart.part.direction == "right"
    if side == "before":
        ids = [lane.id for lane in chart.part.lanes]
        for index, barrier in enumerate(chart.part.barriers):
            if barrier.label and (not barrier.lanes or ids[0] in barrier.lanes):
                text = _fitted(plan, barrier.label, plan.size, 0.0, strut=False)
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


def _labels(plan: Plan, chart: Chart, found: Stack, side: Side) -> _Wants:
    """Labels that do not fit into their spans."""
    unit = plan.values["timeunit"]
    for index, label in enumerate(found.moved):
        if label.side == side:
            start, stop = (float(chart.clock.at(time)) * unit for time in (label.span.start, label.span.end))
            text = fit_text(plan, label.text, _WIDE)
            found.text["label", index] = text
            middle = (start + stop) / 2
            yield ("label", index), Want(f"label{index}", text.width, text.height, (middle,), centred=False)


def _remarks(plan: Plan, chart: Chart, found: Stack, side: Side) -> _Wants:
    if not chart.part.remarks:
        return
    unit = plan.values["timeunit"]
    spans = dict(zip(chart.names, chart.part.spans, strict=True))
    for index, remark in enumerate(chart.part.remarks):
        if remark.side != side:
            continue
        span = spans[remark.about]
        start, stop = (float(chart.clock.at(time)) * unit for time in (span.start, span.end))
        places = [start + (stop - start) * share for share in (0.5, 0.25, 0.75, 0.1, 0.9, 0.03, 0.97)]
        # a line through other lanes stands where it meets the fewest spans
        places.sort(key=lambda place: _met(chart, span.lanes, side, place / unit))
        text = fit_text(plan, remark.text, _WIDE)
        found.text["remark", index] = text
        yield ("remark", index), Want(f"remark{index}", text.width, text.height, tuple(places), centred=False)


def _met(chart: Chart, lanes: tuple[str, ...], side: Side, place: float) -> int:
    """How many spans lie between a lane's span and the edge of the lanes, at a place along time (in time units)."""
    own = [chart.place[lane] for lane in lanes]
    count = 0
    for span in chart.part.spans:
        row = chart.place[span.lanes[0]]
        between = row < min(own) if side == "before" else row > max(own)
        start, stop = float(chart.clock.at(span.start)), float(chart.clock.at(span.end))
        if between and start < place < stop:
            count += 2 if abs(place - (start + stop) / 2) < 0.25 * (stop - start) and span.label else 1
    return count


def _braces(plan: Plan, chart: Chart, found: Stack, side: Side) -> _Wants:
    unit = plan.values["timeunit"]
    parts = [(index, part) for index, part in enumerate(chart.part.braces) if part.side == side]
    rooms = [
        (part.label, float(chart.clock.at(part.end) - chart.clock.at(part.start)) * unit - 0.12) for _, part in parts
    ]
    common = _common(plan, [(label, room) for label, room in rooms if label])
    # what lies inside another period stands nearer
    for index, part in sorted(parts, key=lambda entry: entry[1].end - entry[1].start):
        start, stop = (float(chart.clock.at(time)) * unit for time in (part.start, part.end))
        text = fit_text(plan, part.label, stop - start - 0.12, most=common) if part.label else _NOTHING
        found.text["brace", index] = text
        width = max(text.width, stop - start - 0.12)
        yield ("brace", index), Want(f"brace{index}", width, BRACE + text.height, ((start + stop) / 2,))


def _common(plan: Plan, texts: Sequence[tuple[str, float]]) -> float:
    """The largest size in pt at which all of these fit their rooms, of those that fit at any: neighbours look alike."""
    sizes = [size for size in SIZES if size <= plan.size]
    fitting = [
        next((size for size in sizes if plan.measure(text, size=size).width + 2 * INNER <= room), sizes[0])
        for text, room in texts
    ]
    return min(fitting, default=sizes[0])


def _axis_events(plan: Plan, chart: Chart, found: Stack, side: Side) -> _Wants:
    if side == "before":
        return
    unit = plan.values["timeunit"]
    for index, event in enumerate(chart.part.events):
        if event.lane is None:
            text = fit_text(plan, event.label, 2.5) if event.label else Fitted("", 0.0, 0.0, 0.04)
            found.text["event", index] = text
            at = float(chart.clock.at(event.time)) * unit
            yield ("event", index), Want(f"event{index}", text.width, text.height, (at,), centred=False)


def pad(chart: Chart, side: Side, text: Fitted) -> float:
    """How far a text stands off the near edge of its box, for the sake of a common baseline; in cm."""
    return text.sink if foot(chart, side) == "south" else text.lift


def set_text(macro: str, at: Spot, anchor: str, text: Fitted, put: Put) -> Label:
    """A text along time on its shelf: on a ground of paper where a line passes behind it."""
    look = ("slbl", "clear") if put.struck else ("slbl",)
    return Label((macro,), at, anchor, look, text.size, text.wrap, along=True)


def shift(put: Put) -> float:
    """How far the middle of a text lies from its line, in cm along time."""
    return put.middle - put.stem
