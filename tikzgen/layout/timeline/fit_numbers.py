"""Numbers in cells: one size in a figure, in classes of cells that have room for numbers.

If a whole phase has no room, the shade changes every few cells, and numbers next to the first lane count. A 6 pt label
with two digits is 0.21 cm wide; a forward pass of 8 devices and 32 microbatches in one column is 0.06 cm wide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from math import ceil

from tikzgen.layout.attempt import Bands, LayoutAttempt, Numbers
from tikzgen.layout.constants import FULLEST, NUMERAL_INNER, SHORTEST, SIZES
from tikzgen.layout.scene.items import Item
from tikzgen.layout.symbolic_lengths import ZERO, SymbolicBox, make_length, number
from tikzgen.layout.time.cell_texts import CellClass, NumberedCells
from tikzgen.layout.timeline.span_labels import cell_size, terse_phases
from tikzgen.layout.timeline.timeline_items import NumberItem
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper, on_paper
from tikzgen.model.looks import width_in_cm
from tikzgen.text import fill_number

_NUMBER_TO_EDGE_CM = 0.025  # cm between a number and the upper and lower edge of its cell
_NUMBER_STEPS = (4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100, 128, 200, 256, 500, 512, 1000, 1024)  # marks per number
_MOST_CLASSES_COUNT = 4  # lengths of one phase
_NUMBER_GAP = 0.1  # cm between two numbers next to the lane


def fit_numbers(plan: LayoutAttempt) -> dict[tuple[str, str], Numbers]:
    """Return the style of the numbers in the cells of all timelines, with one size for the whole figure."""
    timelines = [on_paper(plan, facts) for facts in plan.timelines.values()]
    sizes = {facts.key: _find_number_sizes(facts) for facts in timelines}
    size = min((size for found in sizes.values() for size in found.values() if size), default=0.0)
    return {
        facts.key: Numbers(
            size,
            {kind: _find_sufficient_width(facts, kind) for kind, size in sizes[facts.key].items() if not size},
            _choose_bands(facts, {phase for (phase, _), size in sizes[facts.key].items() if size}),
            terse_phases(facts),
        )
        for facts in timelines
    }


def _find_number_sizes(facts: TimelineOnPaper) -> dict[CellClass, float]:
    """Return the largest size of the numbers in each class of cells, 0 without room.

    A phase with many lengths, such as a measured one, is one class: single numbers in a row would mislead.
    """
    sizes: dict[CellClass, float] = {}
    for cell in facts.cells:
        size = _find_cell_number_size(facts, cell)
        sizes[cell.kind] = min(size, sizes.get(cell.kind, size))
    counts = Counter(phase for phase, _ in sizes)
    lowest = {phase: min(sizes[kind] for kind in sizes if kind[0] == phase) for phase in counts}
    return {kind: lowest[kind[0]] if counts[kind[0]] > _MOST_CLASSES_COUNT else size for kind, size in sizes.items()}


def _find_sufficient_width(facts: TimelineOnPaper, kind: CellClass) -> float:
    """Return the width of the figure in cm at which a class of cells has room for its numbers; 0 if none does."""
    plan, needed = facts.plan, 1.0
    if not facts.right or not plan.figure.width:
        return 0.0
    for cell in facts.cells:
        if cell.kind == kind:
            across, along = cell_size(facts, cell.lanes, cell.length)
            text = plan.measure(cell.text, size=SIZES[-1])
            if text.total > across - 2 * _NUMBER_TO_EDGE_CM:
                return 0.0
            needed = max(needed, max(text.width / FULLEST, SHORTEST) / along)
    longer = max(float(each.end) for each in plan.timelines.values()) * plan.values["timeunit"] * (needed - 1)
    return ceil(10 * (width_in_cm(plan.figure.width) + plan.figure.abreast * longer) + 0.5) / 10


def _find_cell_number_size(facts: TimelineOnPaper, cell: NumberedCells) -> float:
    """Return the largest size at which the number fits such a cell, 0 if even the smallest is too large."""
    across, along = cell_size(facts, cell.lanes, cell.length)
    if along < SHORTEST:
        return 0.0
    # If time runs up or down, numbers stay level.
    width, height = facts.swap_axes(along, across)
    return facts.plan.largest_size(cell.text, FULLEST * width, height - 2 * _NUMBER_TO_EDGE_CM) or 0.0


def _choose_bands(facts: TimelineOnPaper, numbered: Collection[str]) -> Bands | None:
    """Return the bands of a timeline; None if all numbers fit, or if too few are omitted."""
    left_out = {phase: run for phase, run in facts.runs.items() if phase not in numbered}
    if not left_out:
        return None
    on_first = [phase for phase, run in left_out.items() if run.marks]
    if not on_first:
        return None
    phase = min(on_first, key=lambda name: left_out[name].marks[0][1])
    run = left_out[phase]
    count = run.high - run.low + 1
    fitting = [every for every in _NUMBER_STEPS if every < count and _clear(facts, phase, run.marks[::every])]
    if not fitting:
        return None
    # The last band is as long as the others if that at most doubles the interval of numbers.
    even = [every for every in fitting if count % every == 0 and every <= 2 * fitting[0]]
    every = (even or fitting)[0]
    # If shades mean chunks in some panel, they mean nothing else in any panel: there only the numbers count.
    chunked = any(max(found) for one in facts.plan.timelines.values() for found in one.chunks.values())
    same = () if chunked else [name for name, one in left_out.items() if (one.low, one.high) == (run.low, run.high)]
    return Bands(frozenset(same), run.low, every, phase, tuple(run.marks[::every]))


def _clear(facts: TimelineOnPaper, phase: str, marks: Sequence[tuple[int, float]]) -> bool:
    """Return whether these numbers do not touch each other."""
    unit, taken = facts.plan.values["timeunit"], _sizes_of_numbers(facts, phase, marks, along=True)
    return all(
        (after[1] - before[1]) * unit >= (one + two) / 2 + _NUMBER_GAP
        for (before, after), (one, two) in zip(pairwise(marks), pairwise(taken), strict=True)
    )


def _sizes_of_numbers(
    facts: TimelineOnPaper, phase: str, marks: Sequence[tuple[int, float]], *, along: bool = False
) -> list[float]:
    """Return the size of each number across the lanes, or along time, in cm."""
    cell = facts.plan.figure.phase(phase).cell
    return [facts.size_of(fill_number(cell, counted), SIZES[-1])[0 if along else 1] for counted, _ in marks]


def band_parts(facts: TimelineOnPaper, found: Bands) -> Iterator[Item | SymbolicBox]:
    """Yield the numbers next to the first lane, and their area."""
    right = facts.right
    macro = facts.plan.labels.find_field_macro("phases", found.phase, "cell")
    color = facts.plan.figure.phase(found.phase).color
    for counted, moment in found.marks:
        yield NumberItem(number(moment, 4), "-0.5", macro, str(counted), color, "south" if right else "east")
    half = make_length("laneheight", 0.5) + make_length("lanesep", 0.5)
    far = half + measure_number_depth(facts, found)
    yield SymbolicBox(ZERO, ZERO, ZERO, far) if right else SymbolicBox(-far, ZERO, ZERO, ZERO)


def measure_number_depth(facts: TimelineOnPaper, found: Bands) -> float:
    """Return the extent of the numbers beyond the first lane, in cm."""
    return max(_sizes_of_numbers(facts, found.phase, found.marks)) + 2 * NUMERAL_INNER
