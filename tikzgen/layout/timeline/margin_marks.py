"""Which mark stands on which shelf before and after the lanes, at which size: decided once for a timeline."""

from __future__ import annotations

from tikzgen.base.record import replace
from tikzgen.layout.attempt import Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.timeline.directions import Side
from tikzgen.layout.timeline.margin_needs import Stack, axis_events, braces, tied
from tikzgen.layout.timeline.margin_shelves import Put, pack
from tikzgen.layout.timeline.spans import moved

_AIR = 0.05  # cm between the lanes and the first shelf
RAIL = 0.12  # cm from a lane to the arrows between its own spans
REACH = 0.15  # of the distance of lanes: how far barriers reach beyond the outermost lane's room


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
    blocks = (tied, braces, axis_events)
    for block in blocks:
        wants = list(block(plan, chart, found, side))
        if not wants:
            continue
        to_axis = block is axis_events
        placed, end = pack([want for want, _ in wants], base, low, high, () if to_axis else inner)
        if to_axis:  # their lines go outwards, so that the first of them stand outermost
            placed = {
                key: replace(put, near=base + end - put.far, far=base + end - put.near) for key, put in placed.items()
            }
        base = end
        found.put.update(placed)
        found.text.update((want.key, text) for want, text in wants)
        inner.extend(placed.values())
    depth = base if base > first or side == "before" else 0.0
    if side == "before":
        found.before = depth if inset or inner or _barriers(chart, side) or _rails(chart, side) else 0.0
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
