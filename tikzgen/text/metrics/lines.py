"""The lines of some TeX text as boxes: running text, rare commands, tables and formulas, each inside the other."""

from __future__ import annotations

import re
from functools import lru_cache

from tikzgen.base.patterns import pattern_of
from tikzgen.text.characters import TextRefused
from tikzgen.text.maths.parser import parse
from tikzgen.text.metrics.boxes import Box, Font, beside, set_run
from tikzgen.text.metrics.formulas import set_formula
from tikzgen.text.metrics.raw_boxes import BOXED, boxed, environment, loose, split
from tikzgen.text.metrics.running_text import Reader
from tikzgen.text.metrics.tables import face, script_sizes
from tikzgen.text.metrics.text_commands import HIDDEN, points

_UNDERSCORE = {"sans": 0.67, "mono": 0.53}  # the width of an underscore, in the font's own em
_SCRIPT_SPACE = 0.5  # pt, LaTeX's \scriptspace
_LETTERS = pattern_of(r"(\\[A-Za-z]+)|[a-z]+")
_EXACT = ("mbox", "-", "/", "_", "dots", "ldots", "textellipsis", "textcircled", "ooalign", "textsuperscript", "char")
_OVER, _UNDER = pattern_of(r"\\(?:overbrace|x\w+arrow)"), re.compile(r"\\(?:underbrace|x\w+arrow\[)")
_BESIDE_MIDDLE = 0.17  # em that LuaTeX sets before it
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
            formula = parse(inner, trusted=True)
        except TextRefused:
            return loose(self, inner)
        fixed, scaled = (set_formula(formula, self.font, scaled=scaled, words=width_of) for scaled in (False, True))
        above, below = (_TALL * self.font.size * (sign.search(inner) is not None) for sign in (_OVER, _UNDER))
        wide = max(fixed.width, scaled.width) + inner.count(r"\middle") * _BESIDE_MIDDLE * self.font.size
        height, depth = max(fixed.height, scaled.height), max(fixed.depth, scaled.depth)
        return Box(wide, height + above, depth + below, scaled.italic)


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
        reader.add(Box(small.width + _SCRIPT_SPACE, small.height + face("symbols", size).parameter(14), 0))
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
