r"""Labels with a given width: wrapped into centered lines as TeX does, without hyphenation.

Spaces neither stretch nor shrink, and both margins stretch by 2 em (TikZ's `text width` with `align=center`). Between
Chinese characters, CJKutf8 inserts glue that stretches a little. A line neither begins with its closing punctuation
nor ends with its opening punctuation. TeX may also break formulas after operators such as `+` and `=`, with a penalty.
If TeX might do that, because no other solution is good enough, `TextUnset` is raised.
"""

from __future__ import annotations

from functools import lru_cache

from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record, replace
from tikzgen.text.escape_characters import is_cjk
from tikzgen.text.maths.formula_parts import kind_of, settle_signs
from tikzgen.text.maths.parser import parse
from tikzgen.text.metrics.boxes import TextBox, join_boxes, make_blank
from tikzgen.text.metrics.fonts import LabelFont
from tikzgen.text.set_like_tex import Setter, TextUnset, with_places

_LINE_PENALTY = 10  # penalties and demerits of LaTeX
_HYPHEN_PENALTY = 50  # penalties
_ADJACENT_COST = 10_000  # penalties
_DOUBLE_HYPHEN_COST = 10_000  # penalties
_FINAL_HYPHEN_COST = 5_000  # penalties
_FORMULA_PENALTY = 500  # the least penalty of a break in a formula
_PRETOLERANCE = 100  # as in \sloppy, which applies in boxes
_TOLERANCE = 9999
_EMERGENCY_EM = 3.0  # em
_MARGINS_EM = 4.0  # em that both margins stretch by, together
_SPACE_EM = 0.3333  # em
_WIDE_SPACE_EM = 0.5  # em
_PARTS = pattern_of(r"[^-]*-+|[^-]+")
_WORD = pattern_of(r"(?:\\\$|\$(?:\\.|[^$\\])*\$|[^ ])+")  # formulas are not broken
_SIGN = pattern_of(r"\\\$|\$(?:\\.|[^$\\])*\$|.")
_MOST_WORDS_LIMIT = 400
_GLUE_SHARE = 0.08  # share of the baseline distance: stretch between two Chinese characters
_OPENING = frozenset("〈《「『【〒〔〖〘〚〝〟〶﹙﹛﹝﹟﹠﹩﹫＃＄（＠［｛￠￡￥￦")
_CLOSING = frozenset(
    "、。々〆〉》」』】〕〗〙〛〞ぁぃぅぇぉっゃゅょゎ゛゜ゝゞァィゥェォッャュョヮヵヶ・ーヽヾ﹐﹑﹒﹔﹕﹖﹗﹚﹜﹞﹪！％），．：；？］｝｡｣､･ｧｨｩｪｫｬｭｮｯｰﾞﾟ"
)
"""The punctuation of CJKutf8's tables."""


@lru_cache(maxsize=4096)
def split_unbreakable(line: str) -> tuple[tuple[str, str], ...]:
    """Return the unbreakable parts of a line, each with the gap before it.

    Parts are words, and Chinese characters with adjacent punctuation and letters.
    """
    found = []
    for word in _WORD.findall(line):
        piece, gap, before = "", " ", ""
        for sign in _SIGN.findall(word):
            if _is_chinese(before) and _is_chinese(sign) and _may_end_between(before, sign):
                found.append((gap, piece))
                piece, gap = "", ""
            piece, before = piece + sign, sign
        found.append((gap, piece))
    return tuple(found)


def _is_chinese(sign: str) -> bool:
    return len(sign) == 1 and is_cjk(sign)


def _may_end_between(before: str, after: str) -> bool:
    """Return whether a line may end between two Chinese characters."""
    return before not in _OPENING and after not in _CLOSING


class _Word(Record):
    """Unbreakable box and its end: space or hyphen, stretch before Chinese, whether a line may end there."""

    box: TextBox
    space: float
    hyphen: bool
    stretch: float
    last: bool


class _Break(Record):
    """Best solution up to a break: its demerits, the fitness of its last line, and the previous break."""

    at: int
    demerits: float
    fitness: int
    before: _Break | None


class _Reader(Setter):
    """Setter that collects words; a space or a hyphen ends a word."""

    def __init__(self, source: str, font: LabelFont, scaled: bool, glue: float) -> None:
        super().__init__(source, font, scaled)
        self.words: list[_Word] = []
        self.glue = glue
        self.sign = ""  # the last Chinese character
        self.breakable = False  # whether TeX may break a formula

    def end(self, space: float, *, hyphen: bool = False, stretch: float = 0.0, last: bool = True) -> None:
        if self.lines[-1]:
            self.words.append(_Word(join_boxes(self.lines[-1]), space, hyphen, stretch, last))
            self.lines[-1] = []
        elif self.words and self.words[-1].hyphen:  # a dash before a space
            self.words[-1] = replace(self.words[-1], space=space, hyphen=hyphen)

    def set_blank(self, *, plain: bool) -> None:
        if plain and self.cjk_before:
            return  # CJKutf8 drops it
        self.cjk_before = None
        share = _WIDE_SPACE_EM if plain and self.factor >= 2000 else _SPACE_EM
        self.end(share * self.fonts[0].face.read_parameter(6), last=self.source[self.at - 1] != "~")

    def step(self) -> None:
        begin = self.at
        super().step()
        if self.source[begin : self.at].endswith("-") and self.source[begin] != "\\":
            self.end(0.0, hyphen=True)

    def choose_piece(self, chars: str) -> str:
        return (_PARTS.match(chars) or [chars])[0]

    def add_formula(self, inner: str) -> None:
        super().add_formula(inner)
        kinds = settle_signs([kind_of(item) for item in parse(inner, trusted=True).row.items])
        self.breakable |= not {"bin", "rel"}.isdisjoint(kinds[:-1])

    def set_ideograph(self, char: str) -> TextBox:
        if self.cjk_before:
            self.end(0.0, stretch=self.glue, last=_may_end_between(self.sign, char))
        self.sign = char
        return super().set_ideograph(char)


