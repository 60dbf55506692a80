"""Boxes of text and formulas, horizontally and vertically combined, and the boxes of characters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from tikzgen.base.record import Record
from tikzgen.text.metrics.fonts import Face

LINE_SKIP_PT = 1.0
r"""pt between lines that are too tall for the baselines, LaTeX's `\lineskip`."""

_SPACE_FACTORS = {".": 3000, "?": 3000, "!": 3000, ":": 2000, ";": 1500, ",": 1250, ")": 0, "'": 0, "]": 0}
_CAPITAL_FACTOR = 999  # TeX's space factor, in thousandths of the usual one
_CAPITALS = re.compile(r"[A-Z\x80-\x9c\xc0-\xdf]")  # by character code in a font


class Sign(Record):
    """Character of a font file at a size in pt; Chinese ones have a font of `CJK_FONTS`."""

    font: str
    char: str
    size: float


class RuleBox(Record):
    """Black rectangle, up and to the right of its position; in pt."""

    width: float
    height: float


class TextBox(Record):
    """Sizes in pt; `italic` is the italic correction of a character.

    `parts` are its contents with their positions; None if only the size is known.
    """

    width: float
    height: float
    depth: float
    italic: float = 0.0
    parts: tuple[Placed, ...] | None = None

    @property
    def total(self) -> float:
        return self.height + self.depth

    def raise_by(self, by: float) -> TextBox:
        """Return the box with its baseline moved up, in pt."""
        return TextBox(self.width, self.height + by, self.depth - by, self.italic, ((0.0, by, self),))


Placed: TypeAlias = tuple[float, float, TextBox | Sign | RuleBox]
"""Positioned content: x and y in pt from the left end of the baseline, y up."""


def make_blank(width: float) -> TextBox:
    """Return a space, which may be discarded at the end of a line."""
    return TextBox(width, 0.0, 0.0, 0.0, ())


EMPTY = make_blank(0.0)


def make_kern(width: float) -> TextBox:
    """Return a space that is kept at the end of a line."""
    return TextBox(width, 0.0, 0.0, 0.0, ((0.0, 0.0, EMPTY),))


def keep_size(box: TextBox, *, across: bool, upright: bool) -> TextBox:
    """Return an empty box with the size of a box, or only its width, or only its height and depth."""
    height, depth = (box.height, box.depth) if upright else (0.0, 0.0)
    return TextBox(box.width if across else 0.0, height, depth, 0.0, ((0.0, 0.0, EMPTY),))


def join_boxes(boxes: Iterable[TextBox]) -> TextBox:
    """Join boxes in a row."""
    width = height = depth = 0.0
    parts: list[Placed] = []
    for box in boxes:
        if box.parts != ():
            parts.append((width, 0.0, box))
        width += box.width + box.italic
        height = max(height, box.height)
        depth = max(depth, box.depth)
    return TextBox(width, height, depth, 0.0, tuple(parts))


def stacked_down(boxes: Sequence[TextBox], width: float) -> TextBox:
    """Stack boxes without gaps, on the baseline of the first."""
    down = -boxes[0].height
    parts: list[Placed] = []
    for box in boxes:
        parts.append((0.0, -down - box.height, box))
        down += box.total
    return TextBox(width, boxes[0].height, down, 0.0, tuple(parts))


def upon_last(lines: Sequence[TextBox], steps: Sequence[float]) -> TextBox:
    """Stack centered lines, `steps` apart by baselines; the last baseline is the baseline of the box."""
    width, y = max((line.width for line in lines), default=0.0), sum(steps)
    height = y + lines[0].height if lines else 0.0
    parts: list[Placed] = []
    for line, step in zip(lines, [*steps, 0.0], strict=False):
        parts.append(((width - line.width) / 2, y, line))
        y -= step
    return TextBox(width, height, lines[-1].depth if lines else 0.0, 0.0, tuple(parts))


def list_ink(box: TextBox, x: float = 0.0, y: float = 0.0) -> Iterator[tuple[float, float, Sign | RuleBox]]:
    """Yield all characters and rules of a box with positions. Raise `ValueError` if they are unknown."""
    if box.parts is None:
        raise ValueError("only the size of this is known")
    for dx, dy, part in box.parts:
        if isinstance(part, TextBox):
            yield from list_ink(part, x + dx, y + dy)
        else:
            yield x + dx, y + dy, part


def space_factor(chars: str, before: int) -> int:
    """Return TeX's space factor after characters: large after a period, but not after an initial."""
    for char in chars:
        factor = _CAPITAL_FACTOR if _CAPITALS.match(char) else _SPACE_FACTORS.get(char, 1000)
        if factor:
            before = 1000 if before < 1000 < factor else factor
    return before


@lru_cache(maxsize=32768)
def set_run(chars: str, used: Face) -> TextBox:
    """Return the box of characters, with the ligatures and kerns of the font."""
    metrics = used.metrics
    ligatures, kerns, widths = metrics.ligatures, metrics.kerns, metrics.widths
    width = height = depth = 0.0
    last = ""
    glyphs: list[str] = []
    for char in chars:
        joined = ligatures.get(last + char)
        if joined is not None:
            glyphs[-1] = last = joined
        else:
            glyphs.append(char)
            last = char
    last = ""
    size = used.size
    parts: list[Placed] = []
    for char in glyphs:
        width += kerns.get(last + char, 0.0)
        parts.append((width * size, 0.0, Sign(metrics.name, char, size)))
        width += widths.get(char, 0.0)
        height = max(height, metrics.heights.get(char, 0.0))
        depth = max(depth, metrics.depths.get(char, 0.0))
        last = char
    return TextBox(width * size, height * size, depth * size, 0.0, tuple(parts))
