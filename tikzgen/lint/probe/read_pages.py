"""Combination of a PDF and the probe's records: pages of pictures, nodes, paths and lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, pairwise
from math import dist
from operator import attrgetter

from tikzgen.base.patterns import pattern_of
from tikzgen.base.plane import Box, Point, compute_bounding_box, grow_box, intersect_boxes, touch
from tikzgen.base.record import as_dict, replace
from tikzgen.lint.probe.marked_page import (
    MarkedPage,
    MarkedPath,
    MarkedText,
    Records,
    count_depth,
    group_items,
    list_enclosing_nodes,
    where_drawn,
    without_opened,
)
from tikzgen.lint.probe.page_data import NodeOnPage, PageData, PathOnPage, PictureOnPage, TextLine

_Placed = tuple[int, MarkedText, int | None]
"""Run of text: its index in painting order, the run, and the mark before it, which identifies its source."""
# Runs with a larger gap, relative to their size, are separate labels: in a box of many labels, and elsewhere.
_GLYPH_GAP = 0.15  # times the size
_WORD_GAP = 1.5  # times the size
# Largest distance between the baselines of a subscript and of its line, relative to the line's size.
_BASELINE_SHIFT_RATIO = 0.49  # three dots in 8 pt are 0.5 apart before rounding, and are separate lines


def text_lines(runs: Iterable[_Placed], records: Records) -> Iterator[TextLine]:
    """Return lines of text, each from its consecutive runs."""
    return (_make_text_line(group, records) for group in group_items(runs, _is_same_line))


def _is_same_line(group: list[_Placed], each: _Placed) -> bool:
    (before, last, mark), (order, run, other) = group[-1], each
    if order != before + 1 or last.marks != run.marks or mark != other or (run.leapt and mark is not None):
        return False
    if abs(last.direction[0] - run.direction[0]) + abs(last.direction[1] - run.direction[1]) > 0.01:
        return False
    size = max(one.size for _, one, _ in group)
    along, across = _measure_along(run.origin, last), _measure_across(run.origin, group[0][1])
    end = max(_measure_along(corner, last) for corner in last.corners)
    gap = _GLYPH_GAP if mark is not None else _WORD_GAP
    return abs(across) < _BASELINE_SHIFT_RATIO * size and -size / 2 < along - end < gap * size


def _measure_along(point: Point, run: MarkedText) -> float:
    return (point[0] - run.origin[0]) * run.direction[0] + (point[1] - run.origin[1]) * run.direction[1]


def _measure_across(point: Point, run: MarkedText) -> float:
    return (point[1] - run.origin[1]) * run.direction[0] - (point[0] - run.origin[0]) * run.direction[1]


def _make_text_line(group: list[_Placed], records: Records) -> TextLine:
    order, first, text = group[0]
    marks = first.marks
    (x, y), (u, v) = first.origin, first.direction
    corners = [(a - x, b - y) for _, run, _ in group for a, b in run.corners]
    along, across = [a * u + b * v for a, b in corners], [b * u - a * v for a, b in corners]
    left, right, low, high = min(along), max(along), min(across), max(across)
    one, two, three, four = (
        (x + a * u - b * v, y + a * v + b * u) for a, b in ((left, low), (right, low), (right, high), (left, high))
    )
    # A label in a picture does not belong to the node that contains the picture.
    own = int(marks[-1][1:]) if marks and marks[-1][0] == "N" else None
    largest = max((run for _, run, _ in group), key=attrgetter("size"))
    where = records.places.get(text) if own is None and text is not None else None
    return TextLine(
        order,
        _text_of_group(group),
        (one, two, three, four),
        compute_bounding_box((one, two, three, four)),
        largest.size,
        largest.color,
        own,
        list_enclosing_nodes(marks),
        count_depth(marks),
        where or where_drawn(marks, records),
        largest.opacity,
        first.clip,
        None,
        None if first.group is None else (first.group, first.group_opacity),
        first.origin,
        frozenset(_name_face(run.font) for _, run, _ in group),
    )


_TAG_AND_SIZE = pattern_of(r"^[A-Z]{6}\+|\d+")


@cache
def _name_face(font: str) -> str:
    """Return the typeface of a font, without the tag of its subset and its size: `cmss`."""
    return _TAG_AND_SIZE.sub("", font).lower()


def _text_of_group(group: list[_Placed]) -> str:
    words = group[0][1].words
    for (_, last, _), (_, run, _) in pairwise(group):
        gap = _measure_along(run.origin, last) - max(_measure_along(corner, last) for corner in last.corners)
        words += (" " if gap > 0.15 * run.size else "") + run.words
    return " ".join(words.split())


_SINGLE_CHARS = 2  # characters of a separate piece: a letter with its accent
_NEXT_GLYPH_RATIO = 0.8  # of the size: largest distance of the next letter, even after a space
_SPACE_RATIO = 0.25  # of the size: a larger gap separates words


def along_paths(lines: Iterable[TextLine]) -> Iterator[TextLine]:
    """Return lines in the order of painting; letters along a path get the text of the entire label."""
    return (line for letters in group_items(lines, _is_next_letter) for line in _join_letters(letters))


def _is_next_letter(letters: list[TextLine], line: TextLine) -> bool:
    last = letters[-1]
    if any(each.node is not None or len(each.words) > _SINGLE_CHARS for each in (last, line)):
        return False
    if line.order != last.order + 1 or (line.nodes, line.depth, line.where) != (last.nodes, last.depth, last.where):
        return False
    return (
        _compute_direction(line) != _compute_direction(last)
        and _gap_between(last, line) < _NEXT_GLYPH_RATIO * line.size
    )


def _gap_between(last: TextLine, line: TextLine) -> float:
    return dist(last.corners[1], line.corners[0])


def _compute_direction(line: TextLine) -> tuple[float, float]:
    (ax, ay), (bx, by) = line.corners[:2]
    long = dist((ax, ay), (bx, by)) or 1.0
    return round((bx - ax) / long, 2), round((by - ay) / long, 2)


def _join_letters(letters: list[TextLine]) -> Iterator[TextLine]:
    if len(letters) < 2:
        yield from letters
        return
    words = letters[0].words
    for last, line in pairwise(letters):
        words += (" " if _gap_between(last, line) > _SPACE_RATIO * line.size else "") + line.words
    for line in letters:
        yield replace(line, words=words, text=letters[0].order)


_WHITE = (1.0, 1.0, 1.0)
# pt: largest size of a picture in a node that counts as an icon.
_ICON_PT = 114.0


def read_page(marked: MarkedPage, records: Records) -> PageData:
    """Return a page, from the painted objects of the PDF and the records of TeX."""
    pictures: list[PictureOnPage] = []
    nodes: list[NodeOnPage] = []
    paths: list[PathOnPage] = []
    runs: list[_Placed] = []
    text_mark: dict[tuple[str, ...], int] = {}
    opened: set[str] = set()
    cells: set[str] = set()
    for order, thing in enumerate(marked.things):
        marks = thing.marks
        if isinstance(thing, MarkedText):
            if thing.clip is None or touch(thing.clip, compute_bounding_box(thing.corners)):
                seen = replace(thing, marks=without_opened(marks, opened)) if opened else thing
                runs.append((order, seen, text_mark.get(marks)))
            continue
        kind, number = (marks[-1][0], int(marks[-1][1:])) if marks else ("", 0)
        if thing.clip is not None and (thing.clip[2] <= thing.clip[0] or thing.clip[3] <= thing.clip[1]):
            if kind == "T":
                text_mark[marks[:-1]] = number
            elif kind == "P" and number in records.boxes:
                pictures.append(_make_picture(number, thing, without_opened(marks, opened), records))
                if number in records.cells and not any(mark in cells for mark in marks):
                    cells.add(marks[-1])
                    opened.add(marks[-1])
                elif pictures[-1].depth and _is_large(pictures[-1].box):
                    opened.update((marks[-1], *(mark for mark in marks if mark[0] == "N")))
            elif kind == "N" and number in records.nodes:
                nodes.append(_make_node(number, thing, without_opened(marks, opened), records))
            continue
        if thing.lines and (thing.fill or thing.stroke or thing.shaded):
            paths.append(_path_on_page(order, thing, without_opened(marks, opened), records))
    size, lines = (marked.width, marked.height), tuple(along_paths(text_lines(runs, records)))
    paper = records.paper or _WHITE
    return PageData(*size, paper, tuple(pictures), tuple(nodes), tuple(paths), lines, marked.raster)


def _is_large(box: Box | None) -> bool:
    return box is not None and max(box[2] - box[0], box[3] - box[1]) > _ICON_PT


def _make_picture(number: int, axes: MarkedPath, marks: tuple[str, ...], records: Records) -> PictureOnPage:
    """Return a picture with its box on the page.

    The hidden path runs 1 pt along both axes from the origin of the picture.
    """
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
        box = compute_bounding_box(corners)
    return PictureOnPage(number, count_depth(marks), box, records.places[number])


def _make_node(number: int, border: MarkedPath, marks: tuple[str, ...], records: Records) -> NodeOnPage:
    picture = next((int(mark[1:]) for mark in reversed(marks) if mark[0] == "P"), 0)
    facts = as_dict(records.nodes[number])
    return NodeOnPage(id=number, border=border.lines[0], picture=picture, depth=count_depth(marks), **facts)


def _path_on_page(order: int, path: MarkedPath, marks: tuple[str, ...], records: Records) -> PathOnPage:
    box = compute_bounding_box(list(chain.from_iterable(path.lines)))
    box = grow_box(box, path.width / 2 if path.stroke else 0.0)
    box = box if path.clip is None else intersect_boxes(box, path.clip)
    paint = next((int(mark[1:]) for mark in reversed(marks) if mark[0] == "Q"), -order)
    facts = {name: value for name, value in as_dict(path).items() if name != "marks"} | {"order": order, "box": box}
    return PathOnPage(
        nodes=list_enclosing_nodes(marks),
        paint=paint,
        whole=bool(marks) and marks[-1][0] == "Q",
        depth=count_depth(marks),
        where=where_drawn(marks, records),
        **facts,
    )
