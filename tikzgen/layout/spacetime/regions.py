"""Regions over lifelines: frames with a tab and guards, which stand in a band of their own before the first lifeline,
inside of the frame, so that no arrow between its lifelines strikes them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tikzgen.base.record import Record
from tikzgen.layout.attempt import Plan
from tikzgen.layout.constants import INNER
from tikzgen.layout.extent import Extent
from tikzgen.layout.items import Item
from tikzgen.layout.length import number, param
from tikzgen.layout.number_words import spell
from tikzgen.layout.spacetime.spacetime_items import LifeBar
from tikzgen.layout.spacetime.texts_beside import label_size, size_of
from tikzgen.layout.spacetime.weave import Weave
from tikzgen.layout.timeline.directions import extent, spot
from tikzgen.layout.timeline.timeline_items import Label, Path
from tikzgen.plane.rectangles import Box, Point

_PAD = 0.2  # cm between a lifeline and the frame around it, or between two frames
_GAP = 0.08  # cm between a band and the lifeline


class Area(Record):
    """A region on paper: its place in the list, its lifelines, and how far beyond them its frame lies, in cm."""

    index: int
    first: int
    last: int
    near: float
    far: float


def region_stem(index: int, mark: str) -> str:
    """The stem of the macro of a region's tab."""
    return f"region{spell(index + 1)}label{mark}"


def guard_stem(index: int, mark: str) -> str:
    """The stem of the macro of a region's guard."""
    return f"region{spell(index + 1)}guard{mark}"


def case_stem(index: int, case: int, mark: str) -> str:
    """The stem of the macro of the guard of one of its other cases."""
    return f"region{spell(index + 1)}case{spell(case + 1)}{mark}"


def _size(plan: Plan, weave: Weave, text: str) -> tuple[float, float]:
    """How far a text with the room around it reaches along time and across it; nothing where there is none."""
    if not text:
        return 0.0, 0.0
    along, across = size_of(plan, weave, text)
    return along + 2 * INNER, across + 2 * INNER


def areas(plan: Plan, weave: Weave) -> list[Area]:
    """All regions, those around others first: a frame goes round the frames in it."""
    found: dict[int, Area] = {}
    regions = list(enumerate(weave.part.regions))
    sizes = [(one.end - one.start, len(weave.rows(one.lifelines))) for one in weave.part.regions]
    for index, one in sorted(regions, key=lambda each: sizes[each[0]]):
        rows = weave.rows(one.lifelines)
        first, last = rows[0], rows[-1]
        texts = [one.label, one.guard, *(case.guard for case in one.cases)]
        band = max(_size(plan, weave, text)[1] for text in texts)
        within = [found[place] for place, other in regions if place in found and other.start >= one.start]
        within = [area for area in within if weave.part.regions[area.index].end <= one.end]
        near = max([_PAD, *(area.near + _GAP for area in within if area.first == first)])
        far = max([_PAD, *(area.far + _GAP for area in within if area.last == last)])
        found[index] = Area(index, first, last, near + (band and band + _GAP), far)
    return list(reversed(found.values()))


def around(plan: Plan, weave: Weave) -> tuple[float, float]:
    """How far frames lie before the first lifeline, and beyond the last one, in cm."""
    found, last = areas(plan, weave), len(weave.part.lifelines) - 1
    near = max((area.near for area in found if area.first == 0), default=0.0)
    return near, max((area.far for area in found if area.last == last), default=0.0)


def region_items(plan: Plan, weave: Weave, *, behind: bool) -> Iterator[Item]:
    """The frames, which lie `behind` all else, or what stands in them: tabs, guards, and lines between cases."""
    size = label_size(plan)
    small = number(size) if size != plan.size else ""
    for area in areas(plan, weave):
        one = weave.part.regions[area.index]
        color = one.color or "otgray"
        if behind:
            corner = spot(weave, _time(weave, one.start), area.first, off=-area.near)
            far = spot(weave, _time(weave, one.end), area.last, off=area.far)
            yield LifeBar((f"{'filled ' if one.color else ''}region={color}",), corner, far)
            continue
        for case in one.cases:
            ends = ((area.first, -area.near), (area.last, area.far))
            spots = tuple(spot(weave, _time(weave, case.time), row, off=off) for row, off in ends)
            yield Path((f"region case={color}",), spots)
        for time, along, _, stem, style in _texts(plan, weave, area):
            macro = plan.labels.macro(weave.panel, stem)
            place = spot(weave, _time(weave, time), area.first, along=along, off=-area.near)
            yield Label((macro,), place, "north west", (style,), small)


def _texts(plan: Plan, weave: Weave, area: Area) -> Iterator[tuple[Fraction, float, tuple[float, float], str, str]]:
    """Its texts: from which moment on, how far after it in cm, how large, which macro, in which style."""
    one, mark = weave.part.regions[area.index], weave.mark
    tab = _size(plan, weave, one.label)
    if one.label:
        yield one.start, 0.0, tab, region_stem(area.index, mark), f"region tab={one.color or 'otgray'}"
    if one.guard:
        yield one.start, tab[0], _size(plan, weave, one.guard), guard_stem(area.index, mark), "slbl"
    for place, case in enumerate(one.cases):
        if case.guard:
            yield case.time, 0.0, _size(plan, weave, case.guard), case_stem(area.index, place, mark), "slbl"


def region_boxes(plan: Plan, weave: Weave) -> Iterator[Box]:
    """The places of their texts, in cm along time and away from the first lifeline."""
    unit, apart = plan.values["timeunit"], plan.values["lifelinesep"]
    for area in areas(plan, weave):
        for time, along, (long, deep), _, _ in _texts(plan, weave, area):
            start, near = float(time / weave.unit) * unit + along, area.first * apart - area.near
            yield start, near, start + long, near + deep


def region_ways(plan: Plan, weave: Weave) -> Iterator[list[Point]]:
    """Their lines, in the same directions: texts had better stand clear of them."""
    unit, apart = plan.values["timeunit"], plan.values["lifelinesep"]
    for area in areas(plan, weave):
        one = weave.part.regions[area.index]
        near, far = area.first * apart - area.near, area.last * apart + area.far
        start, end = (float(time / weave.unit) * unit for time in (one.start, one.end))
        yield [(start, near), (end, near), (end, far), (start, far), (start, near)]
        for case in one.cases:
            time = float(case.time / weave.unit) * unit
            yield [(time, near), (time, far)]


def region_extents(plan: Plan, weave: Weave) -> Iterator[Extent]:
    """The paper that they take."""
    for area in areas(plan, weave):
        one = weave.part.regions[area.index]
        near, far = param("lifelinesep", area.first) - area.near, param("lifelinesep", area.last) + area.far
        start, end = (param("timeunit", float(time / weave.unit)) for time in (one.start, one.end))
        yield extent(weave, start, end, near, far)
        for time, along, (long, _), _, _ in _texts(plan, weave, area):
            begin = param("timeunit", float(time / weave.unit)) + along
            yield extent(weave, begin, begin + long, near, far)


def _time(weave: Weave, time: Fraction) -> str:
    return number(float(time / weave.unit), 4)
