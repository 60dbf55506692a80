"""Regions over lifelines: frames with a tab and guards.

Tab and guards are in a separate band before the first lifeline, inside the frame. No arrow between lifelines of the
frame crosses them there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from tikzgen.base.plane import Point
from tikzgen.base.record import Record
from tikzgen.layout.constants import INNER
from tikzgen.layout.label_lines import in_lines
from tikzgen.layout.scene.items import Item
from tikzgen.layout.spacetime.facts_and_message_ways import SpacetimeFacts
from tikzgen.layout.symbolic_lengths import SymbolicBox
from tikzgen.layout.time.part_with_time import Patch
from tikzgen.layout.time.timed_items import LabelItem, PathItem, RectangleItem
from tikzgen.model.spacetime import Region

_FRAME_PADDING = 0.2  # cm between a lifeline and the frame around it, or between two frames
_GAP = 0.08  # cm between a band and the lifeline
_GUARD_WIDTH = 2.0  # cm: widest line of a guard, if time runs down
_NARROW_GUARD_WIDTH = 0.8  # cm: least width of a guard set narrow; the next value is its share of the full width
_NARROW_GUARD_SHARE = 0.6


class Area(Record):
    """A region with its index, its lifelines, and the distances in cm of its frame beyond them."""

    index: int
    region: Region
    first: int
    last: int
    near: float
    far: float


def size_regions(facts: SpacetimeFacts) -> list[Area]:
    """Return all regions, outer regions first; a frame surrounds the frames inside it."""
    found: list[Area] = []
    sized = [
        (one.end - one.start, facts.list_rows(one.lifelines), index) for index, one in enumerate(facts.part.regions)
    ]
    for _, rows, index in sorted(sized, key=lambda each: (each[0], len(each[1]))):
        one, first, last = facts.part.regions[index], rows[0], rows[-1]
        guards = [_size_guard(facts, text)[0] for text in (one.guard, *(case.guard for case in one.cases))]
        band = max(size[1] for size in (facts.with_room(one.label), *guards))
        within = [area for area in found if area.region.start >= one.start and area.region.end <= one.end]
        near = max([_FRAME_PADDING, *(area.near + _GAP for area in within if area.first == first)])
        far = max([_FRAME_PADDING, *(area.far + _GAP for area in within if area.last == last)])
        found.append(Area(index, one, first, last, near + (band and band + _GAP), far))
    return found[::-1]


def measure_outer_frames(facts: SpacetimeFacts, found: Sequence[Area]) -> tuple[float, float]:
    """Return the extents of frames before the first lifeline and beyond the last one, in cm."""
    near = max((area.near for area in found if area.first == 0), default=0.0)
    return near, max((area.far for area in found if area.last == len(facts.part.lifelines) - 1), default=0.0)


def draw_region_frames(facts: SpacetimeFacts, found: Sequence[Area]) -> Iterator[Item | SymbolicBox]:
    """Yield the frames, which are behind everything else, and their areas."""
    for area in found:
        one = area.region
        corner = facts.make_point(one.start, area.first, off=-area.near)
        style = f"filled region={one.color}" if one.color else "region=otgray"
        yield RectangleItem((style,), corner, facts.make_point(one.end, area.last, off=area.far))
        near, far = facts.place_row(area.first) - area.near, facts.place_row(area.last) + area.far
        yield facts.make_extent(facts.place_time(one.start), facts.place_time(one.end), near, far)


def region_parts(facts: SpacetimeFacts, found: Sequence[Area]) -> Iterator[Item | SymbolicBox]:
    """Yield the content of the frames: tabs, guards, and lines between cases."""
    for area in found:
        style = f"region case={area.region.color or 'otgray'}"
        for case in area.region.cases:
            ends = (
                facts.make_point(case.time, area.first, off=-area.near),
                facts.make_point(case.time, area.last, off=area.far),
            )
            yield PathItem((style,), ends)
        for text in _iterate_region_texts(facts, area):
            place = facts.make_point(text.time, area.first, along=text.along, off=-area.near)
            yield LabelItem((text.macro,), place, "north west", (text.look,), facts.small_type, text.wrap)
            yield facts.patch(_patch(facts, area, text))


class _Text(Record):
    """A label in a frame: its time, offset in cm, size in cm, macro and style.

    `wrap` is the width in cm at which it wraps, 0 if it does not.
    """

    time: Fraction
    along: float
    size: tuple[float, float]
    macro: str
    look: str
    wrap: float = 0.0


def _size_guard(facts: SpacetimeFacts, text: str) -> tuple[tuple[float, float], float]:
    """Return the padded size of a guard along time and across it, and the width at which it wraps.

    All lengths are in cm. If lifelines are side by side, the guard widens its frame.
    """
    if not text or facts.right:
        return facts.with_room(text), 0.0
    whole = facts.size_of(text)[1]
    most = (
        min(_GUARD_WIDTH, max(_NARROW_GUARD_WIDTH, _NARROW_GUARD_SHARE * whole)) if facts.is_pressed else _GUARD_WIDTH
    )
    found, wrap = in_lines(facts.plan, text, most, facts.small)
    along, across = facts.swap_axes(found.width, found.total)
    return (along + 2 * INNER, across + 2 * INNER), wrap


def _iterate_region_texts(facts: SpacetimeFacts, area: Area) -> Iterator[_Text]:
    """Yield the labels of a region."""
    one, at = area.region, ("regions", area.index)
    tab = facts.with_room(one.label)
    if one.label:
        yield _Text(one.start, 0.0, tab, facts.find_field_macro(*at, "label"), f"region tab={one.color or 'otgray'}")
    if one.guard:
        size, wrap = _size_guard(facts, one.guard)
        yield _Text(one.start, tab[0], size, facts.find_field_macro(*at, "guard"), "slbl", wrap)
    for place, case in enumerate(one.cases):
        if case.guard:
            size, wrap = _size_guard(facts, case.guard)
            yield _Text(case.time, 0.0, size, facts.find_field_macro(*at, "cases", place, "guard"), "slbl", wrap)


def _patch(facts: SpacetimeFacts, area: Area, text: _Text) -> Patch:
    start, near = facts.place_time(text.time) + text.along, facts.place_row(area.first) - area.near
    return Patch(start, near, start + text.size[0], near + text.size[1])


def region_texts(facts: SpacetimeFacts, found: Sequence[Area]) -> Iterator[Patch]:
    """Yield the areas of the labels of regions."""
    for area in found:
        yield from (_patch(facts, area, text) for text in _iterate_region_texts(facts, area))


def region_ways(facts: SpacetimeFacts, found: Sequence[Area]) -> Iterator[list[Point]]:
    """Yield the lines of regions, for labels to avoid, in cm along time and away from the first lifeline."""
    for area in found:
        one = area.region
        near, far = facts.measure_row(area.first) - area.near, facts.measure_row(area.last) + area.far
        start, end = facts.measure_time(one.start), facts.measure_time(one.end)
        yield [(start, near), (end, near), (end, far), (start, far), (start, near)]
        for case in one.cases:
            time = facts.measure_time(case.time)
            yield [(time, near), (time, far)]
