"""Where each element stands on the picture, which field says it, and which distances move it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from tikzgen.base.plane import Box, Matrix, Point, map_point, shift, surround, times
from tikzgen.base.record import Record, as_dict
from tikzgen.compile.draw import (
    Clipped,
    DrawnGroup,
    Item,
    PaintedPath,
    Shifted,
    TextOnCanvas,
    Unsupported,
    draw,
    path_data,
)
from tikzgen.serve.watch.form_fields import PARAMETER, Field
from tikzgen.text.metrics import RuleBox

_MOST_ELEMENTS_COUNT = 3000  # elements; a picture of more has none to be pointed at
_MACRO = re.compile(r"\\([A-Za-z]+)")
_LEAST_MOVE_PT = 0.5  # pt: what moves less with a cm of a distance is not moved by it
_STEP_CM = 0.02  # cm, and of its value: how much a distance is changed to see what moves
_STEP_SHARE = 0.02  # cm


class Pull(Record):
    """A distance that moves an element: how far its near and its far side go with each cm, in pt, right or down."""

    key: str
    near: float
    far: float


class ElementBox(Record):
    """An element: its box (left, top, right, bottom, in pt from the corner), or the line that it is along.

    `line` is the one in the watched file, 0 where it names none; `field` the key of the field that says the element.
    """

    box: Box
    name: str
    line: int = 0
    path: str = ""
    field: str = ""
    across: Pull | None = None
    down: Pull | None = None

    def as_json(self) -> dict[str, Any]:
        """The same facts for the page."""
        pulls = {"across": self.across and as_dict(self.across), "down": self.down and as_dict(self.down)}
        return {**as_dict(self), "box": [round(side, 2) for side in self.box], **pulls}


class _Element(Record):
    """A part of the drawing with its box in pt from the upper left corner, y down."""

    part: DrawnGroup
    box: Box
    path: str


def spots_of(source: str, fields: Sequence[Field], *, is_file: bool) -> tuple[ElementBox, ...]:
    """The elements of a figure's TeX as they lie, none where TeX alone can draw it.

    `is_file`: the lines of the TeX are those of the watched file; else, those of its fields are told.
    """
    elements = _elements(source)
    if not elements or len(elements) > _MOST_ELEMENTS_COUNT:
        return ()
    texts = {each.name: each for each in fields if each.group == "texts"}
    distances = {each.name: each for each in fields if each.key.startswith(PARAMETER) and each.group == "distances"}
    pulls = _pulls(source, elements, distances.values())
    lines = source.split("\n")
    found = []
    for number, element in enumerate(elements):
        line = element.part.line
        macros = _MACRO.findall(lines[line - 1]) if 0 < line <= len(lines) else []
        own = [known[name] for known in (texts, distances) for name in macros if name in known]
        across, down = (_strongest(along[number] for along in way) for way in pulls)
        key = own[0].key if own else across.key if across else down.key if down else ""
        name = element.part.node.name if element.part.node else ""
        told = line if is_file else own[0].line if own else 0
        found.append(ElementBox(element.box, name, told, element.path, key, across, down))
    return tuple(found)


def _strongest(pulls: Iterable[Pull | None]) -> Pull | None:
    """The distance that moves an element most; of two alike the first."""
    return max((pull for pull in pulls if pull), key=lambda pull: max(abs(pull.near), abs(pull.far)), default=None)


_Pulls = list[list[Pull | None]]


def _pulls(source: str, elements: Sequence[_Element], distances: Iterable[Field]) -> tuple[_Pulls, _Pulls]:
    """For each distance, how it moves each element right and down: the figure is drawn with a little more of it."""
    across: _Pulls = []
    down: _Pulls = []
    for field in distances:
        defined = re.compile(rf"(\\def\\{re.escape(field.name)}\{{)[^{{}}]*(?=\}})")
        try:
            step = max(_STEP_CM, _STEP_SHARE * abs(float(field.value)))
            more = defined.sub(rf"\g<1>{float(field.value) + step:.6f}", source, count=1)
        except ValueError:
            continue
        changed = _elements(more)
        if len(changed) != len(elements):
            continue
        for way, near, far in ((across, 0, 2), (down, 1, 3)):
            moves = [
                tuple((new.box[side] - old.box[side]) / step for side in (near, far))
                for new, old in zip(changed, elements, strict=True)
            ]
            way.append([Pull(field.key, *move) if max(map(abs, move)) > _LEAST_MOVE_PT else None for move in moves])
    none: _Pulls = [[None] * len(elements)]
    return across or none, down or none


def _elements(source: str) -> list[_Element]:
    """Nodes and paths in the order in which they are painted, the ground of all others aside."""
    try:
        drawing = draw(source)
    except Unsupported:
        return []
    left, _, _, top = drawing.box
    return list(islice(_walk(drawing.items, shift(-left, -top)), _MOST_ELEMENTS_COUNT + 1))


def _walk(items: Iterable[Item], matrix: Matrix) -> Iterator[_Element]:
    for item in items:
        if isinstance(item, DrawnGroup) and item.kind == "node":
            yield from _element(item, matrix)
        elif isinstance(item, DrawnGroup):
            if item.kind == "path":
                yield from _element(item, matrix)
            yield from _walk((each for each in item.items if isinstance(each, DrawnGroup)), matrix)
        elif isinstance(item, Clipped):
            yield from _walk(item.items, matrix)
        elif isinstance(item, Shifted):
            yield from _walk(item.items, times(shift(*item.by), matrix))


def _element(part: DrawnGroup, matrix: Matrix) -> Iterator[_Element]:
    within = part.items if part.kind == "node" else [each for each in part.items if not isinstance(each, DrawnGroup)]
    points = [map_point(point, matrix) for point in _points(within)]
    if points:
        left, bottom, right, top = surround(points)
        lines = [each for each in within if isinstance(each, PaintedPath) and each.fill is None]
        path = "".join(path_data(each.path, matrix) for each in lines) if part.kind == "path" else ""
        yield _Element(part, (left, -top, right, -bottom), path)


def _points(items: Iterable[Item]) -> Iterator[Point]:
    """What an element covers: its paths, and its characters by half of their size."""
    for item in items:
        match item:
            case PaintedPath():
                yield from (point for step in item.path for point in step.points)
            case TextOnCanvas():
                for x, y, part in item.ink:
                    end = (part.width, part.height) if isinstance(part, RuleBox) else (part.size / 2, part.size / 2)
                    yield from (map_point(point, item.matrix) for point in ((x, y), (x + end[0], y + end[1])))
            case Shifted():
                yield from (map_point(point, shift(*item.by)) for point in _points(item.items))
            case _:
                yield from _points(item.items)
