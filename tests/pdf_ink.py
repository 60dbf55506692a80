"""What a PDF of pdfTeX has drawn: where each character begins, and the points of its paths, in pt from its corner.

A reader of what pdfTeX writes without compression (`UNPACKED` before the source), and of nothing else.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from tikzgen.base.plane.affine import IDENTITY, Matrix, compose_matrices, map_point
from tikzgen.base.plane.units import PT_PER_BP

_SWEEPING = 7.0  # bp: a line this wide is a hatch, whose dashes are the lines that are seen

UNPACKED = r"\pdfcompresslevel=0 \pdfobjcompresslevel=0 "

_OBJECT = re.compile(rb"(\d+) 0 obj\s*(.*?)\s*endobj", re.DOTALL)
_STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.DOTALL)
_TOKEN = re.compile(rb"\[|\]|<[0-9A-Fa-f]*>|\((?:\\.|[^\\()])*\)|/[^\s/\[\]()<>]+|[^\s/\[\]()<>]+", re.DOTALL)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
_SIGNS = {b"n": 10, b"r": 13, b"t": 9, b"b": 8, b"f": 12}


class TexInk(NamedTuple):
    """`size` is the page's; lengths in pt, y up."""

    size: tuple[float, float]
    glyphs: list[tuple[float, float]]
    points: list[tuple[float, float]]


def read_pages(pdf: bytes) -> list[TexInk]:
    """What is on each page, in their order."""
    objects = {int(number): body for number, body in _OBJECT.findall(pdf)}
    return [_on_page(objects, body) for body in objects.values() if re.search(rb"/Type /Page\b", body)]


def _on_page(objects: dict[int, bytes], page: bytes) -> TexInk:
    box = [float(value) for value in re.search(rb"/MediaBox \[([^\]]*)\]", page)[1].split()]  # type: ignore[index]
    stream = _STREAM.search(objects[_reference(page, b"Contents")])
    assert stream is not None
    reader = _Reader(objects, _fonts(objects, objects[_reference(page, b"Resources")]))
    reader.run(stream[1])
    place = (PT_PER_BP, 0.0, 0.0, PT_PER_BP, -box[0] * PT_PER_BP, -box[1] * PT_PER_BP)
    size = ((box[2] - box[0]) * PT_PER_BP, (box[3] - box[1]) * PT_PER_BP)
    return TexInk(size, [map_point(p, place) for p in reader.glyphs], [map_point(p, place) for p in reader.points])


def _reference(body: bytes, key: bytes) -> int:
    found = re.search(rb"/" + key + rb" (\d+) 0 R", body)
    assert found is not None
    return int(found[1])


def _fonts(objects: dict[int, bytes], resources: bytes) -> dict[bytes, dict[int, float]]:
    listed = re.search(rb"/Font <<(.*?)>>", resources, re.DOTALL)
    fonts = {}
    for name, number in re.findall(rb"/(\S+) (\d+) 0 R", listed[1] if listed else b""):
        font = objects[int(number)]
        first = int(re.search(rb"/FirstChar (\d+)", font)[1])  # type: ignore[index]
        widths = objects[_reference(font, b"Widths")].strip(b"[] \n").split()
        fonts[name] = {first + at: float(width) / 1000 for at, width in enumerate(widths)}
    return fonts


def _bytes(token: bytes) -> bytes:
    if token.startswith(b"<"):
        return bytes.fromhex(token[1:-1].decode())

    def plain(found: re.Match[bytes]) -> bytes:
        code = found[1]
        return bytes([int(code, 8) if code[:1].isdigit() else _SIGNS.get(code, code[0])])

    return _ESCAPE.sub(plain, token[1:-1])


class _Reader:
    def __init__(self, objects: dict[int, bytes], fonts: dict[bytes, dict[int, float]]) -> None:
        self.objects, self.fonts = objects, fonts
        self.matrix: Matrix = IDENTITY
        self.saved: list[tuple[Matrix, float]] = []
        self.glyphs: list[tuple[float, float]] = []
        self.points: list[tuple[float, float]] = []
        self.path: list[list[tuple[float, float]]] = []
        self.text: Matrix = IDENTITY
        self.line: Matrix = IDENTITY
        self.width = 0.0
        self.font: tuple[dict[int, float], float] = ({}, 0.0)

    def run(self, stream: bytes) -> None:
        stack: list[Any] = []
        array: list[Any] | None = None
        for token in _TOKEN.findall(stream):
            if token == b"[":
                array = []
            elif token == b"]":
                stack.append(array)
                array = None
            elif token[:1] in b"(<":
                (stack if array is None else array).append(_bytes(token))
            elif re.fullmatch(rb"[-+]?[\d.]+", token):
                (stack if array is None else array).append(float(token))
            elif token[:1] == b"/":
                stack.append(token[1:])
            else:
                self.do(token, stack)
                stack = []

    def do(self, name: bytes, given: list[Any]) -> None:
        match name:
            case b"q":
                self.saved.append((self.matrix, self.width))
            case b"Q":
                self.matrix, self.width = self.saved.pop()
            case b"cm":
                self.matrix = compose_matrices(tuple(given), self.matrix)
            case b"m":
                self.path.append([map_point(tuple(given), self.matrix)])
            case b"l" | b"c":
                self.path[-1] += [map_point((given[at], given[at + 1]), self.matrix) for at in range(0, len(given), 2)]
            case b"re":
                x, y, w, h = given
                self.path.append([map_point(p, self.matrix) for p in ((x, y), (x + w, y), (x + w, y + h), (x, y + h))])
            case b"w":
                self.width = given[0]
            case b"S" if self.width > _SWEEPING:
                self.path = []
            case b"S" | b"s" | b"f" | b"f*" | b"B" | b"b" | b"B*" | b"b*":
                self.points += [point for part in self.path if len(part) > 1 for point in part]
                self.path = []
            case b"n":
                self.path = []
            case b"BT":
                self.text = self.line = IDENTITY
            case b"Tf":
                self.font = (self.fonts[given[0]], given[1])
            case b"Td":
                self.line = self.text = compose_matrices((1.0, 0.0, 0.0, 1.0, given[0], given[1]), self.line)
            case b"Tm":
                self.line = self.text = tuple(given)  # type: ignore[assignment]
            case b"TJ":
                self.show(given[0])
            case b"Tj":
                self.show(given)

    def show(self, parts: list[Any]) -> None:
        widths, size = self.font
        for part in parts:
            if isinstance(part, float):
                self.advance(-part / 1000 * size)
                continue
            for code in part:
                self.glyphs.append(map_point((0.0, 0.0), compose_matrices(self.text, self.matrix)))
                self.advance(widths[code] * size)

    def advance(self, by: float) -> None:
        self.text = compose_matrices((1.0, 0.0, 0.0, 1.0, by, 0.0), self.text)
