"""A PDF and the probe's records, joined: pages of pictures, nodes, paths and lines of text."""

from __future__ import annotations

from itertools import chain

from tikzgen.base.record import as_dict, replace
from tikzgen.plane.rectangles import Box, surround, touch
from tikzgen.probe.page_data import Node, Page, Painted, Picture
from tikzgen.probe.pdf import Drawn, Run, Sheet
from tikzgen.probe.records import Records, depth, inside, marks_of, where_drawn, without
from tikzgen.probe.textlines import along_paths, text_lines

_WHITE = (1.0, 1.0, 1.0)
# A picture in a node is an icon up to this size, in pt.
_ICON = 114.0


def read_page(sheet: Sheet, records: Records) -> Page:
    """One page, from what the PDF paints on it and from what TeX said of it."""
    pictures: list[Picture] = []
    nodes: list[Node] = []
    paths: list[Painted] = []
    runs: list[tuple[int, Run, int | None]] = []
    text_mark: dict[tuple[str, ...], int] = {}
    opened: set[str] = set()
    cells: set[str] = set()
    for order, thing in enumerate(sheet.things):
        marks = marks_of(thing.marks)
        if isinstance(thing, Run):
            if thing.clip is None or touch(thing.clip, surround(thing.corners)):
                runs.append((order, replace(thing, marks=without(marks, opened)), text_mark.get(marks)))
            continue
        kind, number = (marks[-1][0], int(marks[-1][1:])) if marks else ("", 0)
        if thing.clip is not None and _is_empty(thing.clip):
            if kind == "T":
                text_mark[marks[:-1]] = number
            elif kind == "P" and number in records.boxes:
                pictures.append(_picture(number, thing, without(marks, opened), records))
                if number in records.cells and not any(mark in cells for mark in marks):
                    cells.add(marks[-1])
                    opened.add(marks[-1])
                elif pictures[-1].depth and _is_large(pictures[-1].box):
                    opened.update((marks[-1], *(mark for mark in marks if mark[0] == "N")))
            elif kind == "N" and number in records.nodes:
                nodes.append(_node(number, thing, without(marks, opened), records))
            continue
        if thing.lines and (thing.fill or thing.stroke or thing.shaded):
            paths.append(_painted(order, thing, without(marks, opened), records))
    return Page(
        sheet.width,
        sheet.height,
        records.paper or _WHITE,
        tuple(pictures),
        tuple(nodes),
        tuple(paths),
        tuple(along_paths(text_lines(runs, records))),
        sheet.raster,
    )


def _is_large(box: Box | None) -> bool:
    return box is not None and max(box[2] - box[0], box[3] - box[1]) > _ICON


def _is_empty(box: Box) -> bool:
    return box[2] <= box[0] or box[3] <= box[1]


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
        box = surround(corners)
    return Picture(number, depth(marks), box, records.places[number])


def _node(number: int, border: Drawn, marks: tuple[str, ...], records: Records) -> Node:
    picture = next((int(mark[1:]) for mark in reversed(marks) if mark[0] == "P"), 0)
    facts = as_dict(records.nodes[number])
    return Node(id=number, border=border.lines[0], picture=picture, depth=depth(marks), **facts)


def _painted(order: int, path: Drawn, marks: tuple[str, ...], records: Records) -> Painted:
    box = surround(list(chain.from_iterable(path.lines)))
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
    facts = {name: value for name, value in as_dict(path).items() if name != "marks"} | {"order": order, "box": box}
    return Painted(
        nodes=inside(marks),
        paint=paint,
        whole=bool(marks) and marks[-1][0] == "Q",
        depth=depth(marks),
        where=where_drawn(marks, records),
        **facts,
    )
