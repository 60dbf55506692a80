"""What the probe wrote beside the PDF: for each mark its name, shape and lines of the source."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.model.vision import Color
from tikzgen.plane.rectangles import Box
from tikzgen.probe.page_data import Where

_NUMBER = pattern_of(r"-?\d+(?:\.\d+)?")
_NOWHERE = 15000.0  # a picture that draws nothing has its corners at 16000 pt
_Six = tuple[float, float, float, float, float, float]


class NodeRecord(Record):
    """A node as TeX knew it; `order` counts from 0 the nodes that the same line of the source drew."""

    name: str
    shape: str
    text: tuple[float, float, float]
    separation: tuple[str, str]
    transformation: _Six
    where: Where
    order: int


@dataclass(slots=True)
class Records:
    """By the number of the mark; `cells` are the pictures that TeX sets a matrix with, `paper` is the colour of that
    name, where the figure has one."""

    nodes: dict[int, NodeRecord] = field(default_factory=dict)
    places: dict[int, Where] = field(default_factory=dict)
    boxes: dict[int, Box | None] = field(default_factory=dict)
    cells: set[int] = field(default_factory=set)
    paper: Color | None = None


def read_records(lines: Iterable[str], own: str) -> list[Records]:
    """The records of each figure of a run; `own` is the file whose lines need no file's name."""
    found = [Records()]
    counts: dict[tuple[str, int], int] = {}
    for line in lines:
        kind, _, rest = line.partition("|")
        if kind == "F":
            counts = {}
            if int(rest):
                found.append(Records())
            continue
        facts = rest.split("|", 9) if kind == "N" else rest.split("|")
        records = found[-1]
        if kind == "C":
            records.paper = _rgb(facts[0])
            continue
        last = int(facts[1])
        file = "" if facts[2] in (own, "", own.removesuffix(".tex")) or facts[2].startswith("body") else facts[2]
        if kind == "N":
            where = Where(last, last, file)
            counts[file, last] = counts.get((file, last), -1) + 1
            records.nodes[int(facts[0])] = _node(facts, where, counts[file, last])
        elif kind == "Q":
            where = Where(int(facts[3] or last), last, file)
        else:
            where = Where(last, last, file)
        records.places[int(facts[0])] = where
        if kind == "P":
            records.boxes[int(facts[0])] = _box(facts[3:7])
            if facts[7] == "M":
                records.cells.add(int(facts[0]))
    return found


def _node(facts: list[str], where: Where, order: int) -> NodeRecord:
    width, height, depth = (float(length.removesuffix("pt")) for length in facts[4:7])
    turn, _, name = facts[9].partition("|")
    a, b, c, d, x, y = (float(number) for number in _NUMBER.findall(turn))
    return NodeRecord(name, facts[3], (width, height, depth), (facts[7], facts[8]), (a, b, c, d, x, y), where, order)


def _box(corners: list[str]) -> Box | None:
    left, bottom, right, top = (float(length.removesuffix("pt")) for length in corners)
    return None if abs(left) > _NOWHERE else (left, bottom, right, top)


def _rgb(digits: str) -> Color | None:
    try:
        red, green, blue = (byte / 255 for byte in bytes.fromhex(digits))
    except ValueError:
        return None
    return red, green, blue


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
