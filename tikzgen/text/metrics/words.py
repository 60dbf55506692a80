"""How large running text will be: widths, kerns, ligatures and word spaces as TeX puts them together."""

from __future__ import annotations

import re
from functools import lru_cache

from tikzgen.text.metrics.boxes import EMPTY, Box, Font, beside
from tikzgen.text.metrics.commands import ACCENTS, BELOW, DIMENSION, FONTS, GROWN, HIDDEN, KERNS, SIZES, SYMBOLS
from tikzgen.text.metrics.enclosed import BOXED
from tikzgen.text.metrics.runs import set_run, space_factor
from tikzgen.text.metrics.tables import face, script_sizes
from tikzgen.text.refusal import TextRefused

__all__ = ["Reader", "lines_of", "width_of"]

_TOKEN = re.compile(
    r"\\\\\*?(?:\[[^\]]*\])?(?:\{\})?"  # a line break
    r"|\\(?P<word>[A-Za-z]+)\s*|\\(?P<sign>.)|(?P<blank>\s+)|(?P<run>[!-#'-[\]^_`a-z@|]+)|(?P<other>.)",
    re.DOTALL,
)
_CJK_EXTENT = (0.88, 0.2)  # height and depth of a Chinese character, in em
_CJK_GAP = 0.37  # em that some engines put between Chinese and Latin letters
_MATHS_GAP = 0.5  # and around formulas, in em
_UNDERSCORE = {"sans": 0.67, "mono": 0.53}  # the width of an underscore, in the font's own em
_COMMA_ABOVE = 0.34  # em by which a comma above reaches beyond a small letter
_SCRIPT_SPACE = 0.5  # pt, LaTeX's \\scriptspace
_LETTERS = re.compile(r"(\\[A-Za-z]+)|[a-z]+")
_OVER, _UNDER = re.compile(r"\\(?:overbrace|x\w+arrow)"), re.compile(r"\\(?:underbrace|x\w+arrow\[)")
_TALL = 1.8  # em that these add above and below
_OPTION = re.compile(r"\s*\[([^\]]*)\]")
_LENGTH = re.compile(r"\{\s*(-?[0-9.]+)\s*(em|ex|pt|bp|mm|cm|in)\s*\}")


@lru_cache(maxsize=32768)
def lines_of(source: str, font: Font) -> tuple[tuple[Box, ...], bool]:
    """The boxes of the lines of some TeX text, and whether they are exact."""
    reader = Reader(source, font)
    lines = reader.read()
    return lines, reader.exact


def width_of(source: str, font: Font) -> Box:
    """The box of some TeX text that is one line."""
    return beside(lines_of(source, font)[0])


