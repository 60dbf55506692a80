"""Statements of TikZ in order: paths, scopes, loops, rows of spans."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Literal

from tikzgen.base.patterns import pattern_of
from tikzgen.base.plane import compose_matrices, map_point, shift, turn
from tikzgen.base.record import Record
from tikzgen.compile.draw.arithmetic import LARGEST_PT, evaluate, in_cm
from tikzgen.compile.draw.canvas import Canvas, TextOnCanvas
from tikzgen.compile.draw.colors_lengths_fonts import color, number, select_fonts
from tikzgen.compile.draw.gaps import FAILURES, find_statement_end
from tikzgen.compile.draw.option_lists import find_closing, parse_options, read_bracket, skip_blanks
from tikzgen.compile.draw.output.painting import paint
from tikzgen.compile.draw.output.set_text import set_text
from tikzgen.compile.draw.place_nodes import draw_mark
from tikzgen.compile.draw.read_path import PathReader
from tikzgen.compile.draw.state import Rgb, State
from tikzgen.compile.draw.strokes import PathStep, make_rectangle
from tikzgen.compile.draw.tikz_keys import apply, apply_brackets
from tikzgen.compile.draw.unsupported import Unsupported
from tikzgen.texfile import split_at_commas
from tikzgen.text.metrics import LabelFont

# Rows of many spans, for which TeX counts with `\dimexpr` instead of pgf's arithmetic.

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
    """Style of the labels in rows."""

    angle: float
    font: LabelFont
    ink: Rgb


class _Rows:
    """State of a block of rows while it is read; lengths in pt."""

    def __init__(self, canvas: Canvas, state: State) -> None:
        self.canvas = canvas
        self.state = state
        unit, lane, sep = (in_cm(number(canvas, rf"\{name}")[0]) for name in ("timeunit", "laneheight", "lanesep"))
        self.unit, self.lane, self.sep, self.pitch = unit, lane, sep, lane + sep
        self.high, self.middle, self.before, self.less = lane, 0.0, 0.0, 0.0
        self.gap = 0.0
        self.way = self.find_direction()
        self.words: _Words | None = None

    def find_direction(self) -> Literal["right", "up", "down"]:
        along = self.state.styles.get("along time")
        rotation = dict(parse_options(along[1])).get("rotate") if along else None
        if rotation not in (None, "90", "-90"):
            raise Unsupported("rows in this direction")
        return "right" if rotation is None else "up" if rotation == "90" else "down"

    def place_cell(self, start: float, lane: float, lasts: float) -> tuple[float, float, float, float]:
        """Return left, bottom, width and height of a span."""
        a, b, c, full = start * self.unit + self.before, lane * self.pitch, lasts * self.unit - self.less, self.high
        if not max(abs(a), abs(b), abs(c), abs(a + c)) <= LARGEST_PT:
            raise Unsupported("a span as far away as this")
        if self.way == "right":
            return a, -b - self.middle - full / 2, c, full
        return b + self.middle - full / 2, (a if self.way == "up" else -a - c), full, c

    def draw(self, look: str, text: str) -> None:
        """Draw one batch of rows in one style, with their labels."""
        own = self.state.copy()
        own.draw = own.fill = False
        apply(self.canvas, own, look)
        path: list[PathStep] = []
        texts: list[tuple[float, float, str]] = []
        at = 0
        while (row := _ROW.match(text, at)) is not None:
            at = row.end()
            self.canvas.count_steps()
            try:
                x, y, wide, high = self.place_cell(float(row[1]), float(row[2]), float(row[3]))
            except ValueError:
                raise Unsupported(f"the row {row[0].strip()!r}") from None
            corners = map_point((x, y), own.matrix), map_point((x + wide, y + high), own.matrix)
            path += make_rectangle(*corners, own.radius)
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
        self.canvas.count_steps(len(content.ink))
        corner = shift(-box.width / 2, -(box.height - box.depth) / 2)
        place = compose_matrices(
            compose_matrices(corner, turn(self.words.angle)), shift(*map_point((x, y), self.state.matrix))
        )
        self.canvas.items.append(TextOnCanvas(content, place, self.words.ink, self.state.opacity))
        self.canvas.join_items("text", len(self.canvas.items) - 1)


def draw_rows(canvas: Canvas, state: State, text: str) -> None:
    """Draw a block of rows; its other contents are definitions for TeX."""
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
        body, end = read_bracket(text, at)
        if found[6] == "rowmacro":
            canvas.define("rowmacro", body if found[7] else body + "{#1}", arity=1)
        elif found[6] == "rowwords":
            rows.words = _split_text(canvas, state, body) if body else None
        elif found[0] == r"\rows":
            batch, end = read_bracket(text, end)
            rows.draw(body, batch)
        elif found[0].startswith(r"\def\rowbox") and (gap := _GAP.search(body)):
            rows.gap = float(gap[1])
        at = end


def _split_text(canvas: Canvas, state: State, body: str) -> _Words:
    found = _PRINT.fullmatch(body)
    if found is None:
        raise Unsupported("row labels with these options")
    own = state.copy()
    own.node_font, own.font = found[3], ""
    ink = color(canvas, found[2], state) if found[2] else state.color
    return _Words(float(found[1]), select_fonts(own)[0], ink)


_WORD = re.compile(r"\s*\\([A-Za-z]+)")
PATHS = ("path", "draw", "fill", "filldraw", "node", "coordinate")
"""Statements that are paths."""
_ENDS = {"ifcsname": "\\fi", "begingroup": "\\endgroup"}


class Runner:
    """Runner of statements on a canvas; `place` is the position of the last one in the outermost source."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        canvas.interpreter = self
        self.outermost: str | None = None
        self.place = 0

    def run_picture(self, text: str, state: State) -> None:
        """Run the contents of a picture, its options first."""
        own = state.copy()
        at, first = apply_brackets(self.canvas, own, text, 0), len(self.canvas.items)
        self.run_statements(text, at, own)
        if own.framed:
            self.draw_background(own, first)

    def draw_background(self, state: State, first: int) -> None:
        """Draw the background of a picture before its items; `first` is the index of the first item."""
        left, bottom, right, top = self.canvas.box or (0.0, 0.0, 0.0, 0.0)
        own, sep = state.copy(), state.frame_sep
        own.draw = own.fill = False
        apply(self.canvas, own, "background rectangle")
        with self.canvas.collect_items() as items:
            corners = (left - sep, bottom - sep), (right + sep, top + sep)
            paint(self.canvas, make_rectangle(*corners, own.radius), own)
        self.canvas.items[first:first] = items

    def run_in_scope(self, text: str, state: State) -> None:
        self.run_statements(text, 0, state.copy())

    def run_statements(self, text: str, at: int, state: State) -> None:
        self.canvas.enter()
        outer = self.outermost is None
        if outer:
            self.outermost = text
        scopes: list[State] = []
        while text[at:].strip():
            found = _WORD.match(text, at)
            if outer:
                self.place = found.start(1) if found else skip_blanks(text, at)
            if self.canvas.gaps is None:
                at, state = self.run_statement(text, at, found, state, scopes)
            else:
                at, state = self.run_or_leave_out(text, at, found, state, scopes)
        if scopes:
            if outer:
                self.place = at
            self.canvas.leave_out(Unsupported("a scope without its end"))
        self.canvas.leave()

    def run_or_leave_out(
        self, text: str, at: int, found: re.Match[str] | None, state: State, scopes: list[State]
    ) -> tuple[int, State]:
        """Run one statement of a partial picture; after a failure, draw a mark in place of a node."""
        held = [*scopes]
        try:
            with self.canvas.undone_on_failure():
                return self.run_statement(text, at, found, state, scopes)
        except FAILURES as error:
            scopes[:] = held
            self.canvas.leave_out(error)
        end = find_statement_end(text, at)
        with suppress(*FAILURES), self.canvas.undone_on_failure():
            draw_mark(self.canvas, state, text[at:end])
        return end, state

    def run_statement(
        self, text: str, at: int, found: re.Match[str] | None, state: State, scopes: list[State]
    ) -> tuple[int, State]:
        """Run one statement; return its end and the state after it."""
        self.canvas.count_steps()
        if found is None:
            raise Unsupported(f"{text[at:].strip()[:30]!r}")
        word, at = found[1], found.end()
        if word in PATHS:
            return self.run_path(text, at, word, state), state
        if word == "begin":
            at = self.run_named(text, at, "scope")
            scopes.append(state)
            state = state.copy()
            return apply_brackets(self.canvas, state, text, at), state
        if word == "end" and scopes:
            return self.run_named(text, at, "scope"), scopes.pop()
        if word == "color":
            chosen, at = read_bracket(text, at)
            state.color = color(self.canvas, chosen, state)
            return at, state
        if word == "foreach":
            return self.run_loop(text, at, state), state
        if word in _ENDS:
            end = text.find(_ENDS[word], at)
            if end < 0:
                raise Unsupported(f"\\{word} without its end")
            if word == "begingroup":
                draw_rows(self.canvas, state, text[at:end])
            elif not text[at:end].startswith(" lxSVG@picture"):
                raise Unsupported(text[found.start(1) - 1 : end])
            return end + len(_ENDS[word]), state
        raise Unsupported(f"\\{word}")

    def run_named(self, text: str, at: int, name: str) -> int:
        found, end = read_bracket(text, at)
        if found != name:
            raise Unsupported(f"the environment {found!r}")
        return end

    def run_path(self, text: str, at: int, word: str, state: State) -> int:
        own = state.copy()
        own.draw, own.fill = word in ("draw", "filldraw"), word in ("fill", "filldraw")
        way = PathReader(self.canvas, own)
        if word in ("node", "coordinate"):
            at = way.label(text, at, word)
        return way.read_path(text, at)

    def run_loop(self, text: str, at: int, state: State) -> int:
        names, rows, body, end = read_loop(text, at, self.canvas)
        with self.canvas.own_macros():
            for values in rows:
                for name, value in zip(names, values, strict=True):
                    self.canvas.define(name, value)
                self.run_in_scope(body, state)
        return end


