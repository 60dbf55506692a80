r"""How large the boxes of raw TeX will be: rules, frames, scaled and turned texts, tables, formulas with tables.

These are what labels in raw TeX have beside text. The sizes follow LaTeX's defaults (`\fboxsep`, `\tabcolsep` …) and
err on the large side; only TeX itself knows better (`tikzgen render --measure`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from math import cos, radians, sin

from tikzgen.base.patterns import pattern_of
from tikzgen.text.metrics.boxes import EMPTY, Box, beside, set_run, upon_last
from tikzgen.text.metrics.fonts import Font, face, script_sizes
from tikzgen.text.metrics.read_running_text import Reader
from tikzgen.text.metrics.scripts_and_fractions import SCRIPT_SPACE
from tikzgen.text.metrics.text_commands import HIDDEN, Cursor, points

_NAMES = """rule fbox framebox makebox colorbox fcolorbox raisebox scalebox resizebox rotatebox parbox shortstack
underline kern hskip"""
BOXED = frozenset(_NAMES.split())
"""Commands whose boxes are computed here."""

_FRAME = 3.4  # pt, LaTeX's \fboxsep and \fboxrule
_TABULAR, _ARRAY = 6.0, 5.0  # pt on each side of a column, LaTeX's \tabcolsep and \arraycolsep
_STRUT = (0.7, 0.3)  # of the baselines' distance: the height and depth of a row of a table
_LEADING = 1.25  # em: the baselines' distance, at most
_JOT = 3.0  # pt between rows of displayed formulas, LaTeX's \jot
_RULE = 0.4  # pt
_FENCE = 0.92  # em: the width of the delimiters of a matrix, at most
_TOKEN = pattern_of(r"\\\\\*?(?:\[[^\]]*\])?|\\(?:begin|end)\b|\\.|[{}&]", re.DOTALL)


def scaled(inner: Box, across: float, up: float) -> Box:
    """A text scaled; a mirrored one changes its sides."""
    above, below = (inner.height, inner.depth) if up >= 0 else (inner.depth, inner.height)
    return Box(inner.width * abs(across), above * abs(up), below * abs(up))


def resized(inner: Box, width: float | None, height: float | None) -> Box:
    """A text scaled to a width and a height in pt; None keeps its shape."""
    across = width / inner.width if width is not None and inner.width else None
    up = height / inner.height if height is not None and inner.height else None
    return scaled(inner, across or up or 1.0, up or across or 1.0)


def turned(inner: Box, degrees: float) -> Box:
    """A text turned about the left end of its baseline."""
    turn = radians(degrees)
    ends = [(x, y) for x in (0.0, inner.width) for y in (-inner.depth, inner.height)]
    wide = [x * cos(turn) - y * sin(turn) for x, y in ends]
    high = [x * sin(turn) + y * cos(turn) for x, y in ends]
    return Box(max(wide) - min(wide), max(*high, 0.0), max(-min(high), 0.0))


def paragraph(inner: Box, width: float, font: Font) -> Box:
    """A text that TeX breaks to a width in pt; its baseline is in its middle."""
    lines = -(-inner.width * 1.15 // width) if width > 0 else 1.0
    total = max(inner.total, font.size) + (lines - 1) * _LEADING * font.size
    return _centred(width, total, font)


def table(name: str, rows: Sequence[Sequence[Box]], rules: int, font: Font) -> Box:
    """A table, an array or a matrix of such cells; `rules` are the vertical lines in it."""
    columns = max((len(row) for row in rows), default=0)
    widths = [max((row[place].width for row in rows if place < len(row)), default=0.0) for place in range(columns)]
    width = sum(widths) + columns * 2 * (_TABULAR if name == "tabular" else _ARRAY) + rules * _RULE
    if name not in ("tabular", "array", "aligned", "gathered"):
        width += 2 * _FENCE * font.size - 2 * _ARRAY  # delimiters, close to the cells
    lead = _LEADING * font.size * (1.2 if name == "cases" else 1.0)
    total = 0.0
    for row in rows:
        above = max([_STRUT[0] * lead, *(cell.height for cell in row)])
        below = max([_STRUT[1] * lead, *(cell.depth for cell in row)])
        total += above + below + (_JOT if name in ("aligned", "gathered") else 0.0)
    return _centred(width, total + 2 * _RULE * (len(rows) + 1 if rules else 0) + 1.0, font)


def stacked(lines: Sequence[Box], font: Font) -> Box:
    r"""Lines one above the other on the baseline of the last one, as `\shortstack` has them."""
    steps = [max(above.depth + below.height + 3.0, 0.0) for above, below in pairwise(lines)]
    return upon_last(lines, steps)


def cells(body: str) -> list[list[str]]:
    """The rows of a table and their cells; what stands in groups and inner tables is left alone."""
    rows: list[list[str]] = [[""]]
    depth = at = 0
    for token in _TOKEN.finditer(body):
        text = token[0]
        rows[-1][-1] += body[at : token.start()]
        at = token.end()
        if depth == 0 and text.startswith("\\\\"):
            rows.append([""])
        elif depth == 0 and text == "&":
            rows[-1].append("")
        else:
            depth += {"{": 1, r"\begin": 1, "}": -1, r"\end": -1}.get(text, 0)
            rows[-1][-1] += text
    rows[-1][-1] += body[at:]
    if len(rows) > 1 and not "".join(rows[-1]).replace(r"\hline", "").strip():
        rows.pop()
    return [[cell.replace(r"\hline", "").strip() for cell in row] for row in rows]


def _centred(width: float, total: float, font: Font) -> Box:
    """A box whose middle lies on the axis of formulas."""
    axis = face("symbols", font.size).parameter(22)
    return Box(width, total / 2 + axis, total / 2 - axis) if total else EMPTY


_BEGIN = pattern_of(r"\\begin\s*\{([A-Za-z]+\*?)\}")
_EDGE = pattern_of(r"\\(begin|end)\s*\{")
_NUMBER = pattern_of(r"-?\d*\.?\d+")
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
            return Box(max(wide, 0.0), max(tall + lift, 0.0), max(-lift, 0.0))
        case "raisebox":
            lift = points(reader.argument(), reader.font) or 0.0
            reader.options()  # what height and depth the box pretends to have
            inner = reader.inner(reader.argument())
            return Box(inner.width, max(inner.height + lift, 0.0), max(inner.depth - lift, 0.0))
        case "scalebox":
            across = _number(reader.argument())
            up = reader.option()
            return scaled(reader.inner(reader.argument()), across, across if up is None else _number(up))
        case "resizebox":
            width, height = (points(reader.argument(), reader.font) for _ in range(2))
            return resized(reader.inner(reader.argument()), width, height)
        case "rotatebox":
            reader.option()
            degrees = _number(reader.argument())
            return turned(reader.inner(reader.argument()), degrees)
        case "parbox":
            reader.options()
            return _paragraph(reader, reader.argument(), reader.argument())
        case "shortstack":
            reader.option()
            return stacked([reader.inner(row[0]) for row in cells(reader.argument())], reader.font)
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
    frame = 0.0 if name == "makebox" else _FRAME
    wide = inner.width + 2 * frame if width is None else max(width, 0.0)
    return Box(wide, inner.height + frame, inner.depth + frame)


def environment(reader: Reader, name: str, body: str) -> Box:
    """The box of an environment: a table, or a paragraph."""
    if name == "minipage":
        inside = Cursor(body)
        inside.options()
        width = inside.argument()
        return _paragraph(reader, width, inside.remainder)
    if name in _CENTRED:
        return stacked([reader.inner(row[0]) for row in cells(body)], reader.font)
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
    return inner if wide is None else paragraph(inner, wide, reader.font)


def _number(text: str) -> float:
    return float(text) if _NUMBER.fullmatch(text.strip()) else 1.0


_UNDERSCORE = {"sans": 0.67, "mono": 0.53}  # the width of an underscore, in the font's own em
_LETTERS = pattern_of(r"(\\[A-Za-z]+)|[a-z]+")
_EXACT = ("mbox", "-", "/", "_", "dots", "ldots", "textellipsis", "textcircled", "ooalign", "textsuperscript", "char")


def rare(reader: Reader, name: str) -> None:
    """Add what a command prints; what is unknown is as wide as an M, or as its arguments."""
    size = reader.font.size
    reader.exact = reader.exact and name in (*_EXACT, "hspace")
    if name == "_":
        # a thin rule in OT1 fonts; a wide and deep character in all others, which are measured here
        wide = _UNDERSCORE.get(reader.font.family, 0.76)
        reader.exact = False
        reader.add(Box(wide * reader.font.face.parameter(6), 0.04 * size, 0.2 * size))
    elif name in ("dots", "ldots", "textellipsis"):
        dot = reader.run(".")
        reader.add(Box(3 * (dot.width + reader.font.face.parameter(3)), dot.height, dot.depth))
    elif name in ("textcircled", "ooalign"):  # a character in a circle; we write no other overprints
        reader.argument()
        reader.add(set_run("\x0d", face("symbols", size)))
    elif name == "textsuperscript":
        small = reader.inner(reader.argument(), reader.font.at(script_sizes(size)[0]))
        reader.add(Box(small.width + SCRIPT_SPACE, small.height + face("symbols", size).parameter(14), 0))
    elif name == "char":
        number = re.match(r"\d*", reader.remainder)
        reader.at += number.end() if number else 0
        reader.add(set_run(chr(int((number and number[0]) or 0)), reader.font.face))
    elif name == "hspace":
        reader.at += reader.source.startswith("*", reader.at)
        found = points(reader.argument(), reader.font)
        reader.exact = reader.exact and found is not None
        reader.space(found or 0.0)
    elif name == "begin" or name in BOXED:
        _enclosed(reader, name)
    elif name in HIDDEN:
        for _ in range(HIDDEN[name]):
            reader.argument()
    elif name == "textsc":  # LaTeX has small capitals in serif fonts alone
        capitals = _LETTERS.sub(lambda found: found[1] or found[0].upper(), reader.argument())
        reader.add(reader.inner(capitals, reader.font.styled("serif")))
    elif name in ("TeX", "LaTeX", "LaTeXe"):
        letters = reader.inner(name.upper(), reader.font.styled("serif"))
        reader.add(Box(letters.width, letters.height, 0.23 * size))
    elif name == "strut":
        reader.lines[-1].append(Box(0, 0.875 * size, 0.375 * size))
    elif not reader.source.startswith("{", reader.at):
        letter = set_run("M", reader.font.face)
        reader.add(Box(letter.width, letter.height, 0.25 * size))


def _enclosed(reader: Reader, name: str) -> None:
    """A box of raw TeX, or an environment."""
    if name == "begin":
        name = reader.argument()
        body, reader.at = split(reader.source, reader.at, name)
        reader.add(environment(reader, name, body))
    else:
        reader.add(boxed(reader, name))
