"""A PDF and the probe's records, joined: pages of pictures, nodes, paths and lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from tikzgen.geometry.data import Box, Line, Node, Page, Painted, Picture, Point, Where
from tikzgen.geometry.pdf import Drawn, Run, Sheet
from tikzgen.geometry.records import Records

__all__ = ["read_page"]

_MARK = "tikzgen"
_WHITE = (1.0, 1.0, 1.0)
# Runs further apart than this, in their size, are texts of their own: in a box of many labels, and elsewhere.
_GAP, _WORD_GAP = 0.15, 1.5
# A subscript's baseline is this far below that of its line, in its line's size.
_SHIFT = 0.5


def read_page(sheet: Sheet, records: Records) -> Page:
    """One page, from what the PDF paints on it and from what TeX said of it."""
    pictures: list[Picture] = []
    nodes: list[Node] = []
    paths: list[Painted] = []
    runs: list[tuple[int, Run, int | None]] = []
    text_mark: dict[tuple[str, ...], int] = {}
    for order, thing in enumerate(sheet.things):
        marks = tuple(mark.removeprefix(_MARK) for mark in thing.marks if mark.startswith(_MARK))
        if isinstance(thing, Run):
            runs.append((order, thing, text_mark.get(marks)))
            continue
        kind, number = (marks[-1][0], int(marks[-1][1:])) if marks else ("", 0)
        if thing.clip is not None and _is_empty(thing.clip):
            if kind == "T":
                text_mark[marks[:-1]] = number
            elif kind == "P" and number in records.boxes:
                pictures.append(_picture(number, thing, marks, records))
            elif kind == "N" and number in records.nodes:
                nodes.append(_node(number, thing, marks, records))
            continue
        if thing.lines and (thing.fill or thing.stroke):
            paths.append(_painted(order, thing, marks, records))
    return Page(
        sheet.width,
        sheet.height,
        records.paper or _WHITE,
        tuple(pictures),
        tuple(nodes),
        tuple(paths),
        tuple(_lines(runs, records)),
    )


def _is_empty(box: Box) -> bool:
    return box[2] <= box[0] or box[3] <= box[1]


def _depth(marks: Sequence[str]) -> int:
    return max(sum(mark[0] == "P" for mark in marks) - 1, 0)


def _inside(marks: Sequence[str]) -> tuple[int, ...]:
    return tuple(int(mark[1:]) for mark in marks if mark[0] == "N")


def _where(marks: Sequence[str], records: Records) -> Where:
    """Where the innermost mark with a place was drawn; an icon's parts stand where the icon is used."""
    for mark in reversed(marks):
        if (place := records.places.get(int(mark[1:]))) is not None:
            return place
    return Where(0, 0)


def _picture(number: int, axes: Drawn, marks: tuple[str, ...], records: Records) -> Picture:
    """Its box on the page: the hidden path goes from the origin along both axes, 1 pt each."""
    box = records.boxes[number]
    if box is not None:
        origin, right, up = axes.lines[0][:3]
        corners = [
            (
                origin[0] + x * (right[0] - origin[0]) + y * (up[0] - origin[0]),
                origin[1] + x * (right[1] - origin[1]) + y * (up[1] - origin[1]),
            )
            for x in (box[0], box[2])
            for y in (box[1], box[3])
        ]
        box = _around(corners)
    return Picture(number, _depth(marks), box, records.places[number])


def _node(number: int, border: Drawn, marks: tuple[str, ...], records: Records) -> Node:
    record = records.nodes[number]
    picture = next((int(mark[1:]) for mark in reversed(marks) if mark[0] == "P"), 0)
    return Node(
        number,
        record.name,
        record.shape,
        border.lines[0],
        record.text,
        record.separation,
        record.transformation,
        picture,
        _depth(marks),
        record.where,
        record.order,
    )


