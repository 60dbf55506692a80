r"""Loops: the names, the values and the body of a `\foreach`."""

from __future__ import annotations

import re

from tikzgen.base.patterns import pattern_of
from tikzgen.drawing.arithmetic import evaluate
from tikzgen.drawing.canvas import Canvas
from tikzgen.drawing.option_lists import closing, pieces, skip_blanks
from tikzgen.drawing.refused import Unsupported

_HEAD = re.compile(r"\s*(\\[A-Za-z]+(?:/\\[A-Za-z]+)*)\s*in\s*(?=\{)")
_END = pattern_of(r"\\.|[{;]", re.DOTALL)
_MOST_TURNS = 100_000


def read_loop(text: str, at: int, canvas: Canvas) -> tuple[list[str], list[list[str]], str, int]:
    """The variables of a loop, their values in each turn, what it repeats, and where it ends."""
    found = _HEAD.match(text, at)
    if found is None:
        raise Unsupported("this \\foreach")
    names = [name[1:] for name in found[1].split("/")]
    end = closing(text, found.end())
    values = _listed([value.strip() for value in pieces(canvas.expand(text[found.end() + 1 : end - 1]))])
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
