"""Geometry of a figure that is drawn without TeX, in the form that the probe gives for a PDF."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from tikzgen.base.plane import (
    Box,
    Matrix,
    Point,
    compose_matrices,
    compute_bounding_box,
    flatten_path,
    map_point,
    shift,
)
from tikzgen.compile.draw import (
    Clipped,
    DrawnGroup,
    Item,
    NodeFacts,
    PaintedPath,
    PathStep,
    Rgb,
    Shifted,
    TextOnCanvas,
    draw,
    path_of,
    text_of_ink,
)
from tikzgen.lint.probe.marked_page import (
    Clips,
    Marked,
    MarkedPage,
    MarkedPath,
    MarkedText,
    Records,
    clip_box,
    group_items,
)
from tikzgen.lint.probe.page_data import NodeRecord, PageData, Where
from tikzgen.lint.probe.read_pages import read_page
from tikzgen.text.metrics import RuleBox, Sign, is_cjk_font, width_of_sign

_Ink = tuple[float, float, Sign | RuleBox]
_LETTERS = {"picture": "P", "node": "N", "path": "Q", "text": "T"}
_EMPTY_BOX = (0.0, 0.0, 0.0, 0.0)
_GLYPH_GAP = 0.06  # of the size: largest gap between characters of one line, as in `pdf_texts`
_CHINESE = (0.0, -0.12, 1.0, 0.86)  # em: the box of the ink of Chinese


def drawn_page(source: str) -> PageData:
    """Return the page of a figure. Raise `Unsupported` if a part of it needs TeX."""
    drawing = draw(source)
    left, bottom, right, top = drawing.box
    walk = _Walk()
    walk.records.paper = drawing.colors.get("paper")
    whole = DrawnGroup("picture", drawing.line, drawing.items, box=drawing.box)
    walk.note_drawn_items((whole,), shift(-left, -bottom), ())
    return read_page(MarkedPage(right - left, top - bottom, tuple(walk.things)), walk.records)


class _Walk:
    """Traversal of a drawing that collects the objects of a PDF and the records of the probe."""

    def __init__(self) -> None:
        self.things: list[Marked] = []
        self.records = Records()
        self.number = 0
        self.on_line: dict[int, int] = {}
        self.clips: Clips = ()
        self.clip: Box | None = None  # intersection of their boxes
        self.laid: dict[int, list[_Laid]] = {}

    def note_drawn_items(self, items: Iterable[Item], matrix: Matrix, marks: tuple[str, ...]) -> None:
        for item in items:
            match item:
                case PaintedPath():
                    self.note_path(item, matrix, marks)
                case TextOnCanvas():
                    self.note_text(item, compose_matrices(item.matrix, matrix), marks)
                case Shifted():
                    self.note_drawn_items(item.items, compose_matrices(shift(*item.by), matrix), marks)
                case Clipped():
                    outer = self.clips, self.clip
                    self.clips = (*self.clips, _make_polygons(item.path, matrix))
                    self.clip = clip_box(self.clips)
                    self.note_drawn_items(item.items, matrix, marks)
                    self.clips, self.clip = outer
                case DrawnGroup():
                    self.note_group(item, matrix, marks)

    def note_group(self, part: DrawnGroup, matrix: Matrix, marks: tuple[str, ...]) -> None:
        self.number += 1
        number, where = self.number, Where(part.line, part.line)
        own = (*marks, f"{_LETTERS[part.kind]}{number}")
        self.records.places[number] = where
        axes = tuple(map_point(point, matrix) for point in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)))
        if part.kind == "picture":
            self.records.boxes[number] = part.box
            self.note_hidden_path(own, axes)
        elif part.kind == "text":
            self.note_hidden_path(own, axes)
            own = marks  # the text follows its mark
        self.note_drawn_items(part.items, matrix, own)
        if part.node is not None:
            self.records.nodes[number] = self.make_record(part.node, where)
            self.note_hidden_path(own, tuple(map_point(point, matrix) for point in part.node.border))

    def make_record(self, node: NodeFacts, where: Where) -> NodeRecord:
        order = self.on_line.get(where.last, -1) + 1
        self.on_line[where.last] = order
        separation = (node.separation, node.separation)
        return NodeRecord(node.name, node.shape.kind, node.text, separation, where, order)

    def note_hidden_path(self, marks: tuple[str, ...], points: tuple[Point, ...]) -> None:
        """Record a hidden path: it carries points, as the paths of the probe do."""
        self.things.append(MarkedPath(marks, (points,), None, None, 0.0, 1.0, _EMPTY_BOX))

    def note_path(self, item: PaintedPath, matrix: Matrix, marks: tuple[str, ...]) -> None:
        path, stroke = item.path, item.stroke
        if item.hatch is not None:
            path, stroke = item.hatch
        dashes = stroke.dash if stroke is not None else ()
        self.things.append(
            MarkedPath(
                marks,
                _make_polygons(path, matrix),
                _round_color(stroke.color) if stroke else None,
                _round_color(item.fill) if item.fill else None,
                stroke.width if stroke else 0.0,
                sum(dashes[::2]) / sum(dashes) if dashes else 1.0,
                self.clip,
                tuple(clip for clip in self.clips if len(clip) > 1),
                item.opacity,
                item.opacity,
                gap=min(dashes[1::2], default=0.0),
            )
        )

    def note_text(self, item: TextOnCanvas, matrix: Matrix, marks: tuple[str, ...]) -> None:
        clip, color, opacity, direction = self.clip, _round_color(item.color), item.opacity, matrix[:2]
        if (laid := self.laid.get(id(item.text))) is None:  # a drawing shares equal labels
            laid = self.laid[id(item.text)] = list(map(_lay_out_ink, group_items(item.ink, _goes_on)))
        for words, (a, b, c, d), origin, size, font in laid:
            corners = one, *_ = map_point(a, matrix), map_point(b, matrix), map_point(c, matrix), map_point(d, matrix)
            if words is None:
                self.things.append(
                    MarkedPath(marks, ((*corners, one),), None, color, 0.0, 1.0, clip, fill_opacity=opacity)
                )
                continue
            place = map_point(origin, matrix)
            facts = corners, place, direction, size, color, False, opacity, clip
            self.things.append(MarkedText(marks, words, *facts, font=font))


_Laid = tuple[str | None, tuple[Point, Point, Point, Point], Point, float, str]
"""Run of characters: string, corners of the ink, origin, size and font; a rule has None as string."""


def _lay_out_ink(ink: list[_Ink]) -> _Laid:
    x, y, first = ink[0]
    if isinstance(first, RuleBox):
        return None, _find_corners(x, y, first), (x, y), 0.0, ""
    signs = [(u, v, sign) for u, v, sign in ink if isinstance(sign, Sign)]
    left, low, right, high = compute_bounding_box([corner for each in signs for corner in _ink_of(*each)])
    return (
        text_of_ink(signs),
        _find_corners(left, low, RuleBox(right - left, high - low)),
        (x, y),
        first.size,
        first.font,
    )


def _find_corners(x: float, y: float, bar: RuleBox) -> tuple[Point, Point, Point, Point]:
    return (x, y), (x + bar.width, y), (x + bar.width, y + bar.height), (x, y + bar.height)


def _ink_of(x: float, y: float, sign: Sign) -> tuple[Point, Point]:
    """Return two corners of a character's ink."""
    left, low, right, high = _measure_ink(sign.font, sign.char)
    return (x + left * sign.size, y + low * sign.size), (x + right * sign.size, y + high * sign.size)


