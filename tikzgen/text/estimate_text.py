"""Estimated sizes of formulas and raw TeX that only TeX can set exactly."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product

from tikzgen.base.patterns import pattern_of
from tikzgen.base.plane import Matrix, compute_bounding_box, map_point, turn
from tikzgen.text.metrics.boxes import EMPTY, TextBox, join_boxes, make_blank, set_run, stacked_down
from tikzgen.text.metrics.fonts import LabelFont, load_face
from tikzgen.text.metrics.text_commands import ACCENTS_BELOW, GROWN_ACCENTS, SYMBOLS, Cursor, convert_to_points
from tikzgen.text.raw_tex_commands import Usage, usage_of
from tikzgen.text.set_like_tex import Setter, TextUnset

_CJK_EXTENT = (0.88, 0.2)  # height and depth of a Chinese character, in em
_CJK_GAP = 0.37  # em that some engines put between Chinese and Latin letters, and around formulas
_MATHS_GAP = 0.5  # em
_COMMA_ABOVE_EM = 0.34  # em by which a comma above reaches beyond a small letter
_UNDERSCORE = {"sans": 0.67, "mono": 0.53}  # the width of an underscore, in the font's own em
_OVER_COMMAND = pattern_of(r"\\(?:overbrace|x\w+arrow)")
_UNDER_COMMAND = re.compile(r"\\(?:underbrace|x\w+arrow\[)")
_MIDDLE_SPACE_EM = 0.17  # em of space that LuaTeX adds before \middle
_TALL_EM = 1.8  # em added above or below by these commands
_SIGN_EM = 0.6  # em per character or command of an unparsed formula
_HIGH_EM = 1.0  # em
_DEEP_EM = 0.5  # em
_LETTERS = pattern_of(r"(\\[A-Za-z]+)|[a-z]+")
_FRAME_PT = 3.4  # pt, LaTeX's \fboxsep and \fboxrule
_COLUMN_SEP_PT = 6.0  # pt on each side of a column, LaTeX's \tabcolsep, which is more than \arraycolsep
_STRUT = (0.7, 0.3)  # of the baselines' distance: the height and depth of a row of a table
_LEADING_EM = 1.25  # em: the baselines' distance, at most
_ROW_SKIP_PT = 3.0  # pt between rows of displayed formulas
_RULE_PT = 0.4  # pt
_FENCE_EM = 0.92  # em: the width of the delimiters of a matrix, at most
_TOKEN = pattern_of(r"\\\\\*?(?:\[[^\]]*\])?|\\(?:begin|end)\b|\\.|[{}&]", re.DOTALL)
_WIDTH = pattern_of(r"p\{([^}]*)\}")
_BEGIN = pattern_of(r"\\begin\s*\{([A-Za-z]+\*?)\}")
_EDGE = pattern_of(r"\\(begin|end)\s*\{")
_OF_TEXT = ("tabular", "center", "flushleft", "flushright")
_NUMBER = pattern_of(r"[+-]?\d*\.?\d+")


@lru_cache(maxsize=32768)
def estimated_lines(source: str, font: LabelFont, scaled: bool) -> tuple[TextBox, ...]:
    """Return the boxes of the lines of TeX source; only their sizes are meaningful."""
    return _Estimate(source, font, scaled).read_lines()


class _Estimate(Setter):
    """Setter that estimates upper bounds for the output of any engine."""

    drops_blanks = False
    gap = _CJK_GAP

    def add(self, box: TextBox, *, cjk: bool = False) -> None:
        if self.cjk_before is not None and self.cjk_before != cjk:
            self.lines[-1].append(make_blank(self.gap * self.font.size))
        self.gap = _CJK_GAP
        super().add(box, cjk=cjk)

    def set_ideograph(self, char: str) -> TextBox:
        size = self.font.size
        return TextBox(size, _CJK_EXTENT[0] * size, _CJK_EXTENT[1] * size)

    def lines_of(self, source: str, font: LabelFont, *, trim: bool = False) -> tuple[TextBox, ...]:
        return estimated_lines(source, font, self.scaled)

    def measure_argument(self, source: str) -> TextBox:
        """Return the box of an argument; the lines are stacked, with the width of the widest line."""
        lines = self.lines_of(source, self.font)
        return stacked_down(lines, max(line.width for line in lines))

    # -- formulas ----------------------------------------------------------------------------------------------

    def add_formula(self, inner: str) -> None:
        self.gap = _MATHS_GAP
        super().add_formula(inner)
        self.gap = _MATHS_GAP

    def formula_box(self, inner: str) -> TextBox:
        """Return the estimate for a formula: a table by its cells, unknown input by its number of characters."""
        size = self.font.size
        if found := _BEGIN.search(inner):
            body, end = _find_body(inner, found.end())
            around = [self.formula_box(part) for part in (inner[: found.start()], inner[end:]) if part.strip()]
            return join_boxes([self.measure_environment(found[1], body), *around])
        try:
            box = super().formula_box(inner)
        except TextUnset:
            return TextBox(
                len(re.findall(r"\\[A-Za-z]+|[^\s{}\\]", inner)) * _SIGN_EM * size, _HIGH_EM * size, _DEEP_EM * size
            )
        above, below = (_TALL_EM * size * (sign.search(inner) is not None) for sign in (_OVER_COMMAND, _UNDER_COMMAND))
        return TextBox(
            box.width + inner.count(r"\middle") * _MIDDLE_SPACE_EM * size, box.height + above, box.depth + below
        )

    # -- what engines set differently --------------------------------------------------------------------------

    def command(self, name: str) -> None:
        """Set a command with the largest size that any font gives its characters."""
        size, used = self.font.size, self.font.face
        if name == "_":  # a thin rule in OT1 fonts; a wide and deep character in other fonts
            wide = _UNDERSCORE.get(self.font.family, 0.76)
            self.add(TextBox(wide * used.read_parameter(6), 0.04 * size, 0.2 * size))
        elif name in ACCENTS_BELOW:
            self.set_accent_below(name, self.read_argument())
        elif name in SYMBOLS:
            if name in "lL" and self.font.family == "mono":  # OT1 has a whole character in place of the stroke
                self.add(set_run(" ", used))
            self.set_symbol(*SYMBOLS[name])
        else:
            super().command(name)
        if name in GROWN_ACCENTS:
            last = self.lines[-1].pop()
            wide, high, deep = (share * size for share in GROWN_ACCENTS[name])
            self.lines[-1].append(TextBox(last.width + wide, last.height + high, last.depth + deep, last.italic))

    def set_accent_below(self, name: str, inner: str) -> None:
        """Set a letter with an accent below; the cedilla of a g is a comma above it."""
        base, used = self.measure_argument(inner), self.font.face
        if name == "c":
            depth = max(base.depth, set_run("\x18", used).depth)
        else:
            mark = 0.2 * used.read_parameter(5) if name == "b" else set_run(".", used).height
            depth = base.depth + 0.25 * used.read_parameter(5) + mark
        above = _COMMA_ABOVE_EM * self.font.size if (name, inner) == ("c", "g") else 0.0
        self.factor = 999 if inner[-1:].isupper() else 1000
        self.add(TextBox(base.width, base.height + above, depth))

    # -- raw TeX -----------------------------------------------------------------------------------------------

    def set_other_command(self, name: str) -> None:
        """Set a known construct; an unknown command has the width of an M, or the size of its text arguments."""
        size = self.font.size
        if name == "begin":
            kind = self.read_argument()
            body, self.at = _find_body(self.source, self.at)
            self.add(self.measure_environment(kind, body))
        elif (box := self.measure_box_command(name)) is not None:
            self.add(box)
        elif name == "textsc":  # LaTeX has small capitals in serif fonts only
            capitals = _LETTERS.sub(lambda found: found[1] or found[0].upper(), self.read_argument())
            self.add(join_boxes(self.lines_of(capitals, self.font.with_style("serif"))))
        elif name in ("TeX", "LaTeX", "LaTeXe"):
            letters = join_boxes(self.lines_of(name.upper(), self.font.with_style("serif")))
            self.add(TextBox(letters.width, letters.height, 0.23 * size))
        elif name == "strut":
            self.lines[-1].append(TextBox(0, 0.875 * size, 0.375 * size))
        else:
            passed = (usage_of(name) or Usage()).arguments
            for bracket, _ in passed:
                self.read_option() if bracket == "[" else self.read_argument()
            if not passed and not self.source.startswith("{", self.at):
                self.add(TextBox(set_run("M", self.font.face).width, 0.7 * size, 0.25 * size))

    def measure_box_command(self, name: str) -> TextBox | None:
        """Measure a command that sets a size, a frame or another shape; return None for other commands."""
        match name:
            case "rule":
                lift = self.measure_length(self.read_option())
                wide, tall = self.measure_length(self.read_argument()), self.measure_length(self.read_argument())
                return TextBox(max(wide, 0.0), max(tall + lift, 0.0), max(-lift, 0.0))
            case "raisebox":
                lift = self.measure_length(self.read_argument())
                self.skip_options()  # the declared height and depth, which are ignored
                inner = self.measure_argument(self.read_argument())
                return TextBox(inner.width, max(inner.height + lift, 0.0), max(inner.depth - lift, 0.0))
            case "scalebox":
                across = _number(self.read_argument())
                high = _number(self.read_option() or str(across))
                return _map_box(self.measure_argument(self.read_argument()), (across, 0.0, 0.0, high, 0.0, 0.0))
            case "resizebox":
                wide, tall = self.measure_length(self.read_argument()), self.measure_length(self.read_argument())
                inner = self.measure_argument(self.read_argument())
                across, high = wide / (inner.width or 1.0), tall / (inner.height or 1.0)
                return _map_box(inner, (across or high or 1.0, 0.0, 0.0, high or across or 1.0, 0.0, 0.0))
            case "rotatebox":
                self.read_option()
                degrees = _number(self.read_argument())
                return _map_box(self.measure_argument(self.read_argument()), turn(degrees))
            case "parbox":
                self.skip_options()
                return self.measure_paragraph(self.read_argument(), self.read_argument())
            case "underline":
                inner = self.measure_argument(self.read_argument())
                return TextBox(inner.width, inner.height, inner.depth + 0.25 * self.font.size)
            case "makebox" | "fbox" | "framebox" | "colorbox" | "fcolorbox":
                for _ in range({"colorbox": 1, "fcolorbox": 2}.get(name, 0)):
                    self.read_argument()
                given = convert_to_points(self.read_option() or "", self.font)
                self.read_option()
                inner, frame = self.measure_argument(self.read_argument()), 0.0 if name == "makebox" else _FRAME_PT
                wide = inner.width + 2 * frame if given is None else max(given, 0.0)
                return TextBox(wide, inner.height + frame, inner.depth + frame)
        return None

    def measure_length(self, length: str | None) -> float:
        """Return a length in pt; 0 for a length that only TeX knows."""
        return convert_to_points(length or "", self.font) or 0.0

    def measure_environment(self, name: str, body: str) -> TextBox:
        """Return the box of an environment: a table, or a paragraph."""
        inside, columns = Cursor(body), ""
        if name in ("tabular", "array", "minipage"):
            inside.skip_options()
            columns = inside.read_argument()
        if name == "minipage":
            return self.measure_paragraph(columns, inside.remainder)
        rules, wide = (
            columns.count("|") or body.count(r"\hline"),
            sum(map(self.measure_length, _WIDTH.findall(columns))),
        )
        return self.measure_table(name, inside.remainder, rules, wide)

    def measure_table(self, name: str, body: str, rules: int, wide: float) -> TextBox:
        """Return the box of a table or matrix with `rules` vertical lines; `wide` is the width of p columns, in pt."""
        cell_box, size = self.measure_argument if name in _OF_TEXT else self.formula_box, self.font.size
        rows = [[cell_box(cell) if cell else EMPTY for cell in row] for row in _split_table(body)]
        columns = [[row[place] for row in rows if place < len(row)] for place in range(max(map(len, rows)))]
        width = (
            sum(max(cell.width for cell in column) + 2 * _COLUMN_SEP_PT for column in columns) + rules * _RULE_PT + wide
        )
        if name not in (*_OF_TEXT, "array", "aligned", "gathered"):
            width += 2 * _FENCE_EM * size - 2 * _COLUMN_SEP_PT  # delimiters, close to the cells
        lead = _LEADING_EM * size * (1.2 if name == "cases" else 1.0)
        total = sum(max([_STRUT[0] * lead, *(cell.height for cell in row)]) for row in rows)
        total += sum(max([_STRUT[1] * lead, *(cell.depth for cell in row)]) for row in rows)
        total += _ROW_SKIP_PT * len(rows) * (name in ("aligned", "gathered")) + 2 * _RULE_PT * (len(rows) + 1) * bool(
            rules
        )
        return self.center_on_axis(width, total + 1.0)

    def measure_paragraph(self, width: str, body: str) -> TextBox:
        """Return the estimated box of text that TeX wraps to a width."""
        inner, wide = self.measure_argument(body), self.measure_length(width)
        lines = -(-inner.width * 1.15 // wide) if wide > 0 else 1.0
        size = self.font.size
        return self.center_on_axis(wide or inner.width, max(inner.total, size) + (lines - 1) * _LEADING_EM * size)

    def center_on_axis(self, width: float, total: float) -> TextBox:
        """Center a box on the math axis."""
        axis = load_face("symbols", self.font.size).read_parameter(22)
        return TextBox(width, total / 2 + axis, total / 2 - axis)


def _map_box(box: TextBox, matrix: Matrix) -> TextBox:
    """Scale or rotate a box about the left end of its baseline."""
    corners = product((0.0, box.width), (-box.depth, box.height))
    left, bottom, right, top = compute_bounding_box(map_point(corner, matrix) for corner in corners)
    return TextBox(right - left, max(top, 0.0), max(-bottom, 0.0))


def _number(text: str) -> float:
    return float(text) if _NUMBER.fullmatch(text.strip()) else 1.0


def _split_table(body: str) -> list[list[str]]:
    """Split a table into rows of cells, ignoring separators in groups and inner tables."""
    rows: list[list[str]] = [[""]]
    depth = at = 0
    for token in _TOKEN.finditer(body):
        text = token[0]
        rows[-1][-1] += body[at : token.start()]
        at = token.end()
        if depth == 0 and text.startswith("\\\\"):
            rows.append([""])
        elif depth == 0 and text == "&":
            rows[-1].append("")
        else:
            depth += {"{": 1, r"\begin": 1, "}": -1, r"\end": -1}.get(text, 0)
            rows[-1][-1] += text
    rows[-1][-1] += body[at:]
    if len(rows) > 1 and not "".join(rows[-1]).replace(r"\hline", "").strip():
        rows.pop()
    return [[cell.replace(r"\hline", "").strip() for cell in row] for row in rows]


def _find_body(source: str, at: int) -> tuple[str, int]:
    """Return the body of an environment that began before a position, and the end of the environment."""
    depth = 1
    for edge in _EDGE.finditer(source, at):
        depth += 1 if edge[1] == "begin" else -1
        if depth == 0:
            return source[at : edge.start()], source.find("}", edge.start()) + 1
    return source[at:], len(source)
