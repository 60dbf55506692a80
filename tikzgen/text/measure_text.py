"""How large a text will be, without TeX: exact for text and formulas, a little generous for all else.

`Margin` says how exact, and how generous: the tests hold every text of every example to it, in all three engines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from tikzgen.base.patterns import pattern_of
from tikzgen.base.plane import PT_PER_CM
from tikzgen.base.record import Record
from tikzgen.text.estimate_text import estimated_lines
from tikzgen.text.metrics.boxes import LINE_SKIP_PT, TextBox
from tikzgen.text.metrics.fonts import BASELINES, LATEX_SIZES, LabelFont
from tikzgen.text.metrics.text_commands import GROWN_ACCENTS
from tikzgen.text.set_like_tex import TextUnset, set_lines
from tikzgen.text.text_to_tex import Typeset, typeset

# How large a text will be that only TeX can set, or that each engine sets differently: a little generous.


_VARYING = pattern_of(
    rf"(?<!\\)(?:\\\\)*\\(?:_|(?:{'|'.join(map(re.escape, (*GROWN_ACCENTS, 'middle')))})(?![A-Za-z]))"
)
_SAFETY_RATIO = 1.03  # an estimate is this much larger than its parts: ratio, and pt
_SAFETY_PT = 0.4


class Margin:
    """How far a measure may lie from what TeX sets.

    Where a measure is `exact`, pdfLaTeX sets the text within `exact` pt of it. XeLaTeX and LuaLaTeX take Latin Modern
    fonts, which set it wider by no more than `width` (a share) plus `exact`, and higher and deeper by no more than
    `height` (in em). Where it is not, no engine sets the text larger than it, and it is at most `ratio` times what
    TeX sets plus `slack` pt; for what the engines set differently (gaps beside Chinese, underscores), `varying` times
    that plus `slack`. Of raw TeX it is no more than a good guess.
    """

    exact = 0.01
    width = 0.0025
    height = 0.04
    ratio = 1.25
    varying = 1.5
    slack = 1.1


class TextSize(Record):
    """Sizes in cm; `height` goes up from the first line's baseline, `depth` down to the end of the last line.

    `exact` holds in pdfLaTeX; anything else is an estimate with a margin, never too small.
    """

    width: float
    height: float
    depth: float
    exact: bool = True

    @property
    def total(self) -> float:
        """From the top of the first line to the end of the last one."""
        return self.height + self.depth


@lru_cache(maxsize=32768, typed=True)
def measure(text: str, font: LabelFont) -> TextSize:
    """The size of a text or raw `Tex` in a font; raises `TextRefused` as `typeset` does."""
    lines, exact, ratio, slack = _lines(typeset(text), font)
    baseline = BASELINES.get(font.size, 1.2 * font.size)
    height = lines[0].height
    depth = lines[0].depth
    for above, line in pairwise(lines):
        touching = above.depth + line.height
        step = baseline if touching <= baseline else touching + LINE_SKIP_PT
        depth += step - above.depth + line.depth
    width = max(line.width for line in lines)
    return TextSize(
        (width * ratio + slack * (width > 0)) / PT_PER_CM,
        (height * ratio + slack * (height > 0)) / PT_PER_CM,
        (depth * ratio + slack * (height > 0)) / PT_PER_CM,
        exact,
    )


def _lines(typed: Typeset, font: LabelFont) -> tuple[Sequence[TextBox], bool, float, float]:
    """The boxes of a text's lines, whether these are what pdfTeX sets, and how much larger they had better be taken.

    AMS packages make some signs larger, and other labels, or the paper, may load them: the larger ones count.
    """
    source, ams = typed.source, bool(typed.packages)
    try:
        # each engine has gaps and characters of its own
        if typed.cjk or font.size not in LATEX_SIZES or _VARYING.search(source):
            raise TextUnset(source)
        plain, scaled = set_lines(source, font, ams, trim=False), set_lines(source, font, True, trim=False)
    except TextUnset:
        return (
            _larger(*(estimated_lines(source, font, each) for each in (False, True))),
            False,
            _SAFETY_RATIO,
            _SAFETY_PT,
        )
    larger = _larger(plain, scaled)
    same = larger == _larger(plain, plain) == _larger(scaled, scaled)
    return larger, same, 1.0, 0.0


def _larger(some: Sequence[TextBox], others: Sequence[TextBox]) -> list[TextBox]:
    """Lines as large as the larger ones."""
    return [
        TextBox(max(one.width, other.width), max(one.height, other.height), max(one.depth, other.depth))
        for one, other in zip(some, others, strict=True)
    ]
