"""Numbers in cells: one size in a figure, on lanes whose cells have room for numbers.

If they have no room, the shade changes every few cells, and numbers next to the first lane count. A 6 pt label with
two digits is 0.21 cm wide; a forward pass of 8 devices and 32 microbatches in one column is 0.06 cm wide.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import pairwise

from tikzgen.layout.attempt import Bands, LayoutAttempt, Numbers
from tikzgen.layout.constants import FULLEST, NUMERAL_INNER, SHORTEST, SIZES
from tikzgen.layout.scene.items import Item
from tikzgen.layout.symbolic_lengths import ZERO, SymbolicBox, make_length, number
from tikzgen.layout.time.cell_texts import NumberedCells
from tikzgen.layout.timeline.span_labels import cell_size, terse_phases
from tikzgen.layout.timeline.timeline_items import NumberItem
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper, on_paper
from tikzgen.text import fill_number

_NUMBER_TO_EDGE_CM = 0.025  # cm between a number and the upper and lower edge of its cell
_NUMBER_STEPS = (4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100, 128, 200, 256, 500, 512, 1000, 1024)  # marks per number
_NUMBER_GAP = 0.1  # cm between two numbers next to the lane


def fit_numbers(plan: LayoutAttempt) -> dict[tuple[str, str], Numbers]:
    """Return the style of the numbers in the cells of all timelines, with one size for the whole figure."""
    timelines = [on_paper(plan, facts) for facts in plan.timelines.values()]
    alike: dict[Hashable, list[TimelineOnPaper]] = {}
    for facts in timelines:
        alike.setdefault(_comparison_key(facts), []).append(facts)
    found = {place: _find_number_sizes(those) for place, those in alike.items()}
    size = min((size for sizes in found.values() for size in sizes.values()), default=0.0)
    return {
        facts.key: Numbers(
            size,
            frozenset(found[_comparison_key(facts)]),
            _choose_bands(facts, found[_comparison_key(facts)]),
            terse_phases(facts),
        )
        for facts in timelines
    }


def _comparison_key(facts: TimelineOnPaper) -> Hashable:
    """Return the key that compared timelines share: their position in panels, and their ruler.

    A part that is drawn again at another scale has its own ticks.
    """
    ticks = facts.part.axis.ticks if facts.part.axis else None
    own = tuple((tick.at, str(tick.label)) for tick in ticks) if isinstance(ticks, list) else ()
    return facts.mark, own


def _find_number_sizes(timelines: Sequence[TimelineOnPaper]) -> dict[str, float]:
    """Return the phases whose cells have room for their numbers in every panel, with the largest size.

    `timelines` have the same position in each panel.
    """
    sizes: dict[str, float] = {}
    for facts in timelines:
        for cell in facts.cells:
            size = _find_cell_number_size(facts, cell)
            sizes[cell.phase] = min(size, sizes.get(cell.phase, size))
    kin = {phases for facts in timelines for phases in facts.kin}
    while bare := {phases for phases in kin if any(not sizes.get(phase) for phase in phases)}:
        sizes = {phase: size for phase, size in sizes.items() if not any(phase in phases for phases in bare)}
        kin -= bare
    return sizes


def _find_cell_number_size(facts: TimelineOnPaper, cell: NumberedCells) -> float:
    """Return the largest size at which the number fits such a cell, 0 if even the smallest is too large."""
    across, along = cell_size(facts, cell.lanes, cell.length)
    if along < SHORTEST:
        return 0.0
    # If time runs up or down, numbers stay level.
    width, height = facts.swap_axes(along, across)
    return facts.plan.largest_size(cell.text, FULLEST * width, height - 2 * _NUMBER_TO_EDGE_CM) or 0.0


def _choose_bands(facts: TimelineOnPaper, sizes: Mapping[str, float]) -> Bands | None:
    """Return the bands of a timeline; None if all numbers fit, or if too few are omitted."""
    left_out = {phase: run for phase, run in facts.runs.items() if phase not in sizes}
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
