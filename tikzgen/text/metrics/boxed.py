"""Read the boxes of raw TeX and measure them: the commands of `enclosed`, tables, and formulas with tables inside."""

from __future__ import annotations

import re

from tikzgen.text.metrics import enclosed
from tikzgen.text.metrics.arguments import Cursor, points
from tikzgen.text.metrics.boxes import EMPTY, Box, beside
from tikzgen.text.metrics.enclosed import cells, table
from tikzgen.text.metrics.running_text import Reader

__all__ = ["boxed", "environment", "loose"]

_BEGIN = re.compile(r"\\begin\s*\{([A-Za-z]+\*?)\}")
_EDGE = re.compile(r"\\(begin|end)\s*\{")
_NUMBER = re.compile(r"-?\d*\.?\d+")
_PARAGRAPHS = ("minipage",)
_CENTRED = ("center", "flushleft", "flushright")
_SIGN = 0.6  # em of a character or command in a formula that nothing else tells about
_TALL, _DEEP = 1.0, 0.5  # em


def boxed(reader: Reader, name: str) -> Box:
    """The box of a command of `BOXED` whose arguments come next."""
    match name:
        case "kern" | "hskip":
            return Box(max(points(reader.bare_length(), reader.font) or 0.0, 0.0), 0, 0)
        case "rule":
            lift = points(reader.option() or "", reader.font) or 0.0
            wide, tall = (points(reader.argument(), reader.font) or 0.0 for _ in range(2))
            return enclosed.ruled(wide, tall, lift)
        case "raisebox":
            lift = points(reader.argument(), reader.font) or 0.0
            reader.options()  # what height and depth the box pretends to have
            inner = reader.inner(reader.argument())
            return Box(inner.width, max(inner.height + lift, 0.0), max(inner.depth - lift, 0.0))
        case "scalebox":
            across = _number(reader.argument())
            up = reader.option()
            return enclosed.scaled(reader.inner(reader.argument()), across, across if up is None else _number(up))
        case "resizebox":
            width, height = (points(reader.argument(), reader.font) for _ in range(2))
            return enclosed.resized(reader.inner(reader.argument()), width, height)
        case "rotatebox":
            reader.option()
            degrees = _number(reader.argument())
            return enclosed.turned(reader.inner(reader.argument()), degrees)
        case "parbox":
            reader.options()
            return _paragraph(reader, reader.argument(), reader.argument())
        case "shortstack":
            reader.option()
            return enclosed.stacked([reader.inner(row[0]) for row in cells(reader.argument())], reader.font)
        case "underline":
            inner = reader.inner(reader.argument())
            return Box(inner.width, inner.height, inner.depth + 0.25 * reader.font.size)
    return _frame(reader, name)


def _frame(reader: Reader, name: str) -> Box:
    """Boxes with a width of their own, a frame or a ground of colour."""
    for _ in range({"colorbox": 1, "fcolorbox": 2}.get(name, 0)):
        reader.argument()
    width = points(reader.option() or "", reader.font)
    reader.option()
    inner = reader.inner(reader.argument())
    box = inner if name == "makebox" else enclosed.framed(inner)
    return box if width is None else Box(max(width, 0.0), box.height, box.depth)


def environment(reader: Reader, name: str, body: str) -> Box:
    """The box of an environment: a table, or a paragraph."""
    if name in _PARAGRAPHS:
        inside = Cursor(body)
        inside.options()
        width = inside.argument()
        return _paragraph(reader, width, inside.remainder)
    if name in _CENTRED:
        return enclosed.stacked([reader.inner(row[0]) for row in cells(body)], reader.font)
    if name in ("tabular", "array"):
        inside = Cursor(body)
        inside.options()
        columns = inside.argument()
        rows = [[reader.inner(cell) for cell in row] for row in cells(inside.remainder)]
        return table(name, rows, columns.count("|") or body.count(r"\hline"), reader.font)
    return _maths_table(reader, name, body)


def _maths_table(reader: Reader, name: str, body: str) -> Box:
    if name == "array":
        inside = Cursor(body)
        inside.options()
        inside.argument()
        body = inside.remainder
    rows = [[reader.formula_box(cell) if cell else EMPTY for cell in row] for row in cells(body)]
    return table(name, rows, 0, reader.font)


def loose(reader: Reader, formula: str) -> Box:
    """A formula that the parser does not know: tables by their cells, all else by the count of its signs."""
    found = _BEGIN.search(formula)
    if found is None:
        signs = len(re.findall(r"\\[A-Za-z]+|[^\s{}\\]", formula))
        size = reader.font.size
        return Box(signs * _SIGN * size, _TALL * size, _DEEP * size)
    body, end = split(formula, found.end(), found[1])
    parts = [formula[: found.start()], formula[end:]]
    around = [reader.formula_box(part) for part in parts if part.strip()]
    return beside([_maths_table(reader, found[1], body), *around])


def split(source: str, at: int, name: str) -> tuple[str, int]:
    """The body of an environment that began before `at`, and where it ends."""
    depth = 1
    for edge in _EDGE.finditer(source, at):
        depth += 1 if edge[1] == "begin" else -1
        if depth == 0:
            return source[at : edge.start()], source.find("}", edge.start()) + 1
    return source[at:], len(source)


def _paragraph(reader: Reader, width: str, body: str) -> Box:
    inner = reader.inner(body)
    wide = points(width, reader.font)
    return inner if wide is None else enclosed.paragraph(inner, wide, reader.font)


def _number(text: str) -> float:
    return float(text) if _NUMBER.fullmatch(text.strip()) else 1.0
