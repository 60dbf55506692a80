"""Cells too narrow for their numbers: the shade changes every few of them, and numbers beside the first lane count.

A text of 6 pt with two digits is 0.21 cm wide, a forward of 8 devices and 32 microbatches in a column 0.06 cm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tikzgen.layout.attempt import SIZES, Plan
from tikzgen.layout.cell_texts import cell_stem, numbered
from tikzgen.layout.chart import Chart
from tikzgen.layout.extent import Extent
from tikzgen.layout.items import Item
from tikzgen.layout.length import ZERO, Length, number, param
from tikzgen.layout.timeline.digits import digits
from tikzgen.layout.timeline.numbers import Bands, Digits, Numbers
from tikzgen.layout.timeline.timeline_items import Numeral

__all__ = ["depth", "extents", "items", "numbers"]

_EVERY = (4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100, 128, 200, 256, 500, 512, 1000, 1024)
_BETWEEN = 0.1  # cm between two numbers beside the lane
_AIR = 0.05  # cm between a number and its lane


def numbers(plan: Plan, chart: Chart) -> Numbers:
    """The numbers in the cells of a timeline for the sizes of a plan."""
    sizes = digits(plan, chart)
    return Numbers(sizes, _bands(plan, chart, sizes))


def _bands(plan: Plan, chart: Chart, sizes: Digits) -> Bands | None:
    """The bands of a timeline; none where all numbers are set or too few are left out."""
    left_out = {phase: run for phase, run in chart.runs.items() if phase not in sizes.sizes}
    if not left_out:
        return None
    on_first = [phase for phase, run in left_out.items() if run.marks]
    if not on_first:
        return None
    phase = min(on_first, key=lambda name: left_out[name].marks[0][1])
    run = left_out[phase]
    count = run.high - run.low + 1
    fitting = [every for every in _EVERY if every < count and _clear(plan, chart, phase, run.marks[::every])]
    if not fitting:
        return None
    # the last band is as long as the others, where that costs no more than twice the numbers
    even = [every for every in fitting if count % every == 0 and every <= 2 * fitting[0]]
    every = (even or fitting)[0]
    same = frozenset(name for name, other in left_out.items() if (other.low, other.high) == (run.low, run.high))
    return Bands(same, run.low, every, phase, tuple(run.marks[::every]))


def _clear(plan: Plan, chart: Chart, phase: str, marks: Sequence[tuple[int, float]]) -> bool:
    """Whether these numbers do not touch each other."""
    unit = plan.values["timeunit"]
    cell = plan.figure.phase(phase).cell
    sizes = [plan.measure(numbered(cell, counted), size=SIZES[-1]) for counted, _ in marks]
    right = chart.part.direction == "right"
    taken = [size.width if right else size.height + size.depth for size in sizes]
    return all(
        (after[1] - before[1]) * unit >= (one + two) / 2 + _BETWEEN
        for (before, after), (one, two) in zip(pairwise(marks), pairwise(taken), strict=True)
    )


def items(plan: Plan, chart: Chart, found: Bands) -> Iterator[Item]:
    """The numbers beside the first lane."""
    anchor = "south" if chart.part.direction == "right" else "east"
    macro = plan.labels.macro("", cell_stem(found.phase))
    color = plan.figure.phase(found.phase).color
    for counted, moment in found.marks:
        yield Numeral(number(moment, 4), "-0.5", macro, str(counted), color, anchor)


def depth(plan: Plan, chart: Chart, found: Bands) -> float:
    """How far the numbers reach beyond the first lane, in cm."""
    cell = plan.figure.phase(found.phase).cell
    sizes = [plan.measure(numbered(cell, counted), size=SIZES[-1]) for counted, _ in found.marks]
    if chart.part.direction == "right":
        return max(size.height + size.depth for size in sizes) + 2 * _AIR
    return max(size.width for size in sizes) + 2 * _AIR


def extents(plan: Plan, chart: Chart, found: Bands) -> Iterator[Extent]:
    """What the numbers take."""
    half = param("laneheight", 0.5) + param("lanesep", 0.5)
    if chart.part.direction == "right":
        yield Extent(ZERO, ZERO, ZERO, half + depth(plan, chart, found))
    else:
        yield Extent(-half - depth(plan, chart, found), ZERO, Length(0.0), ZERO)
