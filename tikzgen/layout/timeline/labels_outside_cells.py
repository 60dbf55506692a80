"""A text in the room that it has: its size, in lines where it takes them; labels of lanes among them."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from tikzgen.base.record import Record
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.constants import INNER, SIZES
from tikzgen.layout.label_lines import broken_at
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper

_WIDER_FONT_RATIO = 1.2  # words in the fonts of papers, such as Helvetica, which TeX would let stick out of their lines


class Fitted(Record):
    """A text as it is set: its size as TeX reads it (empty for the usual one), the width it is broken to, its box.

    `sink` and `lift` are how much of the box lies below and above the text, so that neighbours share a baseline.
    """

    size: str
    wrap: float
    width: float
    height: float
    sink: float = 0.0
    lift: float = 0.0


NO_TEXT = Fitted("", 0.0, 0.0, 0.0)


def fit_text(plan: LayoutAttempt, text: str, room: float, *, strut: bool = True, most: float = SIZES[0]) -> Fitted:
    """The largest size at which a text fits; broken into lines at the smallest where none does.

    With a `strut` it is as tall as any text of its size; `most` is the size in pt that it may have.
    """
    sizes = [size for size in plan.sizes_down if size <= most]
    for size in sizes:
        found = plan.measure(text, size=size)
        if found.width + 2 * INNER <= room:
            return fitted_at(plan, text, size, 0.0, strut=strut)
    return fitted_at(plan, text, sizes[-1], room, strut=strut)


def shrink_label(facts: TimelineOnPaper, label: str) -> Fitted | None:
    """Return a lane's label in smaller type or in lines, if the labels of its figure do not all fit."""
    if not facts.right or facts.lanes_room == inf:
        return None
    text = fit_text(facts.plan, label, facts.lanes_room, strut=False, most=facts.lanes_size)
    return text if text.size or text.wrap else None


def fitted_at(plan: LayoutAttempt, text: str, size: float, room: float, *, strut: bool = True) -> Fitted:
    """A text at a size in pt, broken into lines where it is given `room` (cm)."""
    wrap = 0.0
    if room:
        most = max(room - 2 * INNER, 0.3)
        lines = broken_at(plan, text, most, size=size)
        if lines != text:
            text, wide = lines, plan.measure(lines, size=size).width
            wrap = max(_WIDER_FONT_RATIO * wide if wide > most else min(_WIDER_FONT_RATIO * wide, most), 0.3) + 0.02
    found, usual = plan.measure(text, size=size), plan.measure("Ag" if strut else ".", size=size)
    sink, lift = max(usual.depth - found.depth, 0.0), max(usual.height - found.height, 0.0)
    height = found.total + sink + lift + 2 * INNER
    return Fitted(plan.spelt_size(size), wrap, max(found.width, wrap) + 2 * INNER, height, sink, lift)


def common_size(plan: LayoutAttempt, texts: Sequence[tuple[str, float]]) -> float:
    """The largest size in pt at which all of these fit their rooms, of those that fit at any: neighbours look alike."""
    fitting = (plan.largest_size(text, room - 2 * INNER) for text, room in texts)
    return min((size for size in fitting if size), default=plan.size)
