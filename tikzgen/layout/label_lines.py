"""Wrapped labels: where TeX breaks their lines, and their size."""

from __future__ import annotations

from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.text import Tex, split_unbreakable
from tikzgen.text import TextSize as TextExtent

_UNEVEN = (1.0, 1.08, 1.16, 1.25, 1.35, 1.5)  # times the mean length of the lines
_LINE_TOLERANCE_CM = 0.02  # cm by which a line may be longer
_BREAKING_FACTOR = 1.05  # for TeX, which breaks lines itself


def broken_at(plan: LayoutAttempt, text: str, width: float, *, bold: bool = False, size: float | None = None) -> str:
    """Return the label broken as TeX breaks it into lines of `width` cm.

    Lines break at spaces and between Chinese characters. A longer word keeps its length. Raw TeX is not broken.
    """
    if isinstance(text, Tex):
        return text
    lines: list[str] = []
    for line in text.split("\n"):
        (_, first), *words = split_unbreakable(line) or [("", "")]
        lines.append(first)
        for gap, word in words:
            longer = lines[-1] + gap + word
            if plan.measure(longer, bold=bold, size=size).width <= width:
                lines[-1] = longer
            else:
                lines.append(word)
    return "\n".join(lines)


def set_within(
    plan: LayoutAttempt, text: str, room: float, *, bold: bool = False, size: float | None = None
) -> tuple[TextExtent, float]:
    """Return the size of a label, wrapped if it is wider than `room`, and the width of its lines.

    All lengths are in cm. The width is 0 if the label is not wrapped.
    """
    found = plan.measure(text, bold=bold, size=size)
    lines = broken_at(plan, text, room, bold=bold, size=size) if found.width > room else text
    if lines == text:
        return found, 0.0
    found = plan.measure(lines, bold=bold, size=size)
    return found, found.width + _LINE_TOLERANCE_CM


def in_lines(plan: LayoutAttempt, text: str, most: float, size: float | None = None) -> tuple[TextExtent, float]:
    """Return the size of a label in lines of at most `most` cm, and the width at which TeX wraps it.

    The label has as few lines as possible, of about equal length. The width is 0 if it stays on one line, as raw TeX
    does.
    """
    whole = plan.measure(text, size=size)
    if whole.width <= most or isinstance(text, Tex):
        return whole, 0.0
    count = broken_at(plan, text, most, size=size).count("\n")
    longest = max(plan.measure(line, size=size).width for line in text.split("\n"))
    tries = (longest / (count - text.count("\n") + 1) * by for by in _UNEVEN)
    fits = (one for one in tries if one < most and broken_at(plan, text, one, size=size).count("\n") <= count)
    wide = next(fits, most)
    broken = plan.measure(broken_at(plan, text, wide, size=size), size=size)
    if broken.width >= whole.width:
        return whole, 0.0
    wide = max(broken.width + _LINE_TOLERANCE_CM, min(broken.width * _BREAKING_FACTOR, most))
    return TextExtent(wide, broken.height, broken.depth), wide
