"""Characters of one font side by side: kerns, ligatures, and the space after them."""

from __future__ import annotations

from functools import lru_cache

from tikzgen.text.metrics.boxes import Box
from tikzgen.text.metrics.tables import Face

__all__ = ["set_run", "space_factor"]

_SPACE_FACTORS = {".": 3000, "?": 3000, "!": 3000, ":": 2000, ";": 1500, ",": 1250, ")": 0, "'": 0, "]": 0}
_CAPITAL = 999


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
