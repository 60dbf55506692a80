"""Labels as pdfTeX sets them: boxes with the position of each character and rule.

Raw TeX that only TeX can set (frames, colors, letters of other fonts) raises `TextUnset`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

from tikzgen.base.record import replace
from tikzgen.text.escape_characters import TextRefused, load_character_table
from tikzgen.text.maths.maths_commands import PHANTOMS
from tikzgen.text.maths.parser import parse
from tikzgen.text.metrics.boxes import (
    EMPTY,
    LINE_SKIP_PT,
    Placed,
    RuleBox,
    Sign,
    TextBox,
    join_boxes,
    keep_size,
    list_ink,
    make_blank,
    make_kern,
    set_run,
    space_factor,
    upon_last,
)
from tikzgen.text.metrics.fonts import LabelFont, is_cjk_font, lean_of, load_face, script_sizes
from tikzgen.text.metrics.formulas import set_formula
from tikzgen.text.metrics.ideograph_boxes import measure_ideograph
from tikzgen.text.metrics.scripts_and_fractions import SCRIPT_SPACE_PT
from tikzgen.text.metrics.text_commands import (
    ACCENTS,
    FONTS,
    GROWN_ACCENTS,
    KERNS,
    SIZES,
    SKIPS,
    SYMBOLS,
    TOKEN,
    Cursor,
    convert_to_points,
)

_OWN_COMMANDS = frozenset(
    {"l", "L", "textless", "textgreater", "textbackslash", "{", "}", "textbar", "textasciicircum", "v"}
)
_SYMBOLS = SYMBOLS.keys() - (GROWN_ACCENTS.keys() - _OWN_COMMANDS) - {"l", "L"}
_RING_SHARE = 0.67  # share of the height difference between `!` and x by which the ring above an A is raised
_STACK_SKIP_PT = 3.0  # pt between the lines of a \shortstack
_NOTHING = frozenset(["mbox", "hbox", "relax", "protect", "noindent", "leavevmode", "null", "text", "-", "/"])


class TextUnset(ValueError):
    """Label that only TeX can set; the message names the part."""


class Setter(Cursor):
    """Setter of running text as pdfTeX does; it collects the boxes of lines, or raises `TextUnset`.

    If `scaled`, large symbols scale with the text, as with AMS packages.
    """

    drops_blanks = True  # after Chinese, as CJKutf8 does

    def __init__(self, source: str, font: LabelFont, scaled: bool) -> None:
        super().__init__(source)
        self.scaled = scaled
        self.fonts = [font]
        self.leaning: list[bool] = []  # per group: whether LaTeX adds the italic correction at its end
        self.factor = 1000  # TeX's space factor: the space after a period is wider
        self.lines: list[list[TextBox]] = [[]]
        self.cjk_before: bool | None = None  # the last character's script; None after a space

    @property
    def font(self) -> LabelFont:
        return self.fonts[-1]

    def read_lines(self) -> tuple[TextBox, ...]:
        while self.at < len(self.source):
            self.step()
        return tuple(join_boxes(line) for line in self.lines)

    def add(self, box: TextBox, *, cjk: bool = False) -> None:
        self.cjk_before = cjk
        self.lines[-1].append(box)

    def add_space(self, width: float) -> None:
        self.cjk_before = None
        self.lines[-1].append(make_blank(width))

    def step(self) -> None:
        match = TOKEN.match(self.source, self.at)
        assert match is not None  # the pattern matches any character
        self.at = match.end()
        if match["run"]:
            piece = self.choose_piece(match["run"])
            self.at = match.start() + len(piece)
            self.add(self.set_characters(piece))
        elif match["blank"] or match["other"] == "~" or match["sign"] == " ":
            self.set_blank(plain=match["blank"] is not None)
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
                    self.add_italic_correction()
        elif match["other"] == "$":
            self.set_maths("$")
        elif not match["other"].isascii():
            self.add(self.set_ideograph(match["other"]), cjk=True)

    def set_blank(self, *, plain: bool) -> None:
        r"""Set a space between words; `\ ` and `~`, which are not plain, have the same width everywhere."""
        if plain and self.drops_blanks and self.cjk_before:
            return
        used = self.font.face
        self.add_space(used.read_parameter(2) + (used.read_parameter(7) if plain and self.factor >= 2000 else 0))

    def choose_piece(self, chars: str) -> str:
        """Return the part of the characters to set in one run."""
        return chars

    def set_characters(self, chars: str) -> TextBox:
        self.factor = space_factor(chars, self.factor)
        return set_run(chars, self.font.face)

    def switch_font(self, font: LabelFont, lasts: bool) -> None:
        """Change the font to the end of the group, or for the next argument."""
        if lasts:
            self.fonts[-1] = font
        elif self.source.startswith("{", self.at):
            self.at += 1
            self.fonts.append(font)
            self.leaning.append(True)
            self.add_italic_correction()

    def add_italic_correction(self) -> None:
        """Add the italic correction before an upright font, as LaTeX's font commands do."""
        if self.font.face.read_parameter(1):
            return
        drawn = [box for box in self.lines[-1][-2:] if box.parts != ()]
        last = drawn[-1].parts[-1][2] if drawn and drawn[-1].parts else None
        if isinstance(last, Sign) and not is_cjk_font(last.font):
            self.lines[-1].append(make_kern(lean_of(last.font, last.char) * last.size))

    def set_maths(self, closing: str) -> None:
        """Set a formula up to its closing delimiter."""
        end = self.at
        depth = 0
        while end < len(self.source) and (depth or not self.source.startswith(closing, end)):
            depth += {"{": 1, "}": -1}.get(self.source[end], 0)
            end += 2 if self.source[end] == "\\" else 1
        inner = self.source[self.at : end]
        self.at = end + len(closing)
        self.add_formula(inner)

    def add_formula(self, inner: str) -> None:
        self.factor = 1000
        self.add(self.formula_box(inner))

    def command(self, name: str) -> None:
        if name in _NOTHING:
            if name == "/":
                self.add_italic_correction()
        elif name in _SYMBOLS:
            self.set_symbol(*SYMBOLS[name])
        elif name in ACCENTS:
            self.set_accent(name, self.read_argument())
        elif name == "ensuremath":
            self.add_formula(self.read_argument())
        elif name == "(":
            self.set_maths(r"\)")
        elif name in FONTS:
            style, lasts = FONTS[name]
            self.switch_font(self.font.with_style(style), lasts)
        elif name in SIZES:
            self.switch_font(self.font.with_size(SIZES[name]), lasts=True)
        elif name in KERNS:
            self.lines[-1].append(make_kern(KERNS[name] * self.font.face.read_parameter(6)))
        elif name in SKIPS:
            self.lines[-1].append(make_blank(SKIPS[name] * self.font.face.read_parameter(6)))
        elif name in ("kern", "hskip"):
            self.lines[-1].append(
                (make_kern if name == "kern" else make_blank)(convert_to_points(self.bare_length(), self.font) or 0.0)
            )
        elif name == "hspace":
            self.at += self.source.startswith("*", self.at)
            self.add_space(convert_to_points(self.read_argument(), self.font) or 0.0)
        elif name == "char":
            code = re.match(r"\d*", self.remainder)
            self.at += code.end() if code else 0
            self.add(set_run(chr(int((code and code[0]) or 0)), self.font.face))
        else:
            self.add_built(name)

    def add_built(self, name: str) -> None:
        """Set a command that LaTeX builds from several boxes."""
        if name == "_":
            em = self.font.face.read_parameter(6)
            rule = (0.06 * em, 0.0, RuleBox(0.3 * em, 0.4))  # after a kern, which is not discarded at a line end
            self.add(TextBox(0.36 * em, 0.4, 0.0, 0.0, (rule,)))
        elif name in ("dots", "ldots", "textellipsis"):
            self.factor = 1000
            self.add(join_boxes([self.set_characters("."), make_blank(self.font.face.read_parameter(3))] * 3))
        elif name == "textsuperscript":
            small = join_boxes(
                self.lines_of(self.read_argument(), self.font.with_size(script_sizes(self.font.size)[0]))
            )
            signs = load_face("symbols", self.font.size)
            lift = max(signs.read_parameter(14), small.depth + signs.read_parameter(5) / 4)
            self.add(join_boxes([small.raise_by(lift), make_blank(SCRIPT_SPACE_PT)]))
        elif name == "ooalign":  # a character in a circle, the only overprint that tikzgen writes
            inner, _, circle = self.read_argument().replace(r"\hfil", "").partition(r"\crcr")
            sign, around = (join_boxes(self.lines_of(each, self.font)) for each in (inner, circle))
            parts = ((0.0, 0.0, around), ((around.width - sign.width) / 2, 0.0, sign))
            self.add(TextBox(around.width, around.height, around.depth, 0.0, parts))
        elif name == "shortstack" and self.source.startswith("{", self.at):
            lines = self.lines_of(self.read_argument(), self.font, trim=True)
            self.add(upon_last(lines, [above.depth + line.height + _STACK_SKIP_PT for above, line in pairwise(lines)]))
        elif name in PHANTOMS and self.source.startswith("{", self.at):
            across, upright = PHANTOMS[name]
            self.add(
                keep_size(join_boxes(self.lines_of(self.read_argument(), self.font)), across=across, upright=upright)
            )
        else:
            self.set_other_command(name)

    def set_other_command(self, name: str) -> None:
        """Set any other command; raise `TextUnset` here."""
        raise TextUnset(f"\\{name}")

    def set_symbol(self, shape: str, char: str) -> None:
        if shape == "upright":
            used = self.font.with_style("upright").face
        elif shape:  # LaTeX has bold symbols only for bold serif text
            bold = self.font.bold and self.font.family == "serif"
            used = load_face("bold " * bold + shape, self.font.size)
        else:
            used = self.font.face
        self.factor = 1000
        self.add(set_run(char, used))
        if self.source.startswith("{}", self.at):
            self.at += 2

    def set_accent(self, name: str, inner: str) -> None:
        if (name, inner) == ("r", "A"):
            self.set_ring()
            return
        # OT1 uses the dotless letters
        base = join_boxes(self.lines_of("\\" + inner if inner in ("i", "j") else inner, self.font)) if inner else EMPTY
        used = self.font.face
        mark = set_run(ACCENTS[name], used)
        up = base.height - used.read_parameter(5) if inner else 0.0
        aside = (base.width - mark.width) / 2 + up * used.metrics.parameters[0] if inner else 0.0
        parts: tuple[Placed, ...] = ((0.0, 0.0, base), (aside, up, mark))
        height = max(base.height, mark.height + up)
        self.add(TextBox(base.width if inner else mark.width, height, base.depth, 0.0, parts))
        self.factor = 999 if inner[-1:].isupper() else 1000

    def set_ring(self) -> None:
        r"""Set LaTeX's `\r{A}`: a ring lower than other accents, without width, before an A with kerns."""
        used = self.font.face
        up = _RING_SHARE * (set_run("!", used).height - used.read_parameter(5))
        self.add(replace(set_run(ACCENTS["r"], used).raise_by(up), width=0.0))
        self.add(self.set_characters("A"))
        after = used.metrics.kerns.get("A" + self.source[self.at : self.at + 1], 0.0)
        self.lines[-1].append(make_kern(after * used.size))

    def set_ideograph(self, char: str) -> TextBox:
        box = measure_ideograph(char, self.font)
        if box is None or char in load_character_table()[0]:  # LaTeX has them in its standard fonts
            raise TextUnset(char)
        self.factor = space_factor(chr(ord(char) % 256), self.factor)  # each font of CJKutf8 has 256 characters
        return box

    def lines_of(self, source: str, font: LabelFont, *, trim: bool = False) -> tuple[TextBox, ...]:
        """Return the boxes of the lines of an argument."""
        return set_lines(source, font, self.scaled, trim)

    def formula_box(self, inner: str) -> TextBox:
        try:
            formula = parse(inner, trusted=True)
        except TextRefused as error:
            raise TextUnset(f"${inner}$: {error}") from None

        def set_words(source: str, font: LabelFont) -> TextBox:
            return join_boxes(self.lines_of(source, font))

        return set_formula(formula, self.font, scaled=self.scaled, words=set_words)