@cache
def _round_color(color: Rgb) -> Rgb:
    """Return a color with 8 bits per component, as in a PDF."""
    red, green, blue = (round(share * 255) / 255 for share in color)
    return red, green, blue


def _goes_on(run: list[_Ink], following: _Ink) -> bool:
    """Return whether two characters of one font are adjacent; a rule is separate."""
    (x, y, sign), (u, v, other) = run[-1], following
    if isinstance(sign, RuleBox) or isinstance(other, RuleBox):
        return False
    same = (sign.font, sign.size, y) == (other.font, other.size, v)
    return same and abs(u - x - _measure_sign(sign)) < _GLYPH_GAP * sign.size


def _measure_sign(sign: Sign) -> float:
    return sign.size * width_of_sign(sign.font, sign.char)


@cache
def _measure_ink(font: str, char: str) -> Box:
    """Return the box of a character's ink, relative to its size."""
    if is_cjk_font(font):
        return _CHINESE
    places = [(x / 1000, y / 1000) for _, points in path_of(font, char) for x, y in points]
    return compute_bounding_box(places) if places else _EMPTY_BOX


def _make_polygons(path: Sequence[PathStep], matrix: Matrix) -> tuple[tuple[Point, ...], ...]:
    """Return a path as polygons, with curves cut into segments."""
    return flatten_path((step.kind, [map_point(point, matrix) for point in step.points]) for step in path)
