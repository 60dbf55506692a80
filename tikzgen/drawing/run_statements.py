"""Statements of TikZ, one after the other: paths, scopes, loops, rows of spans."""

from __future__ import annotations

import re

from tikzgen.base.patterns import pattern_of
from tikzgen.drawing.arithmetic import evaluate
from tikzgen.drawing.canvas import Canvas
from tikzgen.drawing.colors_lengths_fonts import color
from tikzgen.drawing.option_lists import closing, inside, skip_blanks
from tikzgen.drawing.read_path import PathReader
from tikzgen.drawing.refused import Unsupported
from tikzgen.drawing.rows import draw_rows
from tikzgen.drawing.state import State
from tikzgen.drawing.tikz_keys import apply_brackets
from tikzgen.texfile.code import parted

_WORD = re.compile(r"\s*\\([A-Za-z]+)")
_PATHS = frozenset({"path", "draw", "fill", "filldraw", "node", "coordinate"})
_ENDS = {"ifcsname": "\\fi", "begingroup": "\\endgroup"}


class Runner:
    """Runs statements on a canvas; `place` is that of the last one in the outermost text."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        canvas.interpreter = self
        self.outermost: str | None = None
        self.place = 0

    def picture(self, text: str, state: State) -> None:
        """What stands between the beginning and the end of a picture, its options first."""
        own = state.copy()
        self.run(text, apply_brackets(self.canvas, own, text, 0), own)

    def statements(self, text: str, state: State) -> None:
        self.run(text, 0, state.copy())

    def run(self, text: str, at: int, state: State) -> None:
        self.canvas.enter()
        outer = self.outermost is None
        if outer:
            self.outermost = text
        scopes: list[State] = []
        while (found := _WORD.match(text, at)) is not None:
            self.canvas.spend()
            if outer:
                self.place = found.start(1)
            at, state = self.one(text, found, state, scopes)
        if text[at:].strip() or scopes:
            if outer:
                self.place = at
            raise Unsupported(f"{text[at:].strip()[:30]!r}" if text[at:].strip() else "a scope without its end")
        self.canvas.leave()

    def one(self, text: str, found: re.Match[str], state: State, scopes: list[State]) -> tuple[int, State]:
        """Run one statement: where it ends, and the state after it."""
        word, at = found[1], found.end()
        if word in _PATHS:
            return self.path(text, at, word, state), state
        if word == "begin":
            at = self.named(text, at, "scope")
            scopes.append(state)
            state = state.copy()
            return apply_brackets(self.canvas, state, text, at), state
        if word == "end" and scopes:
            return self.named(text, at, "scope"), scopes.pop()
        if word == "color":
            chosen, at = inside(text, at)
            state.color = color(self.canvas, chosen, state)
            return at, state
        if word == "foreach":
            return self.loop(text, at, state), state
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

    def named(self, text: str, at: int, name: str) -> int:
        found, end = inside(text, at)
        if found != name:
            raise Unsupported(f"the environment {found!r}")
        return end

    def path(self, text: str, at: int, word: str, state: State) -> int:
        own = state.copy()
        own.draw, own.fill = word in ("draw", "filldraw"), word in ("fill", "filldraw")
        way = PathReader(self.canvas, own)
        if word in ("node", "coordinate"):
            at = way.label(text, at, word)
        return way.read(text, at)

    def loop(self, text: str, at: int, state: State) -> int:
        names, rows, body, end = read_loop(text, at, self.canvas)
        with self.canvas.own_macros():
            for values in rows:
                for name, value in zip(names, values, strict=True):
                    self.canvas.define(name, value)
                self.statements(body, state)
        return end


_HEAD = re.compile(r"\s*(\\[A-Za-z]+(?:/\\[A-Za-z]+)*)\s*in\s*(?=\{)")
_END = pattern_of(r"\\.|[{;]", re.DOTALL)
_MOST_TURNS = 100_000


def read_loop(text: str, at: int, canvas: Canvas) -> tuple[list[str], list[list[str]], str, int]:
    """The variables of a loop, their values in each turn, what it repeats, and where it ends."""
    found = _HEAD.match(text, at)
    if found is None:
        raise Unsupported("this \\foreach")
    names = [name[1:] for name in found[1].split("/")]
    told, end = inside(text, found.end())
    values = _listed(parted(canvas.expand(told)))
    rows = [value.split("/") if len(names) > 1 else [value] for value in values]
    if any(len(row) != len(names) for row in rows):
        raise Unsupported("a \\foreach whose values are more or fewer than its variables")
    body, end = _body(text, skip_blanks(text, end))
    return names, rows, body, end


def _listed(values: list[str]) -> list[str]:
    """The values, with those that dots stand for."""
    if "..." not in values:
        return values
    place = values.index("...")
    if place not in (1, 2) or len(values) != place + 2:
        raise Unsupported(f"the list {','.join(values)!r}")
    first, last = evaluate(values[0])[0], evaluate(values[-1])[0]
    step = evaluate(values[1])[0] - first if place == 2 else 1.0
    turns = int((last - first) / step + 1e-6) + 1 if step else _MOST_TURNS + 1
    if not 0 < turns <= _MOST_TURNS:
        raise Unsupported(f"a \\foreach of more than {_MOST_TURNS} turns")
    return [f"{first + number * step:.5f}".rstrip("0").rstrip(".") for number in range(turns)]


def _body(text: str, at: int) -> tuple[str, int]:
    """What is repeated: a group, or all to the next semicolon."""
    if text[at : at + 1] == "{":
        end = closing(text, at)
        return text[at + 1 : end - 1], end
    begin = at
    while (found := _END.search(text, at)) is not None:
        if found[0] == ";":
            return text[begin : found.end()], found.end()
        at = closing(text, found.start()) if found[0] == "{" else found.end()
    raise Unsupported("a \\foreach without its end")