@lru_cache(maxsize=32768)
def set_lines(source: str, font: LabelFont, scaled: bool, trim: bool) -> tuple[TextBox, ...]:
    """Return the boxes of the lines of TeX source; with `trim`, without the spaces at ends that TikZ drops.

    With AMS packages, large symbols are `scaled`.
    """
    setter = Setter(source, font, scaled)
    lines = with_places(source, setter.read_lines)
    if not trim:
        return lines
    last = len(setter.lines) - 1
    return tuple(join_boxes(_trim_blanks(line, 2 if 0 < at < last else 1)) for at, line in enumerate(setter.lines))


def with_places(source: str, read: Callable[[], tuple[TextBox, ...]]) -> tuple[TextBox, ...]:
    """Return the lines from `read`. Raise `TextUnset` if the position of any content is unknown."""
    try:
        lines = read()
        for line in lines:
            for _ in list_ink(line):
                pass
    except TextUnset:
        raise
    except (ValueError, RecursionError):
        raise TextUnset(source) from None
    return lines


def lines_upon(lines: Sequence[TextBox], baseline: float) -> TextBox:
    """Stack centered lines as TeX does; the baseline of the box is the last line's."""
    touching = [above.depth + line.height for above, line in pairwise(lines)]
    return upon_last(lines, [baseline if step <= baseline else step + LINE_SKIP_PT for step in touching])


def _trim_blanks(boxes: list[TextBox], most: int) -> list[TextBox]:
    r"""Remove up to `most` spaces at the end of a line: TikZ has one `\unskip` before and after a line break."""
    blanks = next((at for at, box in enumerate(reversed(boxes)) if box.parts != ()), len(boxes))
    return boxes[: len(boxes) - min(blanks, most)] or [make_blank(0.0)]
