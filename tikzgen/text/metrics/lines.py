"""The lines of some TeX text as boxes: running text, rare commands, tables and formulas, each inside the other."""

from __future__ import annotations

import re
from functools import lru_cache

from tikzgen.text.maths.parser import parse
from tikzgen.text.metrics.boxed import loose
from tikzgen.text.metrics.boxes import Box, Font, beside
from tikzgen.text.metrics.formulas import measure_formula
from tikzgen.text.metrics.rare import rare
from tikzgen.text.metrics.running_text import Reader
from tikzgen.text.refusal import TextRefused

__all__ = ["lines_of", "width_of"]

_OVER, _UNDER = re.compile(r"\\(?:overbrace|x\w+arrow)"), re.compile(r"\\(?:underbrace|x\w+arrow\[)")
_TALL = 1.8  # em that these add above and below


@lru_cache(maxsize=32768)
def lines_of(source: str, font: Font) -> tuple[tuple[Box, ...], bool]:
    """The boxes of the lines of some TeX text, and whether they are exact."""
    reader = _Reader(source, font)
    lines = reader.read()
    return lines, reader.exact


def width_of(source: str, font: Font) -> Box:
    """The box of some TeX text that is one line."""
    return beside(lines_of(source, font)[0])


class _Reader(Reader):
    def other(self, name: str) -> None:
        rare(self, name)

    def lines_of(self, source: str, font: Font) -> tuple[Box, ...]:
        return lines_of(source, font)[0]

    def formula_box(self, inner: str) -> Box:
        """The box of a formula without its dollars; of raw TeX that the parser does not know, a guess."""
        if r"\begin" in inner:
            return loose(self, inner)
        try:
            box = measure_formula(parse(inner, trusted=True), self.font, width_of)
        except TextRefused:
            return loose(self, inner)
        above, below = (_TALL * self.font.size * (sign.search(inner) is not None) for sign in (_OVER, _UNDER))
        return Box(box.width, box.height + above, box.depth + below, box.italic)
