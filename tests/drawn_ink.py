"""What a drawing shows, as `pdf_ink` tells it of a PDF; and how far two such lists of points are apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import dist, floor

from pdf_ink import TexInk

from tikzgen.base.plane.affine import Matrix, compose_matrices, map_point, shift
from tikzgen.base.plane.rectangles import Point
from tikzgen.base.plane.units import PT_PER_BP
from tikzgen.compile.draw.canvas import Clipped, DrawnGroup, Item, PaintedPath, Shifted, TextOnCanvas
from tikzgen.compile.draw.draw_tex import DrawnPicture
from tikzgen.text.metrics.boxes import RuleBox

GLYPH, PAGE, POINT = 0.05, 0.02, 0.03
"""pt: how far a drawing may be from what pdfTeX sets."""
STILL = 0.01
"""pt: how far what pdfTeX sets may be from what is kept: on another page of a document it rounds otherwise."""

FAR = 9.0
"""pt: what is at least this far away is nowhere."""

_HATCHES = (0.4, 0.8, 2.2)  # pt: the lines that stand for a stroke as wide as a page


def ink_of(drawing: DrawnPicture) -> TexInk:
    left, bottom, right, top = drawing.box
    glyphs: list[Point] = []
    points: list[Point] = []
    _collect(drawing.items, shift(-left, -bottom), glyphs, points, clipped=False)
    return TexInk((right - left, top - bottom), glyphs, points)


def _collect(items: Iterable[Item], matrix: Matrix, glyphs: list[Point], points: list[Point], *, clipped: bool) -> None:
    for item in items:
        match item:
            case TextOnCanvas():
                place = compose_matrices(item.matrix, matrix)
                for x, y, part in item.ink:
                    if isinstance(part, RuleBox):
                        points += [map_point(point, place) for point in _bar(x, y, part)]
                    else:
                        glyphs.append(map_point((x, y), place))
            case PaintedPath():
                if not (clipped and _is_hatch(item)):
                    points += [map_point(p, matrix) for step in item.path if step.kind != "Z" for p in step.points]
            case Clipped():
                _collect(item.items, matrix, glyphs, points, clipped=True)
            case Shifted():
                _collect(item.items, compose_matrices(shift(*item.by), matrix), glyphs, points, clipped=clipped)
            case DrawnGroup():
                _collect(item.items, matrix, glyphs, points, clipped=clipped)


def _bar(x: float, y: float, bar: RuleBox) -> list[Point]:
    """pdfTeX draws thin rules as lines."""
    if bar.height <= PT_PER_BP:
        return [(x, y + bar.height / 2), (x + bar.width, y + bar.height / 2)]
    return [(x, y), (x + bar.width, y), (x + bar.width, y + bar.height), (x, y + bar.height)]


def _is_hatch(item: PaintedPath) -> bool:
    kinds = "".join(step.kind for step in item.path)
    width = item.stroke.width if item.stroke and not item.fill else 0.0
    return len(kinds) > 2 and kinds == "ML" * (len(kinds) // 2) and any(abs(width - w) < 0.01 for w in _HATCHES)


def apart(some: Sequence[Point], others: Sequence[Point]) -> float:
    """How far from all others the loneliest of some points is, and the reverse; `FAR` at most."""
    return max(nearest_of(some, others), nearest_of(others, some))


def nearest_of(some: Sequence[Point], others: Sequence[Point]) -> float:
    """How far from all others the loneliest of some points is; `FAR` at most."""
    cells: dict[tuple[int, int], list[Point]] = defaultdict(list)
    for point in others:
        cells[floor(point[0]), floor(point[1])].append(point)

    def nearest(point: Point) -> float:
        x, y = floor(point[0]), floor(point[1])
        near = (other for i in (-1, 0, 1) for j in (-1, 0, 1) for other in cells.get((x + i, y + j), ()))
        return min((dist(point, other) for other in near), default=FAR)

    return max(map(nearest, some), default=0.0)


def compare(drawing: DrawnPicture, tex: TexInk) -> None:
    ours = ink_of(drawing)
    assert max(abs(ours.size[axis] - tex.size[axis]) for axis in (0, 1)) <= PAGE
    assert len(ours.glyphs) == len(tex.glyphs)
    assert apart(ours.glyphs, tex.glyphs) <= GLYPH
    assert apart(ours.points, tex.points) <= POINT
