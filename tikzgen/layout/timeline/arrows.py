"""Arrows between spans: dependencies, messages, and the critical path from lane to lane."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tikzgen.base.record import Record
from tikzgen.layout.constants import ARROW_LINES_PT, INNER, SIZES
from tikzgen.layout.items import Item
from tikzgen.layout.lengths import Extent, number, param
from tikzgen.layout.plan import Plan
from tikzgen.layout.timeline.arrow_ends import Course, Courses
from tikzgen.layout.timeline.arrow_labels import LINE, Standing, standing
from tikzgen.layout.timeline.directions import away, extent, foot, pitch
from tikzgen.layout.timeline.timeline_items import Path
from tikzgen.layout.timeline_facts import Chart
from tikzgen.model.timeline_marks import Dependency
from tikzgen.plane.drawn import Drawn
from tikzgen.plane.units import PT_PER_CM

_STYLES = {"critical": "critical arrow"}  # `critical` is the border of a span
_MANY = 40  # arrows in a timeline, beyond which they are drawn finer


class Arrow(Record):
    """An arrow with its styles and its course; with the dependency that it stands for, if any, and where that has its
    text."""

    styles: tuple[str, ...]
    course: Course
    place: int = -1
    text: Standing | None = None


def arrows(plan: Plan, chart: Chart) -> list[Arrow]:
    """One arrow a dependency, from the end of its source to the beginning of its target; then the critical ones."""
    spans = dict(zip(chart.names, chart.part.spans, strict=True))
    dense = ("dense",) if len(chart.part.dependencies) > _MANY else ()
    courses = Courses(plan, chart, spans)
    found = []
    for index, part in enumerate(chart.part.dependencies):
        if part.source != part.target:
            styles = (_STYLES.get(part.kind, part.kind), *dense)
            found.append(_arrow(courses, styles, part.source, part.target, index, curved=part.route == "bend"))
    drawn = {(part.source, part.target) for part in chart.part.dependencies}
    for first, second in pairwise(chart.part.critical):
        if not set(spans[first].lanes) & set(spans[second].lanes) and (first, second) not in drawn:
            found.append(_arrow(courses, ("critical arrow",), first, second))
    return list(_with_texts(plan, chart.part.dependencies, courses, found))


def _arrow(
    courses: Courses, styles: tuple[str, ...], first: str, second: str, place: int = -1, *, curved: bool = False
) -> Arrow:
    course = courses.course(first, second, ARROW_LINES_PT[styles[-1]] / PT_PER_CM, curved=curved)
    return Arrow((*styles, "bent arrow") if course.bent else styles, course, place)


def _with_texts(plan: Plan, parts: Sequence[Dependency], courses: Courses, found: Sequence[Arrow]) -> Iterator[Arrow]:
    """The arrows with the places of their texts, each clear of those before it."""
    labels = [parts[arrow.place].label if arrow.place >= 0 else "" for arrow in found]
    sizes = [_size(plan, label) for label in labels]
    ways = [arrow.course.points for arrow in found]
    drawn = Drawn(ways, [size for label, size in zip(labels, sizes, strict=True) if label], LINE)
    for index, (arrow, label, size) in enumerate(zip(found, labels, sizes, strict=True)):
        if not label:
            yield arrow
            continue
        text = standing(arrow.course.points, *size, courses.rows, drawn)
        drawn.put(index, text.box)
        yield Arrow(arrow.styles, arrow.course, arrow.place, text)


def _size(plan: Plan, label: str) -> tuple[float, float]:
    size = plan.measure(label, size=min(plan.size, SIZES[-1]))
    return size.width, size.height + size.depth


def arrow_parts(plan: Plan, chart: Chart, found: Sequence[Arrow]) -> Iterator[Item | Extent]:
    """The arrows as paths, with the paper that their texts take."""
    small = number(SIZES[-1]) if plan.size > SIZES[-1] else ""
    unit = plan.values["timeunit"]
    for arrow in found:
        way, text, curved = arrow.course.spots, arrow.text, arrow.course.curved
        if arrow.place < 0:
            yield Path(arrow.styles, way, bent=curved)
            continue
        macro = plan.labels.of(*chart.at, "dependencies", arrow.place, "label")
        slide = chart.part.dependencies[arrow.place].slide or 0
        side = _anchor(chart, text) if text else "west"
        share, leg = (text.share, 0 if curved else text.leg % (len(way) - 1)) if text else (0.5, 0)
        yield Path(arrow.styles, way, macro, side, pos=share, along=True, size=small, slide=slide, leg=leg, bent=curved)
        if text:
            start, near, stop, far = text.box
            time, row = param("timeunit", (start + stop) / 2 / unit), away((near + far) / 2 / pitch(plan))
            long, deep = (stop - start) / 2 + INNER, (far - near) / 2 + INNER
            yield extent(chart, time - long, time + long, row - deep, row + deep)


def _anchor(chart: Chart, text: Standing) -> str:
    """The side or corner of a text that looks to its arrow: texts run along time."""
    across, along = text.side
    feet = {"before": foot(chart, "before"), "after": foot(chart, "after")}
    return " ".join(filter(None, (feet.get(across), {"late": "west", "early": "east"}.get(along))))
