"""Boxes below a partial picture, in SVG: the source text of each gap, with its line and the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from tikzgen.base.plain_words import count_of, join_words
from tikzgen.base.plane import Box
from tikzgen.compile.draw.gaps import DrawingGap
from tikzgen.compile.draw.output.numerals import number, xml_text

_SIZE_PT = 6.5  # pt: type of the source text
_ADVANCE_PT = 0.62 * _SIZE_PT  # pt: width of a character of a monospaced font
_LEADING_PT = 8.5  # pt
_PADDING_PT = 4.0  # pt
_LINE_PT = 0.8  # pt
_LEAST_WIDTH_PT = 230.0  # pt: about 8 cm
_MOST_BOXES_COUNT = 12
_MOST_LINES = 8  # lines of source text in a box
_RED, _INK, _FILL = "#c4003b", "#1a1a1a", "#fff4f6"


def write_gaps(gaps: Sequence[DrawingGap], box: Box) -> tuple[list[str], Box]:
    """Return the boxes for the gaps of a picture, and the box of the picture with them."""
    if not gaps:
        return [], box
    left, bottom, right, top = box
    width = max(right - left, _LEAST_WIDTH_PT)
    parts: list[str] = []
    at = -bottom + _PADDING_PT
    columns = int((width - 2 * _PADDING_PT) / _ADVANCE_PT)
    for gap in gaps[:_MOST_BOXES_COUNT]:
        head = wrap(f"line {gap.line}, not drawn: {join_words(each.rstrip(',') for each in gap.reasons)}", columns)
        lines = [row for line in gap.source.splitlines() for row in wrap(line, columns) or [""]]
        body = lines if len(lines) <= _MOST_LINES else [*lines[:_MOST_LINES], "…"]
        height = 2 * _PADDING_PT + (len(head) + len(body)) * _LEADING_PT
        parts.append(
            f'<rect x="{number(left + _LINE_PT / 2)}" y="{number(at)}" width="{number(width - _LINE_PT)}" '
            f'height="{number(height)}" '
            f'fill="{_FILL}" stroke="{_RED}" stroke-width="{_LINE_PT}" stroke-dasharray="2 2"/>'
        )
        baseline = at + _PADDING_PT + _SIZE_PT
        for row, (text, color) in enumerate([*((text, _RED) for text in head), *((text, _INK) for text in body)]):
            parts.append(_write_line(text, left + _PADDING_PT, baseline + row * _LEADING_PT, color))
        at += height + _PADDING_PT
    if (more := len(gaps) - _MOST_BOXES_COUNT) > 0:
        parts.append(_write_line(f"{count_of(more, 'statement')} more", left, at + _SIZE_PT, _RED))
        at += _LEADING_PT + _PADDING_PT
    return parts, (left, -at, left + width, top)


def _write_line(text: str, x: float, y: float, color: str) -> str:
    return (
        f'<text x="{number(x)}" y="{number(y)}" font-family="monospace" font-size="{number(_SIZE_PT)}" '
        f'fill="{color}" xml:space="preserve">{xml_text(text)}</text>'
    )
