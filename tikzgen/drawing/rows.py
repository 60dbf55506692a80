r"""Rows of very many spans, for which TeX counts with `\dimexpr` instead of pgf's arithmetic."""

from __future__ import annotations

from typing import Literal

from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.drawing.arithmetic import LARGEST, in_cm
from tikzgen.drawing.canvas import Canvas, Words
from tikzgen.drawing.colors_lengths_fonts import color, fonts, number
from tikzgen.drawing.option_lists import inside, options, skip_blanks
from tikzgen.drawing.painting import paint
from tikzgen.drawing.refused import Unsupported
from tikzgen.drawing.set_text import set_text
from tikzgen.drawing.state import Rgb, State
from tikzgen.drawing.strokes import Step, rectangle
from tikzgen.drawing.tikz_keys import apply
from tikzgen.plane.affine import moved, shift, times, turn
from tikzgen.text.metrics.fonts import Font

_PARTS = pattern_of(
    r"\\rowbox\{([\d.]+)\}\{([\d.]+)\}\{([\d.]+)\}\{([\d.]+)\}\{([\d.]+)\}|\\def\\(rowmacro|rowwords)(#1)?(?=\{)|\\rows(?=\{)|"
    r"\\(?:edef\\row(?:unit|lane)|def\\row(?:box|fill|put|say|level|print|s)[#\d,;]*)(?=\{)"
)
_ROW = pattern_of(r"\s*\\row ([^,]*),([^,]*),([^,]*),([^;]*);")
_GAP = pattern_of(r"\\lanesep cm-([\d.]+)pt")
_PRINT = pattern_of(
    r"\\rowprint\{(-?\d+)\}\{(?:\\color\{(\w+)\})?(.*?)\\let\\row\\row(?:say|level)\\ignorespaces\}\{#1\}"
)


class _Words(Record):
    """How the texts of rows are set."""

    angle: float
    font: Font
    ink: Rgb


class _Rows:
    """The block of rows while it is read; lengths in pt."""

    def __init__(self, canvas: Canvas, state: State) -> None:
        self.canvas = canvas
        self.state = state
        unit, lane, sep = (in_cm(number(canvas, rf"\{name}")[0]) for name in ("timeunit", "laneheight", "lanesep"))
        self.unit, self.lane, self.sep, self.pitch = unit, lane, sep, lane + sep
        self.high, self.middle, self.before, self.less = lane, 0.0, 0.0, 0.0
        self.gap = 0.0
        self.way = self.direction()
        self.words: _Words | None = None

    def direction(self) -> Literal["right", "up", "down"]:
        along = self.state.styles.get("along time")
        rotation = dict(options(along[1])).get("rotate") if along else None
        if rotation not in (None, "90", "-90"):
            raise Unsupported("rows in this direction")
        return "right" if rotation is None else "up" if rotation == "90" else "down"

    def box(self, start: float, lane: float, lasts: float) -> tuple[float, float, float, float]:
        """Left, bottom, width and height of a span."""
        a, b, c, full = start * self.unit + self.before, lane * self.pitch, lasts * self.unit - self.less, self.high
        if not max(abs(a), abs(b), abs(c), abs(a + c)) <= LARGEST:
            raise Unsupported("a span as far away as this")
        if self.way == "right":
            return a, -b - self.middle - full / 2, c, full
        return b + self.middle - full / 2, (a if self.way == "up" else -a - c), full, c

    def draw(self, look: str, text: str) -> None:
        """One batch of rows in one style, and their texts."""
        own = self.state.copy()
        own.draw = own.fill = False
        apply(self.canvas, own, look)
        path: list[Step] = []
        texts: list[tuple[float, float, str]] = []
        at = 0
        while (row := _ROW.match(text, at)) is not None:
            at = row.end()
            self.canvas.spend()
            try:
                x, y, wide, high = self.box(float(row[1]), float(row[2]), float(row[3]))
            except ValueError:
                raise Unsupported(f"the row {row[0].strip()!r}") from None
            corners = moved((x, y), own.matrix), moved((x + wide, y + high), own.matrix)
            path += rectangle(*corners, own.radius)
            if self.words is not None and row[4].strip():
                texts.append((x + wide / 2, y + high / 2, row[4].strip()))
        if text[at:].strip():
            raise Unsupported(f"{text[at:].strip()[:30]!r} among rows")
        paint(self.canvas, path, own)
        for x, y, words in texts:
            self.write(x, y, words)

    def write(self, x: float, y: float, words: str) -> None:
        assert self.words is not None
        text = self.canvas.expand(rf"\rowmacro{{{words}}}")
        content = set_text(text, self.words.font, 0.0, self.canvas.scaled, trim=False)
        box = content.box
        self.canvas.spend(len(content.ink))
        corner = shift(-box.width / 2, -(box.height - box.depth) / 2)
        place = times(times(corner, turn(self.words.angle)), shift(*moved((x, y), self.state.matrix)))
        self.canvas.items.append(Words(content, place, self.words.ink, self.state.opacity))
        self.canvas.part("text", len(self.canvas.items) - 1)


def draw_rows(canvas: Canvas, state: State, text: str) -> None:
    """Draw a block of rows; all else in it is what the file defines to have TeX draw them."""
    with canvas.own_macros():
        _draw_rows(canvas, state, text)


def _draw_rows(canvas: Canvas, state: State, text: str) -> None:
    rows, at = _Rows(canvas, state), 0
    while (at := skip_blanks(text, at)) < len(text):
        found = _PARTS.match(text, at)
        if found is None:
            raise Unsupported(f"{text[at : at + 30]!r} among rows")
        at = found.end()
        if found[1]:
            lanes, near, far, low, high = map(float, found.groups()[:5])
            full = lanes * rows.pitch - rows.sep - rows.gap
            rows.before, rows.less = near, near + far
            rows.high, rows.middle = (high - low) * full, ((low + high) / 2 - 0.5) * full
            continue
        body, end = inside(text, at)
        if found[6] == "rowmacro":
            canvas.define("rowmacro", body if found[7] else body + "{#1}", arity=1)
        elif found[6] == "rowwords":
            rows.words = _words(canvas, state, body) if body else None
        elif found[0] == r"\rows":
            batch, end = inside(text, end)
            rows.draw(body, batch)
        elif found[0].startswith(r"\def\rowbox") and (gap := _GAP.search(body)):
            rows.gap = float(gap[1])
        at = end


def _words(canvas: Canvas, state: State, body: str) -> _Words:
    found = _PRINT.fullmatch(body)
    if found is None:
        raise Unsupported("texts of rows that are set this way")
    own = state.copy()
    own.node_font, own.font = found[3], ""
    ink = color(canvas, found[2], state) if found[2] else state.color
    return _Words(float(found[1]), fonts(own)[0], ink)
