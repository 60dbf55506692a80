"""Lines across all lifelines: cuts, separators, and the ticks of Lamport's clocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from tikzgen.layout.attempt import Plan
from tikzgen.layout.constants import INNER
from tikzgen.layout.extent import Extent
from tikzgen.layout.items import Item
from tikzgen.layout.length import Length, number, param
from tikzgen.layout.number_words import spell
from tikzgen.layout.spacetime.clock_marks import ticks
from tikzgen.layout.spacetime.regions import around
from tikzgen.layout.spacetime.texts_beside import label_size
from tikzgen.layout.spacetime.weave import OUT, Weave
from tikzgen.layout.timeline.directions import extent, spot
from tikzgen.layout.timeline.timeline_items import Path, Spot

_OUT = 0.3  # cm by which a line across all lifelines goes beyond them,
_ANCHORS = {
    True: {0: "south", -1: "south east", 1: "south west"},
    False: {0: "west", -1: "south west", 1: "north west"},
}
"""Of the texts at the ends of lines, where time runs right or down, by how they lean."""
_PAST = 0.1  # and beyond frames around them


def cut_stem(index: int, mark: str) -> str:
    """The stem of the macro of a cut's label."""
    return f"cut{spell(index + 1)}label{mark}"


def separator_stem(index: int, mark: str) -> str:
    """The stem of the macro of a separator's label."""
    return f"separator{spell(index + 1)}label{mark}"


def _lines(weave: Weave) -> Iterator[tuple[str, str, str, list[Fraction]]]:
    """Separators and cuts: the style, the stem of the text's macro, the text, and when each lifeline is crossed."""
    part = weave.part
    for index, one in enumerate(part.separators):
        times = [one.time / weave.unit] * len(part.lifelines)
        yield "separator", separator_stem(index, weave.mark), one.label, times
    for index, cut in enumerate(part.cuts):
        style = "cut line" if cut.consistent else "inconsistent cut"
        yield style, cut_stem(index, weave.mark), cut.label, [time / weave.unit for time in part.crossings(cut)]


def across_items(plan: Plan, weave: Weave) -> Iterator[Item]:
    """The ticks, and the cuts with their texts."""
    for times in ticks(weave):
        yield Path(("clock tick",), _line(weave, times, _OUT, _OUT))
    size = label_size(plan)
    small = number(size) if size != plan.size else ""
    leans = _leans(plan, weave)
    for (style, stem, _, crossed), lean in zip(_lines(weave), leans, strict=True):
        macro = plan.labels.macro(weave.panel, stem)
        spots = _line(weave, crossed, *_beyond(plan, weave))
        # the text stands where the arrow of time does not
        right = weave.part.direction == "right"
        yield Path((style,), spots[::-1] if right else spots, macro, _ANCHORS[right][lean], size=small)


def _leans(plan: Plan, weave: Weave) -> list[int]:
    """Where the text at the end of each line stands: in its middle (0), or before (-1) or after it (1).

    Those of two lines that would touch stand away from each other.
    """
    right = weave.part.direction == "right"
    unit, known = plan.values.get("timeunit", 1.0), list(_lines(weave))
    at = [float(crossed[0 if right else -1]) * unit for _, _, _, crossed in known]
    wide = [_along(plan, weave, label) for _, _, label, _ in known]
    order = [index for index in sorted(range(len(known)), key=lambda index: (at[index], index)) if wide[index]]
    found = [0] * len(known)
    for one, other in pairwise(order):
        if at[other] - at[one] < (wide[one] + wide[other]) / 2 and not found[one]:
            found[one], found[other] = -1, 1
    return found


def _along(plan: Plan, weave: Weave, label: str) -> float:
    """How far the text at the end of a line reaches along time."""
    if not label:
        return 0.0
    size = plan.measure(label, size=label_size(plan))
    return (size.width if weave.part.direction == "right" else size.height + size.depth) + 2 * INNER


def _line(weave: Weave, times: Sequence[Fraction], first: float, last: float) -> tuple[Spot, ...]:
    places = [number(float(time), 4) for time in times]
    inner = [spot(weave, time, row) for row, time in enumerate(places)]
    return spot(weave, places[0], 0, off=-first), *inner, spot(weave, places[-1], len(places) - 1, off=last)


def _beyond(plan: Plan, weave: Weave) -> tuple[float, float]:
    """How far a line goes beyond the first lifeline, and beyond the last: past loops and frames."""
    part = weave.part
    row = 0 if part.direction == "right" else len(part.lifelines) - 1
    loops = any(one.source in one.targets and weave.row(one.source) == row for one in part.messages)
    far = _OUT + (2 * OUT if loops else OUT / 2)
    near, beyond = around(plan, weave)
    if part.direction == "right":
        return max(far, near + _PAST), max(_OUT, beyond and beyond + _PAST)
    return max(_OUT, near and near + _PAST), max(far, beyond + _PAST)


def across_extents(plan: Plan, weave: Weave) -> Iterator[Extent]:
    """The paper that cuts with their texts take, and ticks."""
    part, last = weave.part, len(weave.part.lifelines) - 1
    if part.ticks:
        yield extent(weave, Length(), Length(), Length(-_OUT), param("lifelinesep", last) + _OUT)
    first, beyond = _beyond(plan, weave)
    for (_, _, label, crossed), lean in zip(_lines(weave), _leans(plan, weave), strict=True):
        times = [param("timeunit", float(time)) for time in crossed]
        size = plan.measure(label, size=label_size(plan)) if label else None
        long, high = (size.width + 2 * INNER, size.height + size.depth + 2 * INNER) if size else (0.0, 0.0)
        for time in times:
            yield extent(weave, time, time, Length(-first), param("lifelinesep", last) + beyond)
        if part.direction == "right":
            low, far = times[0] + (lean - 1) * long / 2, times[0] + (lean + 1) * long / 2
            yield extent(weave, low, far, Length(-first - high), Length(-first))
        else:
            far = param("lifelinesep", last) + beyond
            low, deep = times[-1] + (lean - 1) * high / 2, times[-1] + (lean + 1) * high / 2
            yield extent(weave, low, deep, far, far + long)
