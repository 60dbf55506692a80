r"""How large the boxes of raw TeX will be: rules, frames, scaled and turned texts, tables.

These are what labels in raw TeX have beside text. The sizes follow LaTeX's defaults (`\fboxsep`, `\tabcolsep` …) and
err on the large side; only TeX itself knows better (`tikzgen render --measure`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import cos, radians, sin

from tikzgen.text.metrics.boxes import EMPTY, Box, Font, upon_last
from tikzgen.text.metrics.tables import face

__all__ = ["BOXED", "Measure", "cells", "framed", "paragraph", "resized", "ruled", "scaled", "table", "turned"]

Measure = Callable[[str, Font], Box]
"""The box of some TeX text that is one line."""

_NAMES = """rule fbox framebox makebox colorbox fcolorbox raisebox scalebox resizebox rotatebox parbox shortstack
underline kern hskip"""
BOXED = frozenset(_NAMES.split())
"""Commands whose boxes are computed here."""

_FRAME = 3.4  # pt, LaTeX's \fboxsep and \fboxrule
_GUTTERS: Mapping[str, float] = {"tabular": 6.0}  # pt on each side of a column, LaTeX's \tabcolsep; else \arraycolsep
_ARRAY = 5.0
_STRUT = (0.7, 0.3)  # of the baselines' distance: the height and depth of a row of a table
_LEADING = 1.25  # em: the baselines' distance, at most
_JOT = 3.0  # pt between rows of displayed formulas, LaTeX's \jot
_RULE = 0.4  # pt
_FENCE = 0.92  # em: the width of the delimiters of a matrix, at most
_TOKEN = re.compile(r"\\\\\*?(?:\[[^\]]*\])?|\\(?:begin|end)\b|\\.|[{}&]", re.DOTALL)


def framed(inner: Box) -> Box:
    """A text in a frame, or on a ground of colour."""
    return Box(inner.width + 2 * _FRAME, inner.height + _FRAME, inner.depth + _FRAME)


def ruled(width: float, height: float, lift: float) -> Box:
    r"""A `\rule`, lifted off the baseline; lengths in pt."""
    return Box(max(width, 0.0), max(height + lift, 0.0), max(-lift, 0.0))


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
    width = sum(widths) + columns * 2 * _GUTTERS.get(name, _ARRAY) + rules * _RULE
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
