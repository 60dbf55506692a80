"""A page before analysis: its paths and labels with the probe's marks, and the probe's records.

The page comes from a PDF that TeX made, or from a drawing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from tikzgen.base.plane import Box, Point, compute_bounding_box, intersect_boxes
from tikzgen.base.record import Record
from tikzgen.lint.probe.page_data import NodeRecord, Raster, Where
from tikzgen.model.looks.vision import Color

Clips = tuple[tuple[tuple[Point, ...], ...], ...]
"""Clipping paths of an element, each of one or more polygons."""


class MarkedPath(Record):
    """A path; `clip` is a box without area if the path is not visible.

    `clips` are the clips that consist of several areas, such as the cells that one hatching fills. `shaded` is true if
    it has no single color. `gap` is the smallest gap of a dashed stroke, 0 if it is solid.
    """

    marks: tuple[str, ...]
    lines: tuple[tuple[Point, ...], ...]
    stroke: Color | None
    fill: Color | None
    width: float
    dash: float
    clip: Box | None
    clips: Clips = ()
    stroke_opacity: float = 1.0
    fill_opacity: float = 1.0
    shaded: bool = False
    gap: float = 0.0


class MarkedText(Record):
    """Text of one run: the corners of its ink, its origin and direction on the page, and its size in pt.

    `leapt` is true if a gap separates it from the previous run of the same PDF object. `clip` is the box outside which
    it is invisible. `group` is the index of the object at which its transparent group begins. `font` is the name of
    its font.
    """

    marks: tuple[str, ...]
    words: str
    corners: tuple[Point, Point, Point, Point]
    origin: Point
    direction: Point
    size: float
    color: Color
    leapt: bool
    opacity: float
    clip: Box | None
    group: int | None = None
    group_opacity: float = 1.0
    font: str = ""


Marked = MarkedPath | MarkedText


class MarkedPage(Record):
    """A page with its size in pt; `raster` is its image without labels if something is shaded."""

    width: float
    height: float
    things: tuple[Marked, ...]
    raster: Raster | None = None


def clip_box(clips: Clips) -> Box | None:
    """Return the box outside which everything is clipped; other clip shapes count as their boxes."""
    found: Box | None = None
    for clip in clips:
        points = [point for line in clip for point in line]
        if not points:
            return (0.0, 0.0, 0.0, 0.0)
        left, bottom, right, top = (
            compute_bounding_box(points) if found is None else intersect_boxes(found, compute_bounding_box(points))
        )
        found = (left, bottom, max(right, left), max(top, bottom))
    return found


_T = TypeVar("_T")


def group_items(items: Iterable[_T], continues: Callable[[list[_T], _T], bool]) -> Iterator[list[_T]]:
    """Group consecutive items for as long as each `continues` the group before it."""
    group: list[_T] = []
    for item in items:
        if group and not continues(group, item):
            yield group
            group = []
        group.append(item)
    if group:
        yield group


def without_opened(marks: tuple[str, ...], opened: Collection[str]) -> tuple[str, ...]:
    """Return the marks without large pictures inside a node, such as plot axes, and without that node.

    The contents of such pictures count as drawn on the page.
    """
    return tuple(mark for mark in marks if mark not in opened) if opened else marks


def count_depth(marks: Sequence[str]) -> int:
    """Return the nesting depth of pictures: 0 on the page, 1 in an icon."""
    return max(sum(mark[0] == "P" for mark in marks) - 1, 0)


def list_enclosing_nodes(marks: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of the nodes inside which an object is drawn."""
    return tuple(int(mark[1:]) for mark in marks if mark[0] == "N")


def where_drawn(marks: Sequence[str], records: Records) -> Where:
    """Return the source lines of the innermost mark that has them; for parts of an icon, of its use."""
    for mark in reversed(marks):
        if (place := records.places.get(int(mark[1:]))) is not None:
            return place
    return Where(0, 0)


_EMPTY_CORNER_PT = 15000.0  # pt: an empty picture has its corners at 16000 pt


@dataclass
class Records:
    """Records of the probe, by the number of the mark.

    `cells` are the pictures that TeX uses to set a matrix. `paper` is the color of that name, if the figure has one.
    """

    nodes: dict[int, NodeRecord] = field(default_factory=dict)
    places: dict[int, Where] = field(default_factory=dict)
    boxes: dict[int, Box | None] = field(default_factory=dict)
    cells: set[int] = field(default_factory=set)
    paper: Color | None = None


def records_by_figure(text: str) -> list[list[str]]:
    """Return the lines of the probe's file, for each figure of a run."""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if not line.startswith("F|"):
            found[-1].append(line)
        elif int(line[2:]):  # the first figure already has a list
            found.append([])
    return found


def read_records(lines: Iterable[str], own: str) -> Records:
    """Return the probe's records of one figure; `own` is the name of its source file in the run."""
    records = Records()
    counts: dict[tuple[str, int], int] = {}
    for line in lines:
        kind, _, rest = line.partition("|")
        facts = rest.split("|", 9) if kind == "N" else rest.split("|")
        if kind == "C":
            records.paper = _read_rgb(facts[0])
            continue
        number, last = int(facts[0]), int(facts[1])
        file = "" if facts[2] in (own, "", own.removesuffix(".tex")) or facts[2].startswith("body") else facts[2]
        where = Where(int((facts[3] if kind == "Q" else "") or last), last, file)
        records.places[number] = where
        if kind == "N":
            counts[file, last] = counts.get((file, last), -1) + 1
            records.nodes[number] = _read_node_record(facts, where, counts[file, last])
        elif kind == "P":
            records.boxes[number] = _read_box(facts[3:7])
            if facts[7] == "M":
                records.cells.add(number)
    return records


def _read_node_record(facts: list[str], where: Where, order: int) -> NodeRecord:
    width, height, depth = (float(length.removesuffix("pt")) for length in facts[4:7])
    return NodeRecord(facts[9], facts[3], (width, height, depth), (facts[7], facts[8]), where, order)


def _read_box(corners: list[str]) -> Box | None:
    left, bottom, right, top = (float(length.removesuffix("pt")) for length in corners)
    return None if abs(left) > _EMPTY_CORNER_PT else (left, bottom, right, top)


def _read_rgb(digits: str) -> Color | None:
    try:
        red, green, blue = (byte / 255 for byte in bytes.fromhex(digits))
    except ValueError:
        return None
    return red, green, blue