_HEAD = re.compile(r"\s*(\\[A-Za-z]+(?:/\\[A-Za-z]+)*)\s*in\s*(?=\{)")
_END = pattern_of(r"\\.|[{;]", re.DOTALL)
_LOOP_LIMIT = 100_000


def read_loop(text: str, at: int, canvas: Canvas) -> tuple[list[str], list[list[str]], str, int]:
    """Return the variables of a loop, their values in each iteration, its body, and its end."""
    found = _HEAD.match(text, at)
    if found is None:
        raise Unsupported("this \\foreach")
    names = [name[1:] for name in found[1].split("/")]
    told, end = read_bracket(text, found.end())
    values = _expand_dots(split_at_commas(canvas.expand(told)))
    rows = [value.split("/") if len(names) > 1 else [value] for value in values]
    if any(len(row) != len(names) for row in rows):
        raise Unsupported("a \\foreach whose values are more or fewer than its variables")
    body, end = _read_body(text, skip_blanks(text, end))
    return names, rows, body, end


def _expand_dots(values: list[str]) -> list[str]:
    """Return the values, with dots replaced by the values that they represent."""
    if "..." not in values:
        return values
    place = values.index("...")
    if place not in (1, 2) or len(values) != place + 2:
        raise Unsupported(f"the list {','.join(values)!r}")
    first, last = evaluate(values[0])[0], evaluate(values[-1])[0]
    step = evaluate(values[1])[0] - first if place == 2 else 1.0
    turns = int((last - first) / step + 1e-6) + 1 if step else _LOOP_LIMIT + 1
    if not 0 < turns <= _LOOP_LIMIT:
        raise Unsupported(f"a \\foreach of more than {_LOOP_LIMIT} turns")
    return [f"{first + number * step:.5f}".rstrip("0").rstrip(".") for number in range(turns)]


def _read_body(text: str, at: int) -> tuple[str, int]:
    """Return the body of a loop, a group or everything up to the next semicolon, and its end."""
    if text[at : at + 1] == "{":
        end = find_closing(text, at)
        return text[at + 1 : end - 1], end
    begin = at
    while (found := _END.search(text, at)) is not None:
        if found[0] == ";":
            return text[begin : found.end()], found.end()
        at = find_closing(text, found.start()) if found[0] == "{" else found.end()
    raise Unsupported("a \\foreach without its end")
