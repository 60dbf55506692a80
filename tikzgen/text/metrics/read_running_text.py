"""A walk through running text: groups and fonts, word spaces, line breaks, and where formulas begin and end."""

from __future__ import annotations

from tikzgen.text.metrics.boxes import Box, Sign, beside, blank, kern, set_run, space_factor
from tikzgen.text.metrics.fonts import Font, lean_of
from tikzgen.text.metrics.text_commands import TOKEN, Cursor


class Reader(Cursor):
    """Goes through TeX text and collects the boxes of its lines; what commands and formulas are is told by who is one.

    `scaled` are large symbols, as with AMS packages.
    """

    def __init__(self, source: str, font: Font, scaled: bool) -> None:
        super().__init__(source)
        self.scaled = scaled
        self.fonts = [font]
        self.leaning: list[bool] = []  # for each group, whether LaTeX looks after the last character's lean
        self.factor = 1000  # TeX's space factor: the space after a full stop is wider
        self.lines: list[list[Box]] = [[]]
        self.cjk_before: bool | None = None  # the last character's script; None after a space

    @property
    def font(self) -> Font:
        return self.fonts[-1]

    def read(self) -> tuple[Box, ...]:
        while self.at < len(self.source):
            self.step()
        return tuple(beside(line) for line in self.lines)

    def add(self, box: Box, *, cjk: bool = False) -> None:
        self.cjk_before = cjk
        self.lines[-1].append(box)

    def space(self, width: float) -> None:
        self.cjk_before = None
        self.lines[-1].append(blank(width))

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
        elif not match["other"].isascii():
            self.add(self.ideograph(match["other"]), cjk=True)

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

    def switch(self, font: Font, lasts: bool) -> None:
        """Change the font to the end of the group, or for the next argument."""
        if lasts:
            self.fonts[-1] = font
        elif self.source.startswith("{", self.at):
            self.at += 1
            self.fonts.append(font)
            self.leaning.append(True)
            self.correct()

    def correct(self) -> None:
        """Where an upright font begins, keep clear of the character before it, as LaTeX's font commands do."""
        if self.font.face.parameter(1):
            return
        drawn = [box for box in self.lines[-1][-2:] if box.parts != ()]
        last = drawn[-1].parts[-1][2] if drawn and drawn[-1].parts else None
        if isinstance(last, Sign) and last.font:
            self.lines[-1].append(kern(lean_of(last.font, last.char) * last.size))

    def maths(self, closing: str) -> None:
        """A formula up to what closes it."""
        end = self.at
        depth = 0
        while end < len(self.source) and (depth or not self.source.startswith(closing, end)):
            depth += {"{": 1, "}": -1}.get(self.source[end], 0)
            end += 2 if self.source[end] == "\\" else 1
        inner = self.source[self.at : end]
        self.at = end + len(closing)
        self.formula(inner)

    def formula(self, inner: str) -> None:
        self.factor = 1000
        self.add(self.formula_box(inner))

    def command(self, name: str) -> None:
        """Add what a command prints."""
        raise NotImplementedError

    def formula_box(self, inner: str) -> Box:
        """The box of a formula without its dollars."""
        raise NotImplementedError

    def ideograph(self, char: str) -> Box:
        """The box of a Chinese character."""
        raise NotImplementedError