class Reader:
    """Goes through TeX text and collects the boxes of its lines."""

    def __init__(self, source: str, font: Font) -> None:
        self.source = source
        self.fonts = [font]
        self.at = 0
        self.factor = 1000  # TeX's space factor: the space after a full stop is wider
        self.exact = True
        self.lines: list[list[Box]] = [[]]
        self.cjk_before: bool | None = None  # the last character's script; None after a space
        self.maths_before = False

    @property
    def font(self) -> Font:
        return self.fonts[-1]

    def read(self) -> tuple[Box, ...]:
        while self.at < len(self.source):
            self.step()
        return tuple(beside(line) for line in self.lines)

    def add(self, box: Box, *, cjk: bool = False, maths: bool = False) -> None:
        if self.cjk_before is not None and self.cjk_before != cjk:
            gap = _MATHS_GAP if maths or self.maths_before else _CJK_GAP
            self.lines[-1].append(Box(gap * self.font.size, 0, 0))
        self.cjk_before, self.maths_before = cjk, maths
        self.lines[-1].append(box)

    def space(self, width: float) -> None:
        self.cjk_before = None
        self.lines[-1].append(Box(width, 0, 0))

    # -- tokens ------------------------------------------------------------------------------------------------

    def step(self) -> None:
        match = _TOKEN.match(self.source, self.at)
        assert match is not None  # the pattern takes any character
        self.at = match.end()
        if match["run"]:
            self.add(self.run(match["run"]))
        elif match["blank"] or match["other"] == "~" or match["sign"] == " ":
            self.blank()
        elif match["word"] or match["sign"] not in (None, "\\"):
            self.command(match["word"] or match["sign"])
        elif match["other"] is None:  # a line break
            self.lines.append([])
            self.factor, self.cjk_before = 1000, None
        elif match["other"] == "{":
            self.fonts.append(self.font)
        elif match["other"] == "}":
            if len(self.fonts) > 1:
                self.fonts.pop()
        elif match["other"] == "$":
            self.maths("$")
        elif match["other"].isascii():
            self.exact = False  # & in a table
        else:
            self.exact = False
            size = self.font.size
            self.add(Box(size, _CJK_EXTENT[0] * size, _CJK_EXTENT[1] * size), cjk=True)

    def blank(self) -> None:
        used = self.font.face
        self.space(used.parameter(2) + (used.parameter(7) if self.factor >= 2000 else 0))

    def run(self, chars: str) -> Box:
        self.factor = space_factor(chars, self.factor)
        return set_run(chars, self.font.face)

    # -- commands ----------------------------------------------------------------------------------------------

    def command(self, name: str) -> None:
        if name in SYMBOLS:
            self.symbol(*SYMBOLS[name])
            self.grow(name)
        elif name in ACCENTS or name in BELOW:
            self.accent(name)
        elif name == "ensuremath":
            self.formula(self.argument())
        elif name == "(":
            self.maths(r"\)")
        elif name in FONTS:
            style, lasts = FONTS[name]
            self.switch(self.font.styled(style), lasts)
        elif name in SIZES:
            self.exact = False
            self.switch(self.font.at(SIZES[name]), lasts=True)
        elif name in KERNS:
            self.lines[-1].append(Box(KERNS[name] * self.font.face.parameter(6), 0, 0))
        else:
            self.rest(name)

    def rest(self, name: str) -> None:
        """What is rarer, or unknown: then it is as wide as an M, or as its arguments."""
        size = self.font.size
        if name == "_":
            # a thin rule in OT1 fonts; a wide and deep character in all others, which are measured here
            wide = _UNDERSCORE.get(self.font.family, 0.76)
            self.exact = False
            self.add(Box(wide * self.font.face.parameter(6), 0.04 * size, 0.2 * size))
        elif name in ("dots", "ldots", "textellipsis"):
            dot = self.run(".")
            self.add(Box(3 * (dot.width + self.font.face.parameter(3)), dot.height, dot.depth))
        elif name in ("textcircled", "ooalign"):  # a character in a circle; we write no other overprints
            self.argument()
            self.add(set_run("\x0d", face("symbols", size)))
        elif name == "textsuperscript":
            small = width_of(self.argument(), self.font.at(script_sizes(size)[0]))
            self.add(Box(small.width + _SCRIPT_SPACE, small.height + face("symbols", size).parameter(14), 0))
        elif name == "char":
            number = re.match(r"\d*", self.source[self.at :])
            self.at += number.end() if number else 0
            self.add(set_run(chr(int((number and number[0]) or 0)), self.font.face))
        elif name == "hspace":
            self.space(self.length())
        elif name == "begin" or name in BOXED:
            self.enclosed(name)
        elif name in HIDDEN:
            for _ in range(HIDDEN[name]):
                self.argument()
            self.exact = self.exact and name in ("mbox", "-", "/")
        elif name == "textsc":  # LaTeX has small capitals in serif fonts alone
            self.exact = False
            capitals = _LETTERS.sub(lambda found: found[1] or found[0].upper(), self.argument())
            self.add(beside(lines_of(capitals, self.font.styled("serif"))[0]))
        elif name in ("TeX", "LaTeX", "LaTeXe"):
            self.exact = False
            letters = width_of(name.upper(), self.font.styled("serif"))
            self.add(Box(letters.width, letters.height, 0.23 * size))
        elif name == "strut":
            self.exact = False
            self.lines[-1].append(Box(0, 0.875 * size, 0.375 * size))
        else:
            self.exact = False
            if not self.source.startswith("{", self.at):
                letter = set_run("M", self.font.face)
                self.add(Box(letter.width, letter.height, 0.25 * size))

    def enclosed(self, name: str) -> None:
        """A box of raw TeX, or an environment."""
        from tikzgen.text.metrics.boxed import boxed, environment, split

        self.exact = False
        if name == "begin":
            name = self.argument()
            body, self.at = split(self.source, self.at, name)
            self.add(environment(self, name, body))
        else:
            self.add(boxed(self, name))

    def symbol(self, shape: str, char: str) -> None:
        if shape == "upright":
            used = self.font.styled("upright").face
        elif shape:  # LaTeX has bold signs beside its bold serif letters only
            bold = self.font.bold and self.font.family == "serif"
            used = face("bold " * bold + shape, self.font.size)
        else:
            used = self.font.face
        self.factor = 1000
        if char in "lL" and self.font.family == "mono":  # where the stroke should be, OT1 typewriter has a whole sign
            self.exact = False
            self.add(set_run(" ", used))
        self.add(set_run(char, used))
        if self.source.startswith("{}", self.at):
            self.at += 2

    def switch(self, font: Font, lasts: bool) -> None:
        """Change the font to the end of the group, or for the next argument."""
        if lasts:
            self.fonts[-1] = font
        elif self.source.startswith("{", self.at):
            self.at += 1
            self.fonts.append(font)
            self.exact = False  # the last character may have an italic correction

    def accent(self, name: str) -> None:
        inner = self.argument()
        self.exact = self.exact and not (inner == "A" and name == "r" and self.font.italic)  # it may have a kern
        base = width_of(inner, self.font) if inner else EMPTY
        used = self.font.face
        if name in BELOW:
            self.add(Box(base.width, base.height, self.below(name, base.depth)))
        else:
            mark = set_run(ACCENTS[name], used)
            height = mark.height + max(0.0, base.height - used.parameter(5))
            self.add(Box(base.width if inner else mark.width, max(base.height, height), base.depth))
        if name == "c" and inner == "g":  # the cedilla of a g is a comma above it
            self.exact = False
            self.add(Box(0, base.height + _COMMA_ABOVE * self.font.size, 0))
        self.grow(name)
        self.factor = 999 if inner[-1:].isupper() else 1000

    def grow(self, name: str) -> None:
        """Make room for what other fonts have larger: the character that was just added is no smaller there."""
        if name in GROWN:
            self.exact = False
            size, last = self.font.size, self.lines[-1][-1]
            wide, high, deep = (share * size for share in GROWN[name])
            self.lines[-1][-1] = Box(last.width + wide, last.height + high, last.depth + deep, last.italic)

    def below(self, name: str, depth: float) -> float:
        """How deep a letter is under which LaTeX puts an accent."""
        used = self.font.face
        if name == "c":
            return max(depth, set_run("\x18", used).depth)
        mark = 0.2 * used.parameter(5) if name == "b" else set_run(".", used).height
        return depth + 0.25 * used.parameter(5) + mark

    def argument(self) -> str:
        """The next argument: a group without its braces, a command, or a character."""
        while self.source.startswith(" ", self.at):
            self.at += 1
        match = _TOKEN.match(self.source, self.at)
        if match is None:
            return ""
        begin = self.at
        if match["other"] != "{":
            self.at = begin + 1 if match["run"] else match.end()
            return self.source[begin : self.at]
        depth = 0
        while match is not None:
            depth += {"{": 1, "}": -1}.get(match["other"] or "", 0)
            self.at = match.end()
            if depth == 0:
                break
            match = _TOKEN.match(self.source, self.at)
        return self.source[begin + 1 : self.at - 1]

    def option(self) -> str | None:
        """The next argument in brackets, None where there is none."""
        match = _OPTION.match(self.source, self.at)
        if match is None:
            return None
        self.at = match.end()
        return match[1]

    def kern(self, length: re.Pattern[str]) -> float:
        """A length without braces, in pt."""
        match = length.match(self.source, self.at)
        if match is None:
            return 0.0
        self.at = match.end()
        return self.points(match)

    def within(self, source: str) -> Reader:
        """A reader of some inner text, in the same font."""
        return Reader(source, self.font)

    def inner(self, source: str) -> Box:
        """The box of some inner text; of its longest line, where it has several."""
        lines = lines_of(source, self.font)[0]
        return Box(
            max(line.width for line in lines), lines[0].height, sum(line.total for line in lines) - lines[0].height
        )

    def points(self, match: re.Match[str]) -> float:
        unit = {"em": self.font.face.parameter(6), "ex": self.font.face.parameter(5)}
        return float(match[1]) * (unit.get(match[2]) or DIMENSION[match[2]])

    def length(self) -> float:
        match = _LENGTH.match(self.source, self.at + self.source.startswith("*", self.at))
        if match is None:
            self.exact = False
            return 0.0
        self.at = match.end()
        return self.points(match)

    # -- maths -------------------------------------------------------------------------------------------------

    def maths(self, closing: str) -> None:
        end = self.at
        depth = 0
        while end < len(self.source) and (depth or not self.source.startswith(closing, end)):
            depth += {"{": 1, "}": -1}.get(self.source[end], 0)
            end += 2 if self.source[end] == "\\" else 1
        inner = self.source[self.at : end]
        self.at = end + len(closing)
        self.formula(inner)

    def formula(self, inner: str) -> None:
        self.exact = False
        self.factor = 1000
        self.add(self.formula_box(inner), maths=True)

    def formula_box(self, inner: str) -> Box:
        """The box of a formula without its dollars; of raw TeX that the parser does not know, a guess."""
        from tikzgen.text.maths.parser import parse
        from tikzgen.text.metrics.boxed import loose
        from tikzgen.text.metrics.formulas import measure_formula

        if r"\begin" in inner:
            return loose(self, inner)
        try:
            box = measure_formula(parse(inner, trusted=True), self.font)
        except TextRefused:
            return loose(self, inner)
        above, below = (_TALL * self.font.size * (sign.search(inner) is not None) for sign in (_OVER, _UNDER))
        return Box(box.width, box.height + above, box.depth + below, box.italic)
