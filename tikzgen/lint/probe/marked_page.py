"""A page before it is read: its paths and texts with the probe's marks around them, and what the probe wrote of each.

Of a PDF that TeX made, or of a drawing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from tikzgen.base.plane import Box, Point, intersect_boxes, surround
from tikzgen.base.record import Record
from tikzgen.lint.probe.page_data import NodeRecord, Raster, Where
from tikzgen.model.looks.vision import Color

Clips = tuple[tuple[tuple[Point, ...], ...], ...]
"""What a thing is clipped to: paths, each of some polygons."""


class MarkedPath(Record):
    """A path; `clip` is a box without area where nothing of it shows.

    `clips` are the clips that consist of several areas, such as the cells that one hatching fills; `shaded` tells that
    it has no single colour.
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


class MarkedText(Record):
    """Text that was set in one go: the corners of its ink, its origin and direction on the page, its size in pt.

    `leapt` tells that it stands apart from the one before, in the same object of the PDF; `clip` is the box outside
    which nothing of it shows; `group` is where, among the page's things, a transparent group begins that it belongs to.
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


Marked = MarkedPath | MarkedText


class MarkedPage(Record):
    """A page, its size in pt; `raster` is how it looks without its texts, where something is shaded."""

    width: float
    height: float
    things: tuple[Marked, ...]
    raster: Raster | None = None


def clip_box(clips: Clips) -> Box | None:
    """The box outside which nothing shows: clips that are no boxes are taken for larger ones."""
    found: Box | None = None
    for clip in clips:
        points = [point for line in clip for point in line]
        if not points:
            return (0.0, 0.0, 0.0, 0.0)
        left, bottom, right, top = surround(points) if found is None else intersect_boxes(found, surround(points))
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


def without(marks: tuple[str, ...], opened: Collection[str]) -> tuple[str, ...]:
    """The marks without large pictures that stand in a node, such as the axis of a plot, and without that node: what
    is drawn there counts as drawn on the page."""
    return tuple(mark for mark in marks if mark not in opened) if opened else marks


def depth(marks: Sequence[str]) -> int:
    """How many pictures there are around the outermost one's contents: 0 on the page, 1 in an icon."""
    return max(sum(mark[0] == "P" for mark in marks) - 1, 0)


def inside(marks: Sequence[str]) -> tuple[int, ...]:
    """The numbers of the nodes that a thing is drawn in."""
    return tuple(int(mark[1:]) for mark in marks if mark[0] == "N")


def where_drawn(marks: Sequence[str], records: Records) -> Where:
    """Where the innermost mark with a place was drawn; an icon's parts stand where the icon is used."""
    for mark in reversed(marks):
        if (place := records.places.get(int(mark[1:]))) is not None:
            return place
    return Where(0, 0)


_EMPTY_CORNER_PT = 15000.0  # a picture that draws nothing has its corners at 16000 pt


@dataclass
class Records:
    """By the number of the mark; `cells` are the pictures that TeX sets a matrix with, `paper` is the colour of that
    name, where the figure has one."""

    nodes: dict[int, NodeRecord] = field(default_factory=dict)
    places: dict[int, Where] = field(default_factory=dict)
    boxes: dict[int, Box | None] = field(default_factory=dict)
    cells: set[int] = field(default_factory=set)
    paper: Color | None = None


def records_by_figure(text: str) -> list[list[str]]:
    """The lines of the probe's file, for each figure of a run."""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if not line.startswith("F|"):
            found[-1].append(line)
        elif int(line[2:]):  # that of the first figure stands where there is one already
            found.append([])
    return found


def read_records(lines: Iterable[str], own: str) -> Records:
    """What the probe wrote of one figure; `own` is the file whose lines need no file's name."""
    records = Records()
    counts: dict[tuple[str, int], int] = {}
    for line in lines:
        kind, _, rest = line.partition("|")
        facts = rest.split("|", 9) if kind == "N" else rest.split("|")
        if kind == "C":
            records.paper = _rgb(facts[0])
            continue
        number, last = int(facts[0]), int(facts[1])
        file = "" if facts[2] in (own, "", own.removesuffix(".tex")) or facts[2].startswith("body") else facts[2]
        where = Where(int((facts[3] if kind == "Q" else "") or last), last, file)
        records.places[number] = where
        if kind == "N":
            counts[file, last] = counts.get((file, last), -1) + 1
            records.nodes[number] = _node(facts, where, counts[file, last])
        elif kind == "P":
            records.boxes[number] = _box(facts[3:7])
            if facts[7] == "M":
                records.cells.add(number)
    return records


def _node(facts: list[str], where: Where, order: int) -> NodeRecord:
    width, height, depth = (float(length.removesuffix("pt")) for length in facts[4:7])
    return NodeRecord(facts[9], facts[3], (width, height, depth), (facts[7], facts[8]), where, order)


def _box(corners: list[str]) -> Box | None:
    left, bottom, right, top = (float(length.removesuffix("pt")) for length in corners)
    return None if abs(left) > _EMPTY_CORNER_PT else (left, bottom, right, top)


def _rgb(digits: str) -> Color | None:
    try:
        red, green, blue = (byte / 255 for byte in bytes.fromhex(digits))
    except ValueError:
        return None
    return red, green, blue
