"""Which layouts are tried, in order: the usual one, with texts in lines, compact, with lifelines farther apart.

First in a width, then in a height; and how wide a figure is at least, where none of them fits.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from itertools import count
from math import ceil, inf

from tikzgen.base.errors import Problem, SpecError
from tikzgen.base.plane import PAGE_LIMIT_CM
from tikzgen.base.record import replace
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.constants import SIZES
from tikzgen.layout.label_sizes import Sizes
from tikzgen.layout.page.fit_width import (
    WIDTH_TOLERANCE_CM,
    Attempt,
    choose_type_size,
    is_stated,
    narrow_texts,
    narrowest,
    place_at_distances,
)
from tikzgen.layout.scene.name_macros import collect
from tikzgen.layout.time.timeline_facts import facts_of_timelines
from tikzgen.model.content import Content
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import WIDEST, Icon, width_in_cm
from tikzgen.model.topology import Topology

_PAGE_HEIGHT_CM = 21.99  # cm of height: the text of a page has 22
_ROW_GAP_STEPS = 4096  # steps of the row gap, from the closest to the usual one
_SPREADS = (1.25, 1.5, 1.8, 2.2)  # times as far apart lifelines may lie as is usual
_WIDTH_STEP_MM = (
    4  # mm at most to the next width that is tried: what one takes that does not fit is no bound for others
)
_CLEAR_TEXT_WORTH_CM = 1.5  # cm of height that a text is worth which finds a clear place


def first_plan(figure: FigureModel, icons: Mapping[str, Icon], sizes: Sizes, *, compact: bool = False) -> LayoutAttempt:
    """What all attempts at a figure have in common."""
    timelines = facts_of_timelines(figure)
    labels = collect(figure, timelines)
    return LayoutAttempt(figure, labels, timelines, icons, figure.font.size, {}, sizes, {}, compact=compact)


def densities(figure: FigureModel) -> tuple[bool, ...]:
    """Whether a plan is compact, for each that is tried: only topologies are, where a width is to be reached."""
    return (False, True) if figure.width is not None and any(figure.parts(Topology)) else (False,)


def fit(start: LayoutAttempt) -> Attempt | float:
    """Choose type size and distances; or the least width in cm that the figure takes, where it does not fit its own.

    Where something has no clear place, or the type had to shrink, a compact one is rather drawn if it is better.
    """
    found = _fit_to_width(start)
    if isinstance(found, float):
        return found
    if (found.page.faults or found.plan.size < start.size) and True in densities(start.figure) and not start.compact:
        small = _fit_to_width(replace(start, compact=True))
        if isinstance(small, Attempt) and _is_better(small, found):
            found = small
    return _fit_to_height(found)


def _is_better(compact: Attempt, found: Attempt) -> bool:
    """Whether less in a compact attempt has no clear place, or as little, and its type is larger."""
    return (compact.page.faults, -compact.plan.size) < (found.page.faults, -found.plan.size)


def _fit_to_height(found: Attempt) -> Attempt:
    """Fit the figure to its height: shrink vertical distances, then the type of a topology, or refuse it.

    Without a stated height, the limit is a page, or the height from which figures are reported as too tall.
    """
    plan = found.plan
    limit = plan.figure.height or _PAGE_HEIGHT_CM
    if found.height <= limit + WIDTH_TOLERANCE_CM:
        return found
    values = _closer_rows(found)

    def refuse_height(takes: str, least: float) -> Attempt:
        if plan.figure.height is None:
            return found
        hint = f"a height of {ceil(least * 10) / 10:g} cm or fewer parts would do"
        raise SpecError([Problem(f"does not fit {limit:g} cm: {takes}", path="height", hint=hint)])

    first, last, tried = 0, _ROW_GAP_STEPS, _closest(found)
    if plan.figure.height is None and limit < tried.height <= PAGE_LIMIT_CM:
        limit = tried.height
    if tried.height > limit + WIDTH_TOLERANCE_CM:
        if not plan.compact and True in densities(plan.figure):
            small = _fit_to_width(replace(plan, size=plan.figure.font.size, values={}, compact=True))
            if isinstance(small, Attempt) and _closest(small).height < tried.height:
                low = _fit_to_height(small)
                if plan.figure.height or low.height <= PAGE_LIMIT_CM + WIDTH_TOLERANCE_CM:
                    return low
        if shrunk := _smaller(found, limit if plan.figure.height else PAGE_LIMIT_CM):
            return shrunk
        return refuse_height(f"it takes {tried.height:.2f} cm with its rows as close as they may be", tried.height)
    for turn in count():
        if last - first <= 1:
            break
        # where what was tried would end at the limit if nothing else moved; every third step halves
        told = bisect_right(
            range(_ROW_GAP_STEPS),
            limit + WIDTH_TOLERANCE_CM,
            first + 1,
            last,
            key=lambda step: tried.page.extent.height(values(step)),
        )
        middle = max(told - 1, first + 1) if turn % 3 < 2 else (first + last) // 2
        tried = place_at_distances(plan, found.needs, values(middle), rough=True)
        first, last = (middle, last) if tried.height <= limit + WIDTH_TOLERANCE_CM else (first, middle)
    best = place_at_distances(plan, found.needs, values(first))
    if plan.figure.width is not None and best.width > width_in_cm(plan.figure.width) + WIDTH_TOLERANCE_CM:
        # between closer rows a text may have no room but beside them
        return refuse_height(f"with its rows so close it takes {best.width:.2f} cm of width", found.height)
    return best


def _closer_rows(found: Attempt) -> Callable[[int], dict[str, float]]:
    """The distances by how far those of rows are shrunk: at 0 these are the least, at the last step the usual ones."""
    plan = found.plan
    room = {
        name: (min(need.least, plan.values[name]), plan.values[name])
        for name, need in found.needs.items()
        if need.axis == "y" and not is_stated(plan.figure, name)
    }

    def values(step: int) -> dict[str, float]:
        shrunk = {name: least + (usual - least) * step / _ROW_GAP_STEPS for name, (least, usual) in room.items()}
        return {**plan.values, **{name: ceil(value * 1000 - 1e-6) / 1000 for name, value in shrunk.items()}}

    return values


def _closest(found: Attempt) -> Attempt:
    """The figure with its rows as close as they may be."""
    return place_at_distances(found.plan, found.needs, _closer_rows(found)(0), rough=True)


def _smaller(found: Attempt, limit: float) -> Attempt | None:
    """A topology in a smaller type that keeps to the height, where a width is to be reached."""
    plan = found.plan
    size = next((size for size in plan.sizes_down if size < plan.size), None)
    if size is None or True not in densities(plan.figure):
        return None
    small = _fit_to_width(replace(plan, size=size, values={}))
    low = _fit_to_height(small) if isinstance(small, Attempt) else found
    return low if low.height <= limit + WIDTH_TOLERANCE_CM else None


def least_width(start: LayoutAttempt) -> float:
    """The width in cm that a figure takes at the smallest type, with its title in lines, compact or not; if one of them
    fits its width, that one's.

    Captions are in lines as narrow as their icons where it is not compact, and stated places closer together for it.
    """
    small, least = replace(narrow_texts(start), size=SIZES[-1], pressed=True), inf
    for compact in densities(start.figure):
        least = min(least, narrowest(replace(small, compact=compact)).width)
        if least <= small.limit:
            break
    return least


def _fit_to_width(start: LayoutAttempt) -> Attempt | float:
    """Fit the figure to its width, with wrapped captions and title if needed; or return the needed width."""
    if start.compact:
        return choose_type_size(narrow_texts(start))
    if start.figure.width is not None and any(start.figure.parts(Topology)):
        target = width_in_cm(start.figure.width) + WIDTH_TOLERANCE_CM
        if narrowest(start).width > target and (least := least_width(start)) > target:
            return least  # nothing else is tried
    found = choose_type_size(start)
    if isinstance(found, float):
        narrow = narrow_texts(start)
        found = choose_type_size(narrow)
        if isinstance(found, float) and _has_time(start.figure):
            narrow = replace(narrow, pressed=True)
            found = choose_type_size(narrow)
        return found if isinstance(found, float) else _spread(narrow, found)
    if found.page.struck:
        # captions that flows would strike through are set as narrow as their icons
        again = choose_type_size(replace(start, wrapped=found.page.struck))
        return found if isinstance(again, float) else again
    return _spread(start, found)


def _has_time(figure: FigureModel) -> bool:
    """Whether it holds more than topologies, whose distances of moments and labels of lanes may be pressed."""
    return not all(isinstance(part, Topology) for _, _, part in figure.parts(Content))


def _spread(start: LayoutAttempt, found: Attempt) -> Attempt:
    """The same with lifelines farther apart, no farther than it takes, where texts have no clear place; each text that
    gets one is worth some height."""
    best = found
    for spread in _SPREADS if found.page.unplaced else ():
        again = choose_type_size(replace(start, spread=spread))
        if isinstance(again, float) or again.height > found.height + _CLEAR_TEXT_WORTH_CM * found.page.unplaced:
            break
        gained = best.page.unplaced - again.page.unplaced
        if gained > 0 and again.height <= best.height + _CLEAR_TEXT_WORTH_CM * gained:
            best = again
        if not best.page.unplaced:
            break
    return best


def first_that_fits(start: LayoutAttempt, least: float) -> float:
    """The first width, in whole mm from `least` on, that succeeds: a title may break differently at each of them.

    A topology may find other places, and fit less than `least`, which it takes where less is asked for: down to there
    widths are halved.
    """

    def at(wide: int) -> LayoutAttempt:
        return replace(start, figure=start.figure.model_copy(update={"width": wide / 10}))

    def width_of_form(wide: int) -> float:
        return least_width(at(wide))

    wide = ceil(least * 10 - 1e-6)
    while wide <= WIDEST * 10:
        if (found := width_of_form(wide)) <= wide / 10 + WIDTH_TOLERANCE_CM:
            break
        wide = max(wide + 1, ceil(found * 10 - 1e-6))
    low = int(width_in_cm(start.figure.width or 0.0) * 10)
    while any(start.figure.parts(Topology)) and low + 1 < wide <= WIDEST * 10:
        middle = (low + wide) // 2
        low, wide = (low, middle) if width_of_form(middle) <= middle / 10 + WIDTH_TOLERANCE_CM else (middle, wide)
    # what is told holds: a topology may take more with all that it draws
    while wide <= WIDEST * 10 and (more := _drawn_width(at(wide))) > wide / 10 + WIDTH_TOLERANCE_CM:
        wide = min(max(wide + 1, ceil(more * 10 - 1e-6)), wide + _WIDTH_STEP_MM)
    return wide / 10


def _drawn_width(start: LayoutAttempt) -> float:
    """The width in cm that a figure takes with all that it draws, as it fits its own, or where it does not at least."""
    least = inf
    for compact in densities(start.figure):
        found = _fit_to_width(replace(start, compact=compact))
        if isinstance(found, Attempt):
            return found.width
        least = min(least, found)
    return least
