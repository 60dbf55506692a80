"""Arrows between spans: dependencies, messages, and the critical path from lane to lane.

`route_dependencies` computes the corners that they join and the points between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from tikzgen.base.plane import PT_PER_CM, PlaceIndex, Point
from tikzgen.base.record import Record
from tikzgen.layout.constants import ARROW_LINES_PT, INNER, SIZES
from tikzgen.layout.scene.items import Item
from tikzgen.layout.symbolic_lengths import Length, SymbolicBox, make_length, number
from tikzgen.layout.time.labels_beside_arrows import (
    TEXT_TO_ARROW_CM,
    LaneOnPaper,
    Owner,
    Standing,
    choose_level_anchor,
    choose_place,
)
from tikzgen.layout.time.timed_items import PathItem, TimedPoint
from tikzgen.layout.timeline.arrow_routes import LaneCrossings
from tikzgen.layout.timeline.marks.labels_beside_lanes import RAIL_GAP
from tikzgen.layout.timeline.span_labels import is_level
from tikzgen.layout.timeline.spans import list_lanes_on_paper
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper
from tikzgen.model.timeline import Span

_STYLES = {"critical": "critical arrow"}  # `critical` is the border of a span
_MOST_THICK_ARROWS_COUNT = 40  # arrows in a timeline; more are drawn with a thinner line

_STRAIGHT_TOLERANCE = 1e-4  # cm
_BORDER_ARROW_CM = 0.3  # cm of an arrow over a border between two spans
_BORDER_ARROW_DROP_SHARE = 0.34  # of the lane thickness, below the middle of the lane
_RAILS = (RAIL_GAP, RAIL_GAP + 0.07, RAIL_GAP + 0.14)  # cm: distances of the rails of one lane that would overlap

# Anchors of a span's node, by direction and whether its label stays level. First the end and the beginning on the side
# of later lanes, then both on the side of earlier lanes. The middle of the latter side follows, then the middle of the
# end and of the beginning.
_CORNERS = {
    ("right", False): ("south east", "south west", "north east", "north west", "north", "east", "west"),
    ("up", False): ("south east", "south west", "north east", "north west", "north", "east", "west"),
    ("down", False): ("north east", "north west", "south east", "south west", "south", "east", "west"),
    ("up", True): ("north east", "south east", "north west", "south west", "west", "north", "south"),
    ("down", True): ("south east", "north east", "south west", "north west", "west", "south", "north"),
}


class DependencyArrow(Record):
    """An arrow with its styles and course, its dependency index (-1: none), and the position of its label."""

    styles: tuple[str, ...]
    course: ArrowPath
    place: int
    text: Standing | None = None


def route_dependencies(facts: TimelineOnPaper, others: Sequence[Sequence[Point]]) -> list[DependencyArrow]:
    """Return an arrow for each dependency, from the end of its source to the start of its target.

    Arrows of the critical path follow. Labels are clear of `others`, which are lines in cm.
    """
    dense = ("dense",) if len(facts.part.dependencies) > _MOST_THICK_ARROWS_COUNT else ()
    courses = Courses(facts)
    found = []
    for index, part in enumerate(facts.part.dependencies):
        if part.source != part.target:
            styles = (_STYLES.get(part.kind, part.kind), *dense)
            found.append(
                _route_dependency(courses, styles, part.source, part.target, index, curved=part.route == "bend")
            )
    drawn = {(part.source, part.target) for part in facts.part.dependencies}
    for first, second in pairwise(facts.part.critical):
        if not set(facts.spans[first].lanes) & set(facts.spans[second].lanes) and (first, second) not in drawn:
            found.append(_route_dependency(courses, ("critical arrow",), first, second))
    return list(_with_texts(facts, courses, found, others))


def _route_dependency(
    courses: Courses, styles: tuple[str, ...], first: str, second: str, place: int = -1, *, curved: bool = False
) -> DependencyArrow:
    course = courses.route_course(first, second, ARROW_LINES_PT[styles[-1]] / PT_PER_CM, curved=curved)
    return DependencyArrow((*styles, "bent arrow") if course.bent else styles, course, place)


def _with_texts(
    facts: TimelineOnPaper, courses: Courses, found: Sequence[DependencyArrow], others: Sequence[Sequence[Point]]
) -> Iterator[DependencyArrow]:
    """Yield the arrows with their label positions, each clear of earlier ones."""
    labels = [facts.part.dependencies[arrow.place].label if arrow.place >= 0 else "" for arrow in found]
    sizes = [_measure_arrow_label(facts, label) for label in labels]
    ways = [*(arrow.course.points for arrow in found), *others]
    drawn = PlaceIndex(ways, [size for label, size in zip(labels, sizes, strict=True) if label], TEXT_TO_ARROW_CM)
    for index, (arrow, label, size) in enumerate(zip(found, labels, sizes, strict=True)):
        if not label:
            yield arrow
            continue
        owner = Owner(range(index, index + 1), range(len(found)))
        text = choose_place(arrow.course.points, *size, courses.rows, drawn, owner=owner)
        drawn.place_box(index, text.box)
        yield DependencyArrow(arrow.styles, arrow.course, arrow.place, text)


def _measure_arrow_label(facts: TimelineOnPaper, label: str) -> tuple[float, float]:
    """Return the size of a label along time and across lanes in cm; it is level if time runs down."""
    if facts.is_upright:
        return facts.size_of(label, SIZES[-1])
    size = facts.plan.measure(label, size=SIZES[-1])
    return size.width, size.total


def arrow_parts(facts: TimelineOnPaper, found: Sequence[DependencyArrow]) -> Iterator[Item | SymbolicBox]:
    """Yield the arrows as paths, and the areas of their labels."""
    small = facts.plan.spelt_size(SIZES[-1])
    ruled = facts.part.rules is not None or bool(facts.part.axis and facts.part.axis.grid)
    for arrow in found:
        way, text, curved = arrow.course.spots, arrow.text, arrow.course.curved
        if arrow.place < 0:
            yield PathItem(arrow.styles, way, bent=curved)
            continue
        macro = facts.find_field_macro("dependencies", arrow.place, "label")
        slide = facts.part.dependencies[arrow.place].slide or 0
        side = _anchor(facts, text) if text else "west"
        share, leg = (text.share, 0 if curved else text.leg % (len(way) - 1)) if text else (0.5, 0)
        yield PathItem(
            arrow.styles,
            way,
            macro,
            side,
            pos=share,
            along=not facts.is_upright,
            size=small,
            slide=slide,
            leg=leg,
            clear=ruled and bool(macro),
            bent=curved,
        )
        if text:
            yield facts.make_padded_extent(text.box, INNER)


def _anchor(facts: TimelineOnPaper, text: Standing) -> str:
    """Return the side or corner of a label that faces its arrow; labels are level if time runs down."""
    across, along = text.side
    if facts.is_upright:
        return choose_level_anchor(text, right=False)
    feet = {"before": facts.choose_facing_anchor("before"), "after": facts.choose_facing_anchor("after")}
    return " ".join(filter(None, (feet.get(across), {"late": "west", "early": "east"}.get(along))))


class ArrowPath(Record):
    """The points of an arrow as written and in cm; whether it bends around labels.

    A `curved` arrow is written by its ends and control points; `points` approximate it by the line between its ends.
    """

    spots: tuple[TimedPoint, ...]
    points: tuple[Point, ...]
    bent: bool = False
    curved: bool = False


class Courses:
    """Builder of the courses of a timeline's arrows; each course avoids earlier ones."""

    def __init__(self, facts: TimelineOnPaper) -> None:
        self._facts, self._spans = facts, facts.spans
        self._order = {lane.id: place for place, lane in enumerate(facts.part.lanes)}
        self._rails: list[tuple[str, float, float, int]] = []

    @cached_property
    def rows(self) -> list[LaneOnPaper]:
        """The lanes with their contents, computed when the first arrow crosses one."""
        return list_lanes_on_paper(self._facts)

    @cached_property
    def _crossings(self) -> LaneCrossings:
        return LaneCrossings(self.rows)

    def route_course(self, first: str, second: str, width: float, *, curved: bool) -> ArrowPath:
        """Return the course from the end of one span to the start of another, with a line `width` cm wide.

        The course is straight from lane to lane unless it would cross a label. Within a lane, it follows a rail before
        the lane. A `curved` course ignores labels.
        """
        source, target = self._spans[first], self._spans[second]
        shared = self._lane_in_common(source, target)
        if shared is not None:
            return self._route_on_lane(first, second, shared)
        onward = self._facts.place[target.lanes[0]] - self._facts.place[source.lanes[0]]
        if not onward:
            return self._route_on_rail(first, second)
        step = 1 if onward > 0 else -1
        leaves, reaches = self._lanes_of(source)[::step][-1], self._lanes_of(target)[::step][0]
        start, goal = self._measure_time(source.end), self._measure_time(target.start)
        ends = (start, self._find_lane_edge(leaves, step)), (goal, self._find_lane_edge(reaches, -step))
        leaving, reaching = (0, 3) if step > 0 else (2, 1)
        corners = self._make_corner_point(first, leaving), self._make_corner_point(second, reaching)
        if curved:
            controls = self._find_control_points((source.end, leaves), (target.start, reaches), step)
            return ArrowPath((corners[0], *controls, corners[1]), ends, curved=True)
        crossed: Sequence[tuple[int, float]] = ()
        if (reaches - leaves) * step > 1:
            crossed = self._crossings.route_between_lanes(leaves, reaches, start, goal, width)
        between = self._list_bends(crossed, step, start, goal)
        spots = corners[0], *(at for at, _ in between), corners[1]
        return ArrowPath(spots, (ends[0], *(at for _, at in between), ends[1]), bool(between))

    def _find_control_points(
        self, leaves: tuple[Fraction, int], reaches: tuple[Fraction, int], step: int
    ) -> tuple[TimedPoint, TimedPoint]:
        """Return the control points of a curve from a time on one lane to a time on another.

        Both are at half the distance between the lanes.
        """
        (start, source), (goal, target) = leaves, reaches
        half = (self._find_row(target) - self._find_row(source)) / 2
        border, off = (
            make_length("laneheight", step / 2),
            make_length("laneheight", half - step / 2) + make_length("lanesep", half),
        )
        near = self._facts.make_point(start, self._find_row(source), off=border + off)
        far = self._facts.make_point(goal, self._find_row(target), off=-border - off)
        return near, far

    def _lane_in_common(self, source: Span, target: Span) -> int | None:
        """Return the lane on which an arrow runs straight to or from a span over several lanes, if any."""
        mine = self._lanes_of(target)
        lanes = [lane for lane in self._lanes_of(source) if lane in mine]
        if not lanes or len(source.lanes) == len(target.lanes) == 1 or target.start < source.end:
            return None
        lane = lanes[len(lanes) // 2]
        start, goal = self._measure_time(source.end), self._measure_time(target.start)
        free = all(
            high <= start + _STRAIGHT_TOLERANCE or goal - _STRAIGHT_TOLERANCE <= low
            for low, high in self.rows[lane].spans
        )
        return lane if free else None

    def _route_on_lane(self, first: str, second: str, lane: int) -> ArrowPath:
        """Return a straight course from the end of one span to the start of another on one lane.

        If they touch, a short arrow crosses the border between them, below the labels.
        """
        source, target = self._spans[first], self._spans[second]
        start, goal = self._measure_time(source.end), self._measure_time(target.start)
        over, low = (0.0, 0.0) if goal - start > _BORDER_ARROW_CM else (_BORDER_ARROW_CM / 2, _BORDER_ARROW_DROP_SHARE)
        ends = []
        for name, span, which, time, by in (
            (first, source, 5, source.end, -over),
            (second, target, 6, target.start, over),
        ):
            if over or len(span.lanes) > 1:
                ends.append(
                    self._facts.make_point(time, self._find_row(lane), along=by, off=make_length("laneheight", low))
                )
            else:
                ends.append(self._make_corner_point(name, which))
        near, far = self._find_lane_edge(lane, -1), self._find_lane_edge(lane, 1)
        away = (near + far) / 2 + low * (far - near)
        return ArrowPath(tuple(ends), ((start - over, away), (goal + over, away)))

    def _measure_time(self, time: Fraction) -> float:
        return self._facts.measure_time(time)

    def _lanes_of(self, span: Span) -> list[int]:
        return sorted(self._order[lane] for lane in span.lanes)

    def _find_row(self, lane: int) -> float:
        return self._facts.place[self._facts.part.lanes[lane].id]

    def _find_lane_edge(self, lane: int, step: int) -> float:
        return self._find_row(lane) * self._facts.pitch + step * self._facts.plan.values["laneheight"] / 2

    def _make_corner_point(self, name: str, which: int, dx: float = 0.0, dy: float = 0.0) -> TimedPoint:
        direction = self._facts.part.direction
        level = direction != "right" and is_level(self._facts, self._spans[name])
        node = f"{self._facts.name(name)}.{_CORNERS[direction, level][which]}"
        return TimedPoint(dx=Length(dx), dy=Length(dy), name=node)

    def _list_bends(
        self, crossed: Sequence[tuple[int, float]], step: int, start: float, goal: float
    ) -> list[tuple[TimedPoint, Point]]:
        """Return the bends of an arrow at the edges of the crossed lanes, except where it is straight."""
        moments = [start, *(at for _, at in crossed), goal]
        found = []
        for (lane, at), before, after in zip(crossed, moments, moments[2:], strict=False):
            time = number(at / self._facts.plan.values["timeunit"], 4)
            for side, other in ((-step, before), (step, after)):
                if abs(at - other) > _STRAIGHT_TOLERANCE:
                    place = self._facts.make_point(
                        time, self._find_row(lane), off=make_length("laneheight", 0.5 * side)
                    )
                    found.append((place, (at, self._find_lane_edge(lane, side))))
        return found

    def _route_on_rail(self, first: str, second: str) -> ArrowPath:
        """Return the course between the middles of two spans, on a free rail before their lane."""
        source, target = self._spans[first], self._spans[second]
        start, goal = (self._measure_time(span.start + span.duration / 2) for span in (source, target))
        low, high, lane = min(start, goal), max(start, goal), source.lanes[0]
        taken = {rail for at, one, other, rail in self._rails if at == lane and one < high and low < other}
        rail = next((rail for rail in range(len(_RAILS)) if rail not in taken), 0)
        self._rails.append((lane, low, high, rail))
        up = _RAILS[rail]
        shift = (0.0, up) if self._facts.right else (-up, 0.0)
        spots = (
            self._make_corner_point(first, 4),
            self._make_corner_point(first, 4, *shift),
            self._make_corner_point(second, 4, *shift),
            self._make_corner_point(second, 4),
        )
        edge = self._find_lane_edge(self._lanes_of(source)[0], -1)
        points = (start, edge), (start, edge - up), (goal, edge - up), (goal, edge)
        return ArrowPath(spots, points)
