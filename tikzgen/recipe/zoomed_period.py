"""A period of a large schedule once more, below it: as long as the whole, so that its cells can be read."""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction
from typing import Self

from pydantic import Field, model_validator

from tikzgen.model.base import Part, empty, fail
from tikzgen.model.exact_fields import Time, spell_time
from tikzgen.model.timeline import Timeline
from tikzgen.model.timeline_marks import Axis, Brace, Bubble, Tick
from tikzgen.model.timeline_parts import Span
from tikzgen.recipe.schedule_marks import step

_READ = Fraction(2, 3)  # of a cell: less, at an end of the period, would leave all cells without numbers for its own


class Zoom(Part):
    """A period that is drawn once more, with cells of their own."""

    start: Time
    """When it begins."""
    end: Time
    """When it ends."""
    lanes: list[str] = Field(default_factory=empty)
    """The ids of its lanes, such as `gpu0`; all where none is given."""

    @model_validator(mode="after")
    def _lasts(self) -> Self:
        if self.end <= self.start:
            fail("ends before it begins", "end", hint="give a later end")
        return self


def marked(whole: Timeline, zoom: Zoom) -> Timeline:
    """The whole, with a brace below the period."""
    braces = [*whole.braces, Brace(start=zoom.start, end=zoom.end, side="after")]
    return whole.model_copy(update={"braces": braces})


def zoomed(whole: Timeline, zoom: Zoom, until: Fraction, unit: str) -> Timeline:
    """What of `whole` is in the period, stretched to the length of the whole, `until`."""
    known = [lane.id for lane in whole.lanes]
    for place, name in enumerate(zoom.lanes):
        if name not in known:
            fail(f'there is no lane "{name}"', "zoom", "lanes", place, hint=f"there are {known[0]} to {known[-1]}")
    if zoom.start >= until:
        fail(f"begins when all is over, at {spell_time(until)}", "zoom", "start", hint="give an earlier period")
    kept = set(zoom.lanes or known)
    factor = until / (zoom.end - zoom.start)

    def at(time: Fraction) -> Fraction:
        return (min(max(time, zoom.start), zoom.end) - zoom.start) * factor

    spans = [clipped for span in whole.spans if (clipped := _clipped(span, at, kept, factor))]
    bubbles = [
        Bubble(lane=each.lane, start=at(each.start), end=at(each.end), label=each.label, cause=each.cause)
        for each in whole.bubbles
        if each.lane in kept and at(each.start) < at(each.end)
    ]
    distance = step(zoom.end - zoom.start)
    first = -(-zoom.start // distance)
    moments = (number * distance for number in range(first, int(zoom.end // distance) + 1))
    ticks = [Tick(at=at(time), label=f"{spell_time(time)} {unit}".strip()) for time in moments]
    label = whole.axis.label if whole.axis else ""
    return Timeline(
        lanes=[lane for lane in whole.lanes if lane.id in kept],
        groups=[group for group in whole.groups if kept.issuperset(group.lanes)],
        spans=spans,
        bubbles=bubbles,
        shades=whole.shades,
        axis=Axis(label=label, ticks=ticks, until=until),
    )


def _clipped(span: Span, at: Callable[[Fraction], Fraction], kept: Collection[str], factor: Fraction) -> Span | None:
    """The part of a span that lies in the period, on the lanes that are shown; a small part goes without its number."""
    lanes = [lane for lane in span.lanes if lane in kept]
    start, end = at(span.start), at(span.end)
    if not lanes or start == end:
        return None
    said = {**span.__dict__, "lane": lanes[0] if len(lanes) == 1 else lanes, "start": start, "duration": end - start}
    if end - start < _READ * factor * span.duration:
        said["number"] = None
    second = span.second
    if second is not None:
        middle = at(span.end - span.duration * second.share)
        said["second"] = second.model_copy(update={"share": (end - middle) / (end - start)})
        if middle == start:  # only the second part is there
            said |= {"phase": second.phase, "label": second.label, "number": second.number, "chunk": second.chunk}
        if middle in (start, end):
            said["second"] = None
    return Span.model_construct(**said)
