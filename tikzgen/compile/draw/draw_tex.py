"""Drawing of a .tex that tikzgen wrote: its preamble, definitions and picture; no other TeX."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from tikzgen.base.record import Record
from tikzgen.compile.draw.canvas import Canvas, Item
from tikzgen.compile.draw.gaps import DrawingGap, Gaps, find_statement_end
from tikzgen.compile.draw.node_borders import NodeBorder
from tikzgen.compile.draw.option_lists import find_closing, is_escaped, read_bracket
from tikzgen.compile.draw.run_statements import Runner
from tikzgen.compile.draw.state import Rgb, State
from tikzgen.compile.draw.tikz_keys import apply
from tikzgen.compile.draw.unsupported import Unsupported

_COMMENTS = re.compile(r"(?:%[^\n]*(?:\n[ \t]*|\Z))+")
_AMS = frozenset({"amsmath", "amssymb"})
PACKAGES = _AMS | frozenset({"tikz", "iftex", "CJKutf8", "xeCJK", "luatexja-fontspec", "bm"})
_OPTIONS = re.compile(r"\\(?:documentclass|usepackage)\s*(?:\[[^\]]*\]\s*\{[^}]*\}|\{standalone\})")
_OWN_OPTIONS = (r"\documentclass[border=0pt]{standalone}", r"\usepackage[match]{luatexja-fontspec}")
_PACKAGE = re.compile(r"\\usepackage(?:\[[^\]]*\])?\{([^}]*)\}")
_COMMAND = re.compile(r"\\([A-Za-z@]+)")
_WORDS = """documentclass usepackage usetikzlibrary ifpdftex ifxetex ifluatex ifdefined setCJKmainfont setCJKsansfont
else fi PassOptionsToPackage xeCJKDeclareCharClass ltjsetparameter setmainjfont setsansjfont"""
_PREAMBLE = frozenset(_WORDS.split())
_QUIET = re.compile(
    r"\\(?:begingroup|endgroup|catcode\d+ \d+|linespread\{1\}|mdseries|upshape|unboldmath|nonfrenchspacing|relax"
    r"|ifdefined\\latintext\\latintext\\fi"
    r"|expandafter\\let\\csname tikz@at(?:begin|end)@node\\endcsname\\empty"
    r"|ifdefined\\(?:pdf|XeTeX)?(?:adjustspacing|protrudechars)"
    r"(?:\\(?:pdf|XeTeX)?(?:adjustspacing|protrudechars)=0 )+\\fi"
    r"|ifcsname CJK\*\\endcsname\\(?:begin|end)\{CJK\*\}(?:\{UTF8\}\{gbsn\}(?:\\let\\CJKbold\\CJKnormal)?)?\\fi"
    r"|def\\lend[a-z]*(?:#\d)*(?=\{)|expandafter\\def\\csname [^\\]*\\string\\\S\w*\\endcsname(?:#1)?(?=\{))"
)
_DEF = re.compile(r"\\def\\([A-Za-z]+)(#1)?(?=\{)")
_COLOR = re.compile(r"\\definecolor\{([^{}]+)\}\{HTML\}\{([0-9A-Fa-f]{6})\}")
_SETTINGS = r"\tikzset{"
_BEGIN = r"\begin{tikzpicture}"
_END = r"\end{tikzpicture}"
_BLANK = re.compile(r"\s+")
_SOURCE_LIMIT = 20_000_000
_TALLEST_PT = 16_000.0  # pt


class DrawnPicture(Record):
    """A picture: its box (left, bottom, right, top, in pt, y up), items, nodes by name, and first line.

    `steps` is the number of slides. `gaps` are the parts of the file that a partial picture lacks.
    """

    box: tuple[float, float, float, float]
    items: tuple[Item, ...]
    nodes: dict[str, NodeBorder]
    colors: dict[str, Rgb]
    line: int = 0
    steps: int = 1
    gaps: tuple[DrawingGap, ...] = ()


class _Code(Record):
    """A source without its comments, with the positions of its parts in the file."""

    text: str
    places: tuple[int, ...]
    cuts: tuple[int, ...]
    lines: tuple[int, ...]

    def find_line(self, place: int) -> int:
        """Return the line in the file of a position in the source."""
        cut = bisect_right(self.places, place) - 1
        return bisect_right(self.lines, place + self.cuts[cut])


def _without_comments(source: str) -> _Code:
    parts, places, cuts = [], [0], [0]
    at = length = begin = 0
    while (begin := source.find("%", begin)) >= 0:
        if is_escaped(source, begin):
            begin += 1
            continue
        found = _COMMENTS.match(source, begin)
        assert found is not None  # a comment begins there
        parts.append(source[at:begin])
        length += begin - at
        at = begin = found.end()
        places.append(length)
        cuts.append(at - length)
    parts.append(source[at:])
    lines = (0, *(found.end() for found in re.finditer("\n", source)))
    return _Code("".join(parts), tuple(places), tuple(cuts), lines)


@lru_cache(maxsize=8)
def draw(source: str, step: int = 0, *, partial: bool = False) -> DrawnPicture:
    """Return the picture of a .tex, or one step of it; it may lack elements if it may be `partial`.

    Raise `Unsupported` for the first unknown element, with its line, or for a file without a picture.
    """
    if len(source) > _SOURCE_LIMIT:
        raise Unsupported(f"a file of more than {_SOURCE_LIMIT} characters")
    code = _without_comments(source.replace("\r\n", "\n"))
    reader = _Reader(code, step, Gaps() if partial else None)
    try:
        return reader.draw_picture()
    except Unsupported as error:
        raise Unsupported(error.what, code.find_line(reader.place)) from None
    except RecursionError:
        raise Unsupported("what is nested this deep", code.find_line(reader.place)) from None
    except (OverflowError, ZeroDivisionError):
        raise Unsupported("a map without a way back", code.find_line(reader.place)) from None


class _Reader:
    """Reader of a document; `place` is its position, for messages."""

    def __init__(self, code: _Code, step: int, gaps: Gaps | None) -> None:
        self.code, self.step, self.gaps = code, step, gaps
        self.text = code.text
        self.begun = self.first = 0
        self.at = 0
        self.runner: Runner | None = None

    @property
    def place(self) -> int:
        if self.runner is not None and self.runner.outermost is not None:
            return self.begun + self.runner.place
        return self.at

    @property
    def statement_start(self) -> int:
        """Position of the statement at `place`, with its backslash."""
        return self.place - (self.text[self.place - 1 : self.place] == "\\")

    def draw_picture(self) -> DrawnPicture:
        text = self.text
        begin = text.find(r"\begin{document}")
        if begin < 0:
            raise Unsupported(r"a file without \begin{document}")
        canvas = Canvas(scaled=False, step=self.step, gaps=self.gaps)
        canvas.line = lambda: self.code.find_line(self.place)
        canvas.source = lambda: text[self.statement_start : find_statement_end(text, self.statement_start)]
        canvas.scaled = self.read_preamble(text[:begin], canvas)
        self.at = begin + len(r"\begin{document}")
        end = text.find(r"\end{document}", self.at)
        if end < 0:
            raise Unsupported(r"a file without \end{document}")
        drawn, settings = False, State()
        while self.at < end:
            if (found := _BLANK.match(text, self.at)) or (found := _QUIET.match(text, self.at)):
                self.at = found.end()
                if text.startswith("{", self.at):
                    self.at = find_closing(text, self.at)
            elif (found := _COLOR.match(text, self.at)) is not None:
                red, green, blue = (int(found[2][place : place + 2], 16) / 255 for place in (0, 2, 4))
                canvas.colors[found[1]] = (red, green, blue)
                self.at = found.end()
            elif (found := _DEF.match(text, self.at)) is not None:
                body, self.at = read_bracket(text, found.end())
                canvas.define(found[1], body, arity=1 if found[2] else 0)
            elif text.startswith(_SETTINGS, self.at):
                given, self.at = read_bracket(text, self.at + len(_SETTINGS) - 1)
                apply(canvas, settings, given)
            elif text.startswith(_BEGIN, self.at) and not drawn:
                drawn = True
                self.run_contents(canvas, end, settings)
            else:
                canvas.leave_out(Unsupported(f"{text[self.at : self.at + 30].strip()!r}"))
                self.at = find_statement_end(text, self.at)
        if drawn and self.gaps is not None:
            canvas.box = canvas.box or (0.0, 0.0, 0.0, 0.0)
        if canvas.box is None or not drawn:
            raise Unsupported("a file without a picture")
        left, bottom, right, top = canvas.box
        if not max(right - left, top - bottom) <= _TALLEST_PT:
            raise Unsupported("a picture as large as this")
        gaps = self.gaps.list_gaps() if self.gaps else ()
        parts = tuple(canvas.items), canvas.nodes, canvas.colors, self.first, canvas.steps
        return DrawnPicture(canvas.box, *parts, gaps)

    def run_contents(self, canvas: Canvas, end: int, settings: State) -> None:
        begin = self.at + len(_BEGIN)
        close = self.text.rfind(_END, begin, end)
        if close < 0:
            raise Unsupported("a picture without its end")
        told = find_closing(self.text, begin) - 1 if self.text.startswith("[", begin) else begin
        self.first = self.code.find_line(told)
        self.at = self.begun = begin
        self.runner = Runner(canvas)
        self.runner.run_picture(self.text[begin:close], settings)
        self.runner, self.at = None, close + len(_END)

    def read_preamble(self, text: str, canvas: Canvas) -> bool:
        """Return whether AMS packages are loaded; raise `Unsupported` for a preamble of another program."""
        for found in _COMMAND.finditer(text):
            if found[1] not in _PREAMBLE:
                self.at = found.start()
                canvas.leave_out(Unsupported(f"\\{found[1]}"))
        for found in _OPTIONS.finditer(text):
            if found[0] not in _OWN_OPTIONS:
                self.at = found.start()
                canvas.leave_out(Unsupported(found[0]))
        names = {name.strip(): found.start() for found in _PACKAGE.finditer(text) for name in found[1].split(",")}
        for name, at in names.items():
            if name not in PACKAGES:
                self.at = at
                canvas.leave_out(Unsupported(f"the package {name}"))
        return bool(_AMS & set(names))
