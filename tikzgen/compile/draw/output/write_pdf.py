"""Drawings as PDF: paths and outlines of characters.

Each Chinese character is one object, even if it is drawn several times.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from tikzgen.base.patterns import pattern_of
from tikzgen.base.plane import IDENTITY, PT_PER_BP, Matrix, Point, compose_matrices, map_point, shift
from tikzgen.compile.draw.canvas import Clipped, DrawnGroup, Item, PaintedPath, Shifted, TextOnCanvas
from tikzgen.compile.draw.draw_tex import DrawnPicture
from tikzgen.compile.draw.output.load_outlines import path_of
from tikzgen.compile.draw.output.require_glyphs import fonts_used
from tikzgen.compile.draw.strokes import PathStep
from tikzgen.text.metrics import RuleBox, Sign, is_cjk_font

_OPERATORS = {"M": "m", "L": "l", "C": "c", "Z": "h"}
_CAPS = {"butt": 0, "round": 1, "square": 2}
_JOINS = {"miter": 0, "round": 1, "bevel": 2}
_PAINTS = {(False, False): "n", (True, False): "f", (False, True): "S", (True, True): "B"}
_SCALE = 1 / PT_PER_BP
_SIDE = pattern_of(r"(\S+ \S+) l")
_FIRST_PAGE_INDEX = 4  # number of the first page; the contents of a page follow it
_GLYPH_BOX = "[-500 -500 1500 1500]"  # thousandths of the size, around any Chinese character


def to_pdf(*drawings: DrawnPicture, title: str = "", description: str = "", language: str = "") -> bytes:
    """Return a PDF with a page per drawing, as large as its box; the output is deterministic."""
    fonts = fonts_used(item for drawing in drawings for item in drawing.items)
    writer = _Writer()
    pages: list[bytes] = []
    for number, drawing in enumerate(drawings):
        left, bottom, right, top = drawing.box
        inside = compose_matrices(shift(-left, -bottom), (_SCALE, 0.0, 0.0, _SCALE, 0.0, 0.0))
        ink = "\n".join([f"{_spell_numbers(inside)} cm", *writer.write_items(drawing.items, IDENTITY)])
        box = f"[0 0 {_number((right - left) * _SCALE)} {_number((top - bottom) * _SCALE)}]"
        contents = _FIRST_PAGE_INDEX + 2 * number + 1
        page = f"<</Type/Page/Parent 2 0 R/MediaBox{box}/Contents {contents} 0 R/Resources 3 0 R>>"
        pages += [page.encode(), _make_stream("", ink)]
    states = "".join(f"/O{number}<</ca {share}/CA {share}>>" for share, number in writer.shares.items())
    first = _FIRST_PAGE_INDEX + len(pages)
    glyphs = [_make_stream(f"/Type/XObject/Subtype/Form/BBox{_GLYPH_BOX}", f"{path} f") for path in writer.glyphs]
    names = "".join(f"/G{number} {first + number} 0 R" for number in range(len(glyphs)))
    resources = f"<</ExtGState<<{states}>>{f'/XObject<<{names}>>' if names else ''}>>"
    said = (("Title", title), ("Subject", description), ("Fonts", "; ".join(fonts)))
    info = "".join(f"/{key}<{_encode_string(text)}>" for key, text in said if text)
    root = f"<</Type/Catalog/Pages 2 0 R{f'/Lang<{_encode_string(language)}>' if language else ''}>>"
    kids = " ".join(f"{_FIRST_PAGE_INDEX + 2 * number} 0 R" for number in range(len(drawings)))
    tree = f"<</Type/Pages/Kids[{kids}]/Count {len(drawings)}>>"
    return _join_objects([root.encode(), tree.encode(), resources.encode(), *pages, *glyphs, f"<<{info}>>".encode()])


def _make_stream(keys: str, content: str) -> bytes:
    """Return a compressed object with operators."""
    data = zlib.compress(content.encode("ascii"), 9)
    return f"<<{keys}/Length {len(data)}/Filter/FlateDecode>>stream\n".encode("ascii") + data + b"\nendstream"


def _join_objects(objects: Sequence[bytes]) -> bytes:
    """Return a PDF of numbered objects: the first is its root, the last its document information."""
    made, places = b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%b\nendobj\n" % (number, each)
    count = len(objects) + 1
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    tail = b"trailer\n<</Size %d/Root 1 0 R/Info %d 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (count, count - 1, len(made))
    return made + b"xref\n0 %d\n0000000000 65535 f \n" % count + table + tail


class _Writer:
    """Writer of items as PDF operators; it collects the opacities and Chinese characters in use."""

    def __init__(self) -> None:
        self.shares: dict[str, int] = {}
        self.glyphs: dict[str, int] = {}

    def write_items(self, items: Iterable[Item], matrix: Matrix) -> Iterator[str]:
        for item in items:
            match item:
                case PaintedPath():
                    yield from self.write_path(item, matrix)
                case TextOnCanvas():
                    yield from self.spell_text(item, compose_matrices(item.matrix, matrix))
                case Shifted():
                    yield from self.write_items(item.items, compose_matrices(shift(*item.by), matrix))
                case Clipped():
                    yield f"q {_spell_path(item.path, matrix)} W n"
                    yield from self.write_items(item.items, matrix)
                    yield "Q"
                case DrawnGroup():
                    yield from self.write_items(item.items, matrix)

    def write_opacity(self, opacity: float) -> str:
        if opacity >= 1:
            return ""
        share = _number(opacity)
        return f"/O{self.shares.setdefault(share, len(self.shares))} gs "

    def write_path(self, item: PaintedPath, matrix: Matrix) -> Iterator[str]:
        keys, stroke = self.write_opacity(item.opacity), item.stroke
        if item.fill is not None:
            keys += f"{_spell_numbers(item.fill)} rg "
        if stroke is not None:
            keys += (
                f"{_spell_numbers(stroke.color)} RG {_number(stroke.width)} "
                f"w {_CAPS[stroke.cap]} J {_JOINS[stroke.join]} j "
            )
            keys += f"[{_spell_numbers(stroke.dash)}] 0 d " if stroke.dash else ""
        paint = _PAINTS[item.fill is not None, stroke is not None]
        yield f"q {keys}{_spell_path(item.path, matrix)} {paint} Q"

    def spell_text(self, item: TextOnCanvas, whole: Matrix) -> Iterator[str]:
        yield f"q {self.write_opacity(item.opacity)}{_spell_numbers(item.color)} rg {_spell_numbers(whole)} cm"
        for x, y, part in item.ink:
            if isinstance(part, RuleBox):
                yield f"{_spell_numbers((x, y, part.width, part.height))} re f"
            else:
                yield self.write_glyph(x, y, part)
        yield "Q"

    def write_glyph(self, x: float, y: float, sign: Sign) -> str:
        path = _spell_glyph(sign.font, sign.char)
        size = _number(sign.size / 1000)
        drawn = f"{path} f"
        if is_cjk_font(sign.font):
            drawn = f"/G{self.glyphs.setdefault(path, len(self.glyphs))} Do"
        return f"q {size} 0 0 {size} {_spell_numbers((x, y))} cm {drawn} Q"


@lru_cache(maxsize=4096)
def _spell_glyph(font: str, char: str) -> str:
    """Return an outline as PDF operators.

    Viewers fill rectangles in whole pixels, which makes an l bold, so one side is written as a curve.
    """
    path = " ".join(
        f"{_spell_points(points, IDENTITY)} {_OPERATORS[kind.upper()]}" for kind, points in path_of(font, char)
    )
    return path if " c" in path else _SIDE.sub(r"\1 \1 \1 c", path, count=1)


def _spell_path(path: Sequence[PathStep], matrix: Matrix) -> str:
    return " ".join(
        "h" if step.kind == "Z" else f"{_spell_points(step.points, matrix)} {_OPERATORS[step.kind]}" for step in path
    )


def _spell_points(points: Sequence[Point], matrix: Matrix) -> str:
    if matrix != IDENTITY:
        points = [map_point(point, matrix) for point in points]
    return _spell_numbers([value for point in points for value in point])


def _spell_numbers(values: Iterable[float]) -> str:
    return " ".join(map(_number, values))


def _number(value: float) -> str:
    text = f"{value:.5f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _encode_string(text: str) -> str:
    """Return a PDF string, in ASCII or else in UTF-16."""
    data = text.encode() if text.isascii() else b"\xfe\xff" + text.encode("utf-16-be", "replace")
    return data.hex()
