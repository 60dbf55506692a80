"""How large running text will be: widths, kerns, ligatures and word spaces as TeX puts them together."""

from __future__ import annotations

from tikzgen.text.metrics.boxes import EMPTY, Box, Placed, Sign, beside, blank, kern, set_run, space_factor
from tikzgen.text.metrics.fonts import Font, face, lean_of
from tikzgen.text.metrics.text_commands import ACCENTS, BELOW, FONTS, GROWN, KERNS, SIZES, SKIPS, SYMBOLS, TOKEN, Cursor

_CJK_EXTENT = (0.88, 0.2)  # height and depth of a Chinese character, in em
_CJK_GAP = 0.37  # em that some engines put between Chinese and Latin letters
_MATHS_GAP = 0.5  # and around formulas, in em
_COMMA_ABOVE = 0.34  # em by which a comma above reaches beyond a small letter


class Reader(Cursor):
    """Goes through TeX text and collects the boxes of its lines; that of `lines` knows all commands.

    A `roomy` one makes room for what any engine sets; another sets what pdfTeX sets.
    """

    roomy = True

    def __init__(self, source: str, font: Font) -> None:
        super().__init__(source)
        self.fonts = [font]
        self.leaning: list[bool] = []  # for each group, whether LaTeX looks after the last character's lean
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
        if self.roomy and self.cjk_before is not None and self.cjk_before != cjk:
            gap = _MATHS_GAP if maths or self.maths_before else _CJK_GAP
            self.lines[-1].append(Box(gap * self.font.size, 0, 0))
        self.cjk_before, self.maths_before = cjk, maths
        self.lines[-1].append(box)

    def space(self, width: float) -> None:
        self.cjk_before = None
        self.lines[-1].append(blank(width))

    # -- tokens ------------------------------------------------------------------------------------------------

    def step(self) -> None:
        match = TOKEN.match(self.source, self.at)
        assert match is not None  # the pattern takes any character
        self.at = match.end()
        if match["run"]:
            piece = self.piece(match["run"])
            self.at = match.start() + len(piece)
            self.add(self.run(piece))
        elif match["blank"] or match["other"] == "~" or match["sign"] == " ":
            self.blank(plain=match["blank"] is not None)
        elif match["word"] or match["sign"] not in (None, "\\"):
            self.command(match["word"] or match["sign"])
        elif match["other"] is None:  # a line break
            self.lines.append([])
            self.factor, self.cjk_before = 1000, None
        elif match["other"] == "{":
            self.fonts.append(self.font)
            self.leaning.append(False)
        elif match["other"] == "}":
            if len(self.fonts) > 1:
                self.fonts.pop()
                if self.leaning.pop() and self.source[self.at : self.at + 1] not in (".", ","):
                    self.correct()
        elif match["other"] == "$":
            self.maths("$")
        elif match["other"].isascii():
            self.exact = False  # & in a table
        else:
            self.exact = False
            self.add(self.ideograph(match["other"]), cjk=True)

    def ideograph(self, char: str) -> Box:
        """The box of a Chinese character."""
        size = self.font.size
        return Box(size, _CJK_EXTENT[0] * size, _CJK_EXTENT[1] * size)

    def blank(self, *, plain: bool) -> None:
        r"""A space between words; `\ ` and `~`, which are not plain, have the same width everywhere."""
        used = self.font.face
        self.space(used.parameter(2) + (used.parameter(7) if plain and self.factor >= 2000 else 0))

    def piece(self, chars: str) -> str:
        """How much of some characters to set at once."""
        return chars

    def run(self, chars: str) -> Box:
        self.factor = space_factor(chars, self.factor)
        return set_run(chars, self.font.face)

    # -- commands ----------------------------------------------------------------------------------------------

    def command(self, name: str) -> None:
        if name in SYMBOLS:
            self.symbol(*SYMBOLS[name])
            self.grow(name)
        elif name in ACCENTS or name in BELOW:
            self.accent(name, self.argument())
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
            self.lines[-1].append(kern(KERNS[name] * self.font.face.parameter(6)))
        elif name in SKIPS:
            self.lines[-1].append(blank(SKIPS[name] * self.font.face.parameter(6)))
        else:
            self.other(name)

    def symbol(self, shape: str, char: str) -> None:
        if shape == "upright":
            used = self.font.styled("upright").face
        elif shape:  # LaTeX has bold signs beside its bold serif letters only
            bold = self.font.bold and self.font.family == "serif"
            used = face("bold " * bold + shape, self.font.size)
        else:
            used = self.font.face
        self.factor = 1000
        if (
            self.roomy and char in "lL" and self.font.family == "mono"
        ):  # where the stroke should be, OT1 typewriter has a whole sign
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
            self.leaning.append(True)
            self.exact = False  # the last character may have an italic correction
            self.correct()

    def correct(self) -> None:
        """Where an upright font begins, keep clear of the character before it, as LaTeX's font commands do."""
        if self.roomy or self.font.face.parameter(1):
            return
        drawn = [box for box in self.lines[-1][-2:] if box.parts != ()]
        last = drawn[-1].parts[-1][2] if drawn and drawn[-1].parts else None
        if isinstance(last, Sign) and last.font:
            self.lines[-1].append(kern(lean_of(last.font, last.char) * last.size))

    def accent(self, name: str, inner: str) -> None:
        self.exact = self.exact and not (inner == "A" and name == "r" and self.font.italic)  # it may have a kern
        if not self.roomy and inner in ("i", "j"):  # OT1 takes the letters without dots
            inner = "\\" + inner
        base = beside(self.lines_of(inner, self.font)) if inner else EMPTY
        used = self.font.face
        if name in BELOW:
            self.add(Box(base.width, base.height, self.below(name, base.depth)))
        else:
            mark = set_run(ACCENTS[name], used)
            up = base.height - used.parameter(5)
            aside = (base.width - mark.width) / 2 + up * used.metrics.parameters[0]
            parts: tuple[Placed, ...] = ((0.0, 0.0, base), (aside if inner else 0.0, up if inner else 0.0, mark))
            height = max(base.height, mark.height + (max(0.0, up) if self.roomy else up if inner else 0.0))
            self.add(Box(base.width if inner else mark.width, height, base.depth, 0.0, parts))
        if name == "c" and inner == "g":  # the cedilla of a g is a comma above it
            self.exact = False
            self.add(Box(0, base.height + _COMMA_ABOVE * self.font.size, 0))
        self.grow(name)
        self.factor = 999 if inner[-1:].isupper() else 1000

    def grow(self, name: str) -> None:
        """Make room for what other fonts have larger: the character that was just added is no smaller there."""
        if self.roomy and name in GROWN:
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

    def inner(self, source: str, font: Font | None = None) -> Box:
        """The box of some inner text; of its longest line, where it has several."""
        lines = self.lines_of(source, font or self.font)
        total = sum(line.total for line in lines)
        return Box(max(line.width + line.italic for line in lines), lines[0].height, total - lines[0].height)

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

    # -- what a reader that knows less than all cannot tell ----------------------------------------------------

    def other(self, name: str) -> None:
        """Add what a command prints that is none of those above."""
        raise NotImplementedError

    def formula_box(self, inner: str) -> Box:
        """The box of a formula without its dollars."""
        raise NotImplementedError

    def lines_of(self, source: str, font: Font) -> tuple[Box, ...]:
        """The boxes of the lines of some text inside this one."""
        raise NotImplementedError