def _painted(order: int, path: Drawn, marks: tuple[str, ...], records: Records) -> Painted:
    box = _around(list(chain.from_iterable(path.lines)))
    half = path.width / 2 if path.stroke else 0.0
    box = (box[0] - half, box[1] - half, box[2] + half, box[3] + half)
    if path.clip is not None:
        box = (
            max(box[0], path.clip[0]),
            max(box[1], path.clip[1]),
            min(box[2], path.clip[2]),
            min(box[3], path.clip[3]),
        )
    paint = next((int(mark[1:]) for mark in reversed(marks) if mark[0] == "Q"), -order)
    return Painted(
        order,
        path.lines,
        box,
        path.stroke,
        path.fill,
        path.width,
        path.dash,
        path.opaque,
        path.clip,
        _inside(marks),
        paint,
        bool(marks) and marks[-1][0] == "Q",
        _depth(marks),
        _where(marks, records),
    )


def _around(points: Sequence[Point]) -> Box:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _lines(runs: list[tuple[int, Run, int | None]], records: Records) -> Iterator[Line]:
    """Runs that one line of text consists of, as that line."""
    group: list[tuple[int, Run, int | None]] = []
    for each in runs:
        if group and not _continues(group, each):
            yield _line(group, records)
            group = []
        group.append(each)
    if group:
        yield _line(group, records)


def _continues(group: list[tuple[int, Run, int | None]], each: tuple[int, Run, int | None]) -> bool:
    (before, last, mark), (order, run, other) = group[-1], each
    if order != before + 1 or last.marks != run.marks or mark != other or (run.leapt and mark is not None):
        return False
    if abs(last.direction[0] - run.direction[0]) + abs(last.direction[1] - run.direction[1]) > 0.01:
        return False
    size = max(one.size for _, one, _ in group)
    along, across = _along(run.origin, last), _across(run.origin, group[0][1])
    end = max(_along(corner, last) for corner in last.corners)
    gap = _GAP if mark is not None else _WORD_GAP
    return abs(across) < _SHIFT * size and -size / 2 < along - end < gap * size


def _along(point: Point, run: Run) -> float:
    return (point[0] - run.origin[0]) * run.direction[0] + (point[1] - run.origin[1]) * run.direction[1]


def _across(point: Point, run: Run) -> float:
    return (point[1] - run.origin[1]) * run.direction[0] - (point[0] - run.origin[0]) * run.direction[1]


def _line(group: list[tuple[int, Run, int | None]], records: Records) -> Line:
    order, first, text = group[0]
    marks = tuple(mark.removeprefix(_MARK) for mark in first.marks if mark.startswith(_MARK))
    corners = [corner for _, run, _ in group for corner in run.corners]
    left, right = (limit(_along(corner, first) for corner in corners) for limit in (min, max))
    low, high = (limit(_across(corner, first) for corner in corners) for limit in (min, max))
    (x, y), (u, v) = first.origin, first.direction
    one, two, three, four = (
        (x + a * u - b * v, y + a * v + b * u) for a, b in ((left, low), (right, low), (right, high), (left, high))
    )
    inside = _inside(marks)
    # a node that a picture stands in has no part in that picture's own texts
    own = int(marks[-1][1:]) if marks and marks[-1][0] == "N" else None
    largest = max((run for _, run, _ in group), key=lambda run: run.size)
    where = records.places.get(text) if own is None and text is not None else None
    return Line(
        order,
        _words(group),
        (one, two, three, four),
        _around((one, two, three, four)),
        largest.size,
        largest.color,
        own,
        inside,
        _depth(marks),
        where or _where(marks, records),
    )


def _words(group: list[tuple[int, Run, int | None]]) -> str:
    words = group[0][1].words
    for (_, last, _), (_, run, _) in pairwise(group):
        gap = _along(run.origin, last) - max(_along(corner, last) for corner in last.corners)
        words += (" " if gap > 0.15 * run.size else "") + run.words
    return " ".join(words.split())
