"""Arrows between spans: dependencies, messages, and the critical path from lane to lane."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from tikzgen.layout.chart import Chart
from tikzgen.layout.extent import Extent
from tikzgen.layout.items import Item
from tikzgen.layout.length import Length, number, param
from tikzgen.layout.marktexts import stem
from tikzgen.layout.plan import INNER, SIZES, Plan
from tikzgen.layout.timelineitems import Path, Spot
from tikzgen.layout.timelines.room import is_level
from tikzgen.layout.timelines.sheet import away, extent, moment
from tikzgen.layout.timelines.stack import RAIL
from tikzgen.model.timeline import Span

__all__ = ["extents", "items"]

_STYLES = {"critical": "critical arrow"}  # `critical` is the border of a span
_MANY = 40  # arrows in a timeline, beyond which they are drawn finer

# Where a span's node has its corners, by direction and whether its text stays level: the end and the beginning on the
# side of later lanes, the end and the beginning on the side of earlier ones, and the middles of these sides.
_CORNERS = {
    ("right", False): ("south east", "south west", "north east", "north west", "south", "north"),
    ("up", False): ("south east", "south west", "north east", "north west", "south", "north"),
    ("down", False): ("north east", "north west", "south east", "south west", "north", "south"),
    ("up", True): ("north east", "south east", "north west", "south west", "east", "west"),
    ("down", True): ("south east", "north east", "south west", "north west", "east", "west"),
}


def items(plan: Plan, chart: Chart) -> Iterator[Item]:
    """One arrow a dependency, from the end of its source to the beginning of its target; then the critical ones."""
    spans = dict(zip(chart.names, chart.part.spans, strict=True))
    dense = ("dense",) if len(chart.part.dependencies) > _MANY else ()
    small = number(SIZES[-1]) if plan.size > SIZES[-1] else ""
    for index, part in enumerate(chart.part.dependencies):
        if part.source == part.target:
            continue
        macro = plan.labels.macro(chart.panel, stem(chart, "dependency", index))
        way = _way(plan, chart, part.source, part.target, spans)
        styles = (_STYLES.get(part.kind, part.kind), *dense)
        yield Path(styles, way, macro, "west", pos=0.5, along=True, size=small, slide=part.slide or 0)
    drawn = {(part.source, part.target) for part in chart.part.dependencies}
    for first, second in pairwise(chart.part.critical):
        if not set(spans[first].lanes) & set(spans[second].lanes) and (first, second) not in drawn:
            yield Path(("critical arrow",), _way(plan, chart, first, second, spans))


def _way(plan: Plan, chart: Chart, first: str, second: str, spans: Mapping[str, Span]) -> tuple[Spot, ...]:
    """The points of an arrow: straight from lane to lane; within a lane, along a rail before it."""
    onward = _onward(chart, spans[first], spans[second])
    direction = chart.part.direction

    def anchor(name: str, which: int, dx: float = 0.0, dy: float = 0.0) -> Spot:
        level = direction != "right" and is_level(plan, chart.part, spans[name])
        node = f"{plan.name(chart.panel, name)}.{_CORNERS[direction, level][which]}"
        return Spot(dx=Length(dx), dy=Length(dy), name=node)

    if onward:
        return (anchor(first, 0), anchor(second, 3)) if onward > 0 else (anchor(first, 2), anchor(second, 1))
    rail = (0.0, RAIL) if direction == "right" else (-RAIL, 0.0)
    return (anchor(first, 5), anchor(first, 5, *rail), anchor(second, 5, *rail), anchor(second, 5))


def _onward(chart: Chart, source: Span, target: Span) -> float:
    return chart.place[target.lanes[0]] - chart.place[source.lanes[0]]


def extents(plan: Plan, chart: Chart) -> Iterator[Extent]:
    """What the texts beside arrows take."""
    if not any(part.label for part in chart.part.dependencies):
        return
    spans = dict(zip(chart.names, chart.part.spans, strict=True))
    for part in chart.part.dependencies:
        if not part.label or part.source == part.target:
            continue
        source, target = spans[part.source], spans[part.target]
        size = plan.measure(part.label, size=min(plan.size, SIZES[-1]))
        half = (size.height + size.depth) / 2 + INNER
        if _onward(chart, source, target):
            start = (moment(chart, source.end) + moment(chart, target.start)) * 0.5
            middle = away((chart.middle(source.lanes)[0] + chart.middle(target.lanes)[0]) / 2)
        else:
            start = (moment(chart, target.start) + moment(chart, target.end)) * 0.5
            middle = away(chart.place[target.lanes[0]]) - (param("laneheight", 0.5) + RAIL / 2)
        yield extent(chart, start, start + (size.width + 2 * INNER), middle - half, middle + half)
