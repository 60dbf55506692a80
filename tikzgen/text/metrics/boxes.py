"""Boxes and fonts, the two things that measuring talks about; and characters of one font side by side."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from tikzgen.base.record import Record, replace
from tikzgen.text.metrics.tables import Face, face

__all__ = ["EMPTY", "Box", "Font", "beside", "set_run", "space_factor"]

_SPACE_FACTORS = {".": 3000, "?": 3000, "!": 3000, ":": 2000, ";": 1500, ",": 1250, ")": 0, "'": 0, "]": 0}
_CAPITAL = 999


class Font(Record):
    """What a label is set in; `size` in pt."""

    family: Literal["sans", "serif", "mono"] = "sans"
    bold: bool = False
    italic: bool = False
    size: float = 8

    @property
    def face(self) -> Face:
        """The font file behind it."""
        return face(self.family + " bold" * self.bold + " italic" * self.italic, self.size)

    def styled(self, style: str) -> Font:
        """The font after a change such as "bold", "upright" or "mono"."""
        match style:
            case "bold" | "medium":
                return replace(self, bold=style == "bold")
            case "italic" | "upright":
                return replace(self, italic=style == "italic")
            case "sans" | "serif" | "mono":
                return replace(self, family=style)
        return self

    def at(self, size: float) -> Font:
        """The same font in another size."""
        return replace(self, size=size)


class Box(Record):
    """Sizes in pt; `italic` is how far a slanted character leans out of its width."""

    width: float
    height: float
    depth: float
    italic: float = 0.0

    @property
    def total(self) -> float:
        return self.height + self.depth

    def raised(self, by: float) -> Box:
        """The box with its baseline moved up."""
        return Box(self.width, self.height + by, self.depth - by, self.italic)


EMPTY = Box(0, 0, 0)


def beside(boxes: Iterable[Box]) -> Box:
    """Boxes in a row."""
    width = height = depth = 0.0
    for box in boxes:
        width += box.width + box.italic
        height = max(height, box.height)
        depth = max(depth, box.depth)
    return Box(width, height, depth)


def space_factor(chars: str, before: int) -> int:
    """TeX's space factor after some characters: the space after a full stop is wider, but not after an initial."""
    for char in chars:
        factor = _CAPITAL if "A" <= char <= "Z" else _SPACE_FACTORS.get(char, 1000)
        if factor:
            before = 1000 if before < 1000 < factor else factor
    return before


@lru_cache(maxsize=32768)
def set_run(chars: str, used: Face) -> Box:
    """The box of some characters as TeX joins and kerns them."""
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
    for char in glyphs:
        width += widths.get(char, 0.0) + kerns.get(last + char, 0.0)
        height = max(height, metrics.heights.get(char, 0.0))
        depth = max(depth, metrics.depths.get(char, 0.0))
        last = char
    return Box(width * used.size, height * used.size, depth * used.size)
