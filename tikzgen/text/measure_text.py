"""Label sizes without TeX: exact for text and formulas, upper bounds otherwise.

`Margin` states the accuracy. The tests verify it for every label of every example, with each of the three engines.
"""

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
from tikzgen.text.text_to_tex import Typeset, typeset_label

_VARYING = pattern_of(
    rf"(?<!\\)(?:\\\\)*\\(?:_|(?:{'|'.join(map(re.escape, (*GROWN_ACCENTS, 'middle')))})(?![A-Za-z]))"
)
_SAFETY_RATIO = 1.03  # an estimate is this much larger than its parts: ratio, and pt
_SAFETY_PT = 0.4


class Margin:
    """Accuracy of a measurement compared with TeX.

    If a measurement is `exact`, pdfLaTeX sets the label within `exact` pt of it. XeLaTeX and LuaLaTeX use Latin Modern
    fonts: their output is wider by at most `width` (a ratio) plus `exact`, and higher and deeper by at most `height`
    (em).

    Otherwise, no engine sets the label larger, and the measurement is at most `ratio` times the size in TeX plus
    `slack` pt. The factor is `varying` for constructs that engines set differently (gaps next to Chinese,
    underscores). For raw TeX it is only a good guess.
    """

    exact = 0.01
    width = 0.0025
    height = 0.04
    ratio = 1.25
    varying = 1.5
    slack = 1.1


class TextSize(Record):
    """Sizes in cm: `height` above the first baseline, `depth` from there down to the end of the last line.

    If `exact`, pdfLaTeX sets it so; otherwise it is an upper bound with a margin.
    """

    width: float
    height: float
    depth: float
    exact: bool = True

    @property
    def total(self) -> float:
        """Distance from the top of the first line to the end of the last one, in cm."""
        return self.height + self.depth


@lru_cache(maxsize=32768, typed=True)
def measure(text: str, font: LabelFont) -> TextSize:
    """Return the size of a label or raw `Tex` in a font. Raise `TextRefused` as `typeset_label` does."""
    lines, exact, ratio, slack = _measure_lines(typeset_label(text), font)
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


def _measure_lines(typed: Typeset, font: LabelFont) -> tuple[Sequence[TextBox], bool, float, float]:
    """Return the boxes of lines, whether pdfTeX sets them exactly, and the safety margin: ratio and pt.

    AMS packages make some characters larger. Other labels, or the paper, may load them, so the larger size is used.
    """
    source, ams = typed.source, bool(typed.packages)
    try:
        # engines differ in gaps and characters
        if typed.cjk or font.size not in LATEX_SIZES or _VARYING.search(source):
            raise TextUnset(source)
        plain, scaled = set_lines(source, font, ams, trim=False), set_lines(source, font, True, trim=False)
    except TextUnset:
        return (
            _choose_larger_sizes(*(estimated_lines(source, font, each) for each in (False, True))),
            False,
            _SAFETY_RATIO,
            _SAFETY_PT,
        )
    larger = _choose_larger_sizes(plain, scaled)
    same = larger == _choose_larger_sizes(plain, plain) == _choose_larger_sizes(scaled, scaled)
    return larger, same, 1.0, 0.0


def _choose_larger_sizes(some: Sequence[TextBox], others: Sequence[TextBox]) -> list[TextBox]:
    """Return the maximum size of corresponding lines."""
    return [
        TextBox(max(one.width, other.width), max(one.height, other.height), max(one.depth, other.depth))
        for one, other in zip(some, others, strict=True)
    ]
