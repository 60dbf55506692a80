"""Labels fitted to their room, including labels of lanes: size, and wrapping if necessary."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from tikzgen.base.record import Record
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.constants import INNER, SIZES
from tikzgen.layout.label_lines import broken_at
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper

_WIDER_FONT_RATIO = 1.2  # factor for wider fonts of papers, such as Helvetica: words would stick out of the lines


class Fitted(Record):
    """A fitted label: type size as TeX reads it (empty: usual), width of its lines, and its box in cm.

    `wrap` is 0 if the label does not wrap. `sink` and `lift` are the blank parts of the box below and above the label,
    so that adjacent labels share a baseline.
    """

    size: str
    wrap: float
    width: float
    height: float
    sink: float = 0.0
    lift: float = 0.0


NO_TEXT = Fitted("", 0.0, 0.0, 0.0)


def fit_text(plan: LayoutAttempt, text: str, room: float, *, strut: bool = True, most: float = SIZES[0]) -> Fitted:
    """Return a label at the largest size that fits; wrapped at the smallest size if no size fits.

    With a `strut`, it is as tall as any label of its size. `most` is the maximum size in pt.
    """
    sizes = [size for size in plan.sizes_down if size <= most]
    for size in sizes:
        found = plan.measure(text, size=size)
        if found.width + 2 * INNER <= room:
            return fitted_at(plan, text, size, 0.0, strut=strut)
    return fitted_at(plan, text, sizes[-1], room, strut=strut)


def shrink_label(facts: TimelineOnPaper, label: str) -> Fitted | None:
    """Return a lane's label in smaller type or wrapped; None if all labels of its figure fit."""
    if not facts.right or facts.lanes_room == inf:
        return None
    text = fit_text(facts.plan, label, facts.lanes_room, strut=False, most=facts.lanes_size)
    return text if text.size or text.wrap else None


def fitted_at(plan: LayoutAttempt, text: str, size: float, room: float, *, strut: bool = True) -> Fitted:
    """Return a label at a size in pt, wrapped if `room` (cm) is not 0."""
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
    """Return the largest size in pt at which all these labels fit; labels that fit at no size are ignored.

    Adjacent labels then look equal.
    """
    fitting = (plan.largest_size(text, room - 2 * INNER) for text, room in texts)
    return min((size for size in fitting if size), default=plan.size)
