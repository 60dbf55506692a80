"""Arrows between spans: dependencies, messages, and the critical path from lane to lane."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tikzgen.layout.chart import Chart
from tikzgen.layout.length import number
from tikzgen.layout.marktexts import stem
from tikzgen.layout.plan import SIZES, Plan
from tikzgen.layout.scene import Item, Path, Spot
from tikzgen.layout.timelines.room import is_level
from tikzgen.model.timeline import Span

__all__ = ["items"]

_STYLES = {"critical": "critical arrow"}  # `critical` is the border of a span
_MANY = 40  # arrows in a timeline, beyond which they are drawn finer
_TURN = 40  # degrees by which an arrow within a lane bends aside

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
        macro = plan.labels.macro(chart.panel, stem(chart, "dependency", index))
        ends = _ends(plan, chart, part.source, part.target, spans)
        yield Path(
            (_STYLES.get(part.kind, part.kind), *dense),
            ends[:2],
            macro,
            anchor="west" if chart.part.direction == "right" else "south",
            pos=0.5,
            size=small,
            bend=ends[2],
            slide=part.slide or 0,
        )
    drawn = {(part.source, part.target) for part in chart.part.dependencies}
    for first, second in pairwise(chart.part.critical):
        if not set(spans[first].lanes) & set(spans[second].lanes) and (first, second) not in drawn:
            ends = _ends(plan, chart, first, second, spans)
            yield Path(("critical arrow",), ends[:2])


def _ends(plan: Plan, chart: Chart, first: str, second: str, spans: dict[str, Span]) -> tuple[Spot, Spot, int]:
    source, target = spans[first], spans[second]
    onward = chart.place[target.lanes[0]] - chart.place[source.lanes[0]]

    def anchor(name: str, which: int) -> Spot:
        span = spans[name]
        direction = chart.part.direction
        level = direction != "right" and is_level(plan, chart.part, span)
        return Spot(name=f"{plan.name(chart.panel, name)}.{_CORNERS[direction, level][which]}")

    if onward == 0:
        turn = _TURN if chart.part.direction != "down" else -_TURN
        return anchor(first, 5), anchor(second, 5), turn if target.start >= source.start else -turn
    if onward > 0:
        return anchor(first, 0), anchor(second, 3), 0
    return anchor(first, 2), anchor(second, 1), 0