def set_paragraph(source: str, font: LabelFont, baseline: float, width: float, scaled: bool) -> tuple[TextBox, ...]:
    """Return the lines of TeX source in a width in pt; an explicit line break ends a line.

    Raise `TextUnset` if only TeX can set it.
    """
    before, broken, after = source.partition(r"\\")
    if broken and before.count("{") == before.count("}"):
        return tuple(line for part in (before, after) for line in set_paragraph(part, font, baseline, width, scaled))
    reader = _Reader(source, font, scaled, _GLUE_SHARE * baseline)
    with_places(source, reader.read_lines)
    if len(reader.lines) > 1:
        raise TextUnset("a line break in braces in a label of a given width")
    reader.end(0.0)
    words = reader.words
    if not words:
        return (make_blank(0.0),)
    if len(words) > _MOST_WORDS_LIMIT:
        raise TextUnset(f"a label of more than {_MOST_WORDS_LIMIT} words in a given width")
    quad = font.face.read_parameter(6)
    for tolerance, stretch in (
        (_PRETOLERANCE, _MARGINS_EM),
        (_TOLERANCE, _MARGINS_EM),
        (_TOLERANCE, _MARGINS_EM + _EMERGENCY_EM),
    ):
        last = _choose_breaks(words, width, stretch * quad, tolerance)
        if last is not None:
            break
    if last is None or (reader.breakable and last.demerits >= _FORMULA_PENALTY**2):
        raise TextUnset(f"{source} in {width:.1f} pt")
    ends = []
    while last is not None and last.before is not None:
        ends.append((last.before.at, last.at))
        last = last.before
    return tuple(_set_line(words[start:end], width, _MARGINS_EM * quad) for start, end in reversed(ends))


def _set_line(words: list[_Word], width: float, margins: float) -> TextBox:
    share = (width - _sum_widths(words)) / (margins + _stretch(words))
    boxes: list[TextBox] = []
    for word in words:
        boxes += [word.box, make_blank(word.space + share * word.stretch)]
    return join_boxes(boxes[:-1])


def _sum_widths(words: list[_Word]) -> float:
    """Return the natural width of a line, without stretch."""
    return sum(word.box.width + word.space for word in words) - words[-1].space


def _stretch(words: list[_Word]) -> float:
    return sum(word.stretch for word in words[:-1])


def _choose_breaks(words: list[_Word], width: float, stretch: float, tolerance: int) -> _Break | None:
    """Return the breaks with the least demerits (The TeXbook, chapter 14); None without a solution."""
    active = {(0, 1): _Break(0, 0.0, 1, None)}
    ends: list[_Break] = []
    for end in [place for place, word in enumerate(words, 1) if word.last or place == len(words)]:
        found: dict[int, _Break] = {}
        for start in list(active.values()):
            line = words[start.at : end]
            used = _sum_widths(line)
            if used > width + 1e-6:
                del active[start.at, start.fitness]
                continue
            bad = _compute_badness(width - used, stretch + _stretch(line))
            if bad > tolerance:
                continue
            way = _extend_line(words, start, end, bad)
            if way.fitness not in found or way.demerits <= found[way.fitness].demerits:  # among equals, the last
                found[way.fitness] = way
        ends = sorted(found.values(), key=lambda way: -way.fitness)
        active.update({(way.at, way.fitness): way for way in ends})
    return min(ends, key=lambda way: way.demerits, default=None)


def _compute_badness(missing: float, stretch: float) -> int:
    """Return TeX's badness, in its integer arithmetic: about 100 times the cube of the ratio."""
    ratio = int(297 * missing / stretch)
    return 10_000 if ratio > 1290 else (ratio**3 + (1 << 17)) >> 18


def _extend_line(words: list[_Word], start: _Break, end: int, bad: int) -> _Break:
    fitness = 1 if bad <= 12 else 2 if bad <= 99 else 3
    demerits = start.demerits + (_LINE_PENALTY + bad) ** 2
    last = end == len(words)
    hyphen = words[end - 1].hyphen and not last
    before = bool(start.at) and words[start.at - 1].hyphen
    if hyphen:
        demerits += _HYPHEN_PENALTY**2 + (_DOUBLE_HYPHEN_COST if before else 0)
    if last and before:
        demerits += _FINAL_HYPHEN_COST
    if abs(fitness - start.fitness) > 1:
        demerits += _ADJACENT_COST
    return _Break(end, demerits, fitness, start)
