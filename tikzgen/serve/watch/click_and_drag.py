"""Elements of a picture: their positions, the fields that set them, the distances that move them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from tikzgen.base.plane import Box, Matrix, Point, compose_matrices, compute_bounding_box, map_point, shift
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

_MOST_ELEMENTS_COUNT = 3000  # elements; in a larger picture, none can be selected
_MACRO = re.compile(r"\\([A-Za-z]+)")
_LEAST_MOVE_PT = 0.5  # pt: a distance has no effect if 1 cm of it moves an element by less
_STEP_CM = 0.02  # cm: least change of a distance in a trial
_STEP_SHARE = 0.02  # of its value: change of a distance in a trial


class Pull(Record):
    """A distance that moves an element: how far its near and far sides move per cm, in pt, right or down."""

    key: str
    near: float
    far: float


class ElementBox(Record):
    """An element: its box (left, top, right, bottom, in pt from the upper left corner), and its path.

    `line` is its line in the watched file, or 0. `field` is the key of the field that sets it. `path` is SVG path
    data, empty for a node.
    """

    box: Box
    name: str
    line: int = 0
    path: str = ""
    field: str = ""
    across: Pull | None = None
    down: Pull | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the element as JSON for the page."""
        pulls = {"across": self.across and as_dict(self.across), "down": self.down and as_dict(self.down)}
        return {**as_dict(self), "box": [round(side, 2) for side in self.box], **pulls}


class _Element(Record):
    """A part of the drawing with its box in pt from the upper left corner, y down."""

    part: DrawnGroup
    box: Box
    path: str


def spots_of(source: str, fields: Sequence[Field], *, is_file: bool) -> tuple[ElementBox, ...]:
    """Return the elements of a figure's TeX in painting order; empty if only TeX can draw it.

    With `is_file`, the TeX is the watched file and has its lines. Otherwise, an element has the line of its field.
    """
    elements = _list_elements(source)
    if not elements or len(elements) > _MOST_ELEMENTS_COUNT:
        return ()
    texts = {each.name: each for each in fields if each.group == "texts"}
    distances = {each.name: each for each in fields if each.key.startswith(PARAMETER) and each.group == "distances"}
    pulls = _measure_pulls(source, elements, distances.values())
    lines = source.split("\n")
    found = []
    for number, element in enumerate(elements):
        line = element.part.line
        macros = _MACRO.findall(lines[line - 1]) if 0 < line <= len(lines) else []
        own = [known[name] for known in (texts, distances) for name in macros if name in known]
        across, down = (_choose_strongest(along[number] for along in way) for way in pulls)
        key = own[0].key if own else across.key if across else down.key if down else ""
        name = element.part.node.name if element.part.node else ""
        told = line if is_file else own[0].line if own else 0
        found.append(ElementBox(element.box, name, told, element.path, key, across, down))
    return tuple(found)


def _choose_strongest(pulls: Iterable[Pull | None]) -> Pull | None:
    """Return the distance that moves an element most, the first of equal ones, or None."""
    return max((pull for pull in pulls if pull), key=lambda pull: max(abs(pull.near), abs(pull.far)), default=None)


_Pulls = list[list[Pull | None]]


def _measure_pulls(source: str, elements: Sequence[_Element], distances: Iterable[Field]) -> tuple[_Pulls, _Pulls]:
    """Return how each distance moves each element right and down, from a drawing with a larger distance."""
    across: _Pulls = []
    down: _Pulls = []
    for field in distances:
        defined = re.compile(rf"(\\def\\{re.escape(field.name)}\{{)[^{{}}]*(?=\}})")
        try:
            step = max(_STEP_CM, _STEP_SHARE * abs(float(field.value)))
            more = defined.sub(rf"\g<1>{float(field.value) + step:.6f}", source, count=1)
        except ValueError:
            continue
        changed = _list_elements(more)
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


def _list_elements(source: str) -> list[_Element]:
    """Return nodes and paths in the order in which they are painted; empty if only TeX can draw them."""
    try:
        drawing = draw(source)
    except Unsupported:
        return []
    left, _, _, top = drawing.box
    return list(islice(_walk(drawing.items, shift(-left, -top)), _MOST_ELEMENTS_COUNT + 1))


def _walk(items: Iterable[Item], matrix: Matrix) -> Iterator[_Element]:
    for item in items:
        if isinstance(item, DrawnGroup) and item.kind == "node":
            yield from _make_element(item, matrix)
        elif isinstance(item, DrawnGroup):
            if item.kind == "path":
                yield from _make_element(item, matrix)
            yield from _walk((each for each in item.items if isinstance(each, DrawnGroup)), matrix)
        elif isinstance(item, Clipped):
            yield from _walk(item.items, matrix)
        elif isinstance(item, Shifted):
            yield from _walk(item.items, compose_matrices(shift(*item.by), matrix))


def _make_element(part: DrawnGroup, matrix: Matrix) -> Iterator[_Element]:
    within = part.items if part.kind == "node" else [each for each in part.items if not isinstance(each, DrawnGroup)]
    points = [map_point(point, matrix) for point in _list_points(within)]
    if points:
        left, bottom, right, top = compute_bounding_box(points)
        lines = [each for each in within if isinstance(each, PaintedPath) and each.fill is None]
        path = "".join(path_data(each.path, matrix) for each in lines) if part.kind == "path" else ""
        yield _Element(part, (left, -top, right, -bottom), path)


def _list_points(items: Iterable[Item]) -> Iterator[Point]:
    """Yield the points that an element covers: of its paths, and of its characters by half of their size."""
    for item in items:
        match item:
            case PaintedPath():
                yield from (point for step in item.path for point in step.points)
            case TextOnCanvas():
                for x, y, part in item.ink:
                    end = (part.width, part.height) if isinstance(part, RuleBox) else (part.size / 2, part.size / 2)
                    yield from (map_point(point, item.matrix) for point in ((x, y), (x + end[0], y + end[1])))
            case Shifted():
                yield from (map_point(point, shift(*item.by)) for point in _list_points(item.items))
            case _:
                yield from _list_points(item.items)
