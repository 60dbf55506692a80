"""Texts of marks as they are set: the largest size at which they fit, in lines where none does."""

from __future__ import annotations

from collections.abc import Sequence

from tikzgen.base.record import Record
from tikzgen.layout.constants import INNER, SIZES
from tikzgen.layout.lengths import Extent, Length, number
from tikzgen.layout.plan import Plan
from tikzgen.layout.timeline.directions import Side, away, edge, extent, foot, spot
from tikzgen.layout.timeline.margin_shelves import Put
from tikzgen.layout.timeline.timeline_items import Label
from tikzgen.layout.timeline_facts import Chart
from tikzgen.model.widths import width_in_cm

_WIDER = 1.2  # words in the fonts of papers, such as Helvetica, which TeX would let stick out of their lines


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


def fit_text(plan: Plan, text: str, room: float, *, strut: bool = True, most: float = SIZES[0]) -> Fitted:
    """The largest size at which a text fits; broken into lines at the smallest where none does.

    With a `strut` it is as tall as any text of its size; `most` is the size in pt that it may have.
    """
    sizes = [size for size in SIZES if size <= min(plan.size, most)]
    for size in sizes:
        found = plan.measure(text, size=size)
        if found.width + 2 * INNER <= room:
            return fitted_at(plan, text, size, 0.0, strut=strut)
    return fitted_at(plan, text, sizes[-1], room if " " in text.strip() else 0.0, strut=strut)


def shortened(plan: Plan, chart: Chart, label: str) -> Fitted | None:
    """A lane's label in smaller type or in lines, where it would take more than a third of the figure's width."""
    if plan.figure.width is None or not chart.right:
        return None
    most = width_in_cm(plan.figure.width) / 3
    if plan.measure(label).width + 2 * INNER <= most:
        return None
    return fit_text(plan, label, most, strut=False)


def fitted_at(plan: Plan, text: str, size: float, room: float, *, strut: bool = True) -> Fitted:
    """A text at a size in pt, broken into lines where it is given `room` (cm)."""
    wrap = 0.0
    if room:
        most = max(room - 2 * INNER, 0.3)
        lines = plan.broken(text, most, size=size)
        if lines != text:
            text, wide = lines, plan.measure(lines, size=size).width
            wrap = max(_WIDER * wide if wide > most else min(_WIDER * wide, most), 0.3) + 0.02
    found, usual = plan.measure(text, size=size), plan.measure("Ag" if strut else ".", size=size)
    sink, lift = max(usual.depth - found.depth, 0.0), max(usual.height - found.height, 0.0)
    height = found.height + found.depth + sink + lift + 2 * INNER
    spelt = "" if size == plan.size else number(size)
    return Fitted(spelt, wrap, max(found.width, wrap) + 2 * INNER, height, sink, lift)


def common_size(plan: Plan, texts: Sequence[tuple[str, float]]) -> float:
    """The largest size in pt at which all of these fit their rooms, of those that fit at any: neighbours look alike."""
    sizes = [size for size in SIZES if size <= plan.size]
    fitting = [
        next((size for size in sizes if plan.measure(text, size=size).width + 2 * INNER <= room), sizes[0])
        for text, room in texts
    ]
    return min(fitting, default=sizes[0])


def set_text(chart: Chart, side: Side, macro: str, time: str, text: Fitted, put: Put, off: float = 0.0) -> Label:
    """A text along time on its shelf, `off` cm from where this begins: on a ground of paper where a line is behind it.

    It stands off the near edge of its box, for the sake of a common baseline.
    """
    out = put.near + off + (text.sink if foot(chart, side) == "south" else text.lift)
    along = put.middle - put.stem
    place = spot(chart, time, edge(chart, side), along=along, off=-out if side == "before" else out)
    look = ("slbl", "clear") if put.struck else ("slbl",)
    return Label((macro,), place, foot(chart, side), look, text.size, text.wrap, along=True)


def beside(chart: Chart, side: Side, start: Length, stop: Length, put: Put) -> Extent:
    """The paper on a shelf between two places along time."""
    base = away(edge(chart, side))
    near, far = (base - put.far, base - put.near) if side == "before" else (base + put.near, base + put.far)
    return extent(chart, start, stop, near, far)
