"""Sequence of layout attempts: usual, with wrapped labels, compact, with more space between lifelines.

`fit` fits a figure to its width, then to its height. `least_width` returns the smallest width if no attempt fits.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from math import ceil, inf

from tikzgen.base.errors import Problem, SpecError
from tikzgen.base.plane import PAGE_LIMIT_CM, round_up
from tikzgen.base.record import replace
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.constants import COLUMN_HEIGHT_CM, SIZES
from tikzgen.layout.label_sizes import Sizes
from tikzgen.layout.page.figure_forms import iterate_forms
from tikzgen.layout.page.fit_width import (
    MISSING_CM,
    WIDTH_TOLERANCE_CM,
    Attempt,
    choose_type_size,
    is_stated,
    narrow_texts,
    place_at_distances,
    place_narrowest,
)
from tikzgen.layout.scene.name_macros import collect
from tikzgen.layout.time.timeline_facts import facts_of_timelines
from tikzgen.model.content import Content
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import WIDEST, Icon, width_in_cm
from tikzgen.model.topology import Topology

_PAGE_HEIGHT_CM = 21.99  # cm of height: a page has 22 cm of text
COLUMN_WIDTH_CM = 10.0  # cm: a narrower figure is in a column of a two-column paper
_ROW_GAP_STEPS = 4096  # steps of the row gap, from the closest to the usual one
_SPREADS = (1.25, 1.5, 1.8, 2.2)  # times the usual distance of lifelines
_WIDTH_STEP_MM = (
    4  # mm: largest step to the next width; a width that does not fit does not bound the needs at other widths
)
_LEAST_SIZE_PT = 7.0  # pt: smallest type that may make a figure shorter
# Cost of an attempt in a column, in cm of height.
_FAULT_COST = 20.0  # cm for a label that covers something
_SMALL_TYPE_COST = 1.0  # cm for each pt of type below the stated size
_HEIGHT_COST = 1.0  # cm for each cm over the usual maximum
_UNUSED_WIDTH_COST = 0.5  # cm for each cm of the width
_CLEAR_TEXT_WORTH_CM = 1.5  # cm of height that a clear place of a label is worth
_GOOD_COST = 0.75  # cm: cost of an attempt after which no other one is tried

_RowDistances = Callable[[int], dict[str, float]]
"""Distances in cm at a step of the row gap."""


class TooTall(SpecError):
    """Error of a figure that does not fit its stated height; `least` is a height in cm that suffices."""

    def __init__(self, problem: Problem, least: float) -> None:
        super().__init__([problem])
        self.least = least


def first_plan(figure: FigureModel, icons: Mapping[str, Icon], sizes: Sizes, *, compact: bool = False) -> LayoutAttempt:
    """Return the plan that all attempts at a figure share."""
    timelines = facts_of_timelines(figure)
    labels = collect(figure, timelines)
    return LayoutAttempt(figure, labels, timelines, icons, figure.type_size, {}, sizes, {}, compact=compact)


def list_densities(figure: FigureModel) -> tuple[bool, ...]:
    """Return the values of `compact` to try: both for figures with a topology and a width, else only False."""
    return (False, True) if figure.width is not None and any(figure.parts(Topology)) else (False,)


def iterate_forms_and_densities(figure: FigureModel) -> Iterator[tuple[bool, FigureModel]]:
    """Yield `compact` and the form of each layout to try: all usual ones, then the compact ones."""
    return ((compact, form) for compact in list_densities(figure) for form in iterate_forms(figure))


def fit(start: LayoutAttempt) -> Attempt | float:
    """Choose type size and distances; if the figure does not fit its width, return its least width in cm.

    If something has no clear place, or if the type had to shrink, use the compact layout if it is better. A plan with
    an earlier layout has one layout.
    """
    found = _fit_to_width(start)
    if isinstance(found, float):
        return found
    if (
        (found.page.faults or found.plan.size < start.size)
        and start.earlier is None
        and True in list_densities(start.figure)
        and not start.compact
    ):
        small = _fit_to_width(replace(start, compact=True))
        if isinstance(small, Attempt) and _is_better(small, found):
            found = small
    if _is_in_column(start.figure) and found.height > COLUMN_HEIGHT_CM + WIDTH_TOLERANCE_CM:
        best = _fit_to_column(start, found)
        if best.height <= _PAGE_HEIGHT_CM + WIDTH_TOLERANCE_CM:
            return best
    return _fit_to_height(found)


def _is_in_column(figure: FigureModel) -> bool:
    """Return whether a figure without a stated height has at most the width of a column."""
    return figure.greatest_height is None and figure.width is not None and width_in_cm(figure.width) <= COLUMN_WIDTH_CM


def _fit_to_column(start: LayoutAttempt, found: Attempt) -> Attempt:
    """Return the best attempt for a column: with closer rows, or with another layout of nodes."""
    best = _fit_to_column_height(found)
    if start.earlier is not None or True not in list_densities(start.figure):
        return best
    smaller = [size for size in start.sizes_down if _LEAST_SIZE_PT <= size < found.plan.size]
    for size in (start.size, *smaller[:1]):
        if _compute_page_cost(best) <= _GOOD_COST:
            break
        short = _fit_to_width(replace(start, short=True, compact=True, size=size))
        if isinstance(short, Attempt):
            best = min(best, _fit_to_column_height(short), key=_compute_page_cost)
    return best


def _fit_to_column_height(found: Attempt) -> Attempt:
    """Return the figure with rows that reach the usual height in a column, or with the closest ones."""
    if found.height <= COLUMN_HEIGHT_CM + WIDTH_TOLERANCE_CM:
        return found
    rows = _closer_rows(found, well=True)
    low = _fit_rows(found, rows, _place_closest_rows(found, rows), COLUMN_HEIGHT_CM)
    if low.page.struck - found.plan.wrapped:  # captions that flows cross if rows are closer
        narrow = choose_type_size(replace(found.plan, wrapped=found.plan.wrapped | low.page.struck, values={}))
        if isinstance(narrow, Attempt):
            return _fit_to_column_height(narrow)
    before, after = found.page, low.page
    as_clear = after.faults <= before.faults and after.count_unclear() <= before.count_unclear()
    return low if as_clear and low.width <= _width_limit(low.plan.figure) else found


def _compute_page_cost(found: Attempt) -> float:
    """Return the cost of an attempt in a column, in cm of height that its faults are worth."""
    plan, page = found.plan, found.page
    return (
        _FAULT_COST * page.faults
        + _CLEAR_TEXT_WORTH_CM * page.count_unclear()
        + _SMALL_TYPE_COST * (plan.figure.type_size - plan.size)
        + _HEIGHT_COST * max(0.0, found.height - COLUMN_HEIGHT_CM)
        + _UNUSED_WIDTH_COST * max(0.0, width_in_cm(plan.figure.width or 0.0) - found.width)
    )


def _is_better(compact: Attempt, found: Attempt) -> bool:
    """Return whether a compact attempt has fewer faults, or equal faults and larger type."""
    return (compact.page.faults, -compact.plan.size) < (found.page.faults, -found.plan.size)


def _fit_to_height(found: Attempt) -> Attempt:
    """Fit the figure to its height: shrink vertical distances, then the type of a topology.

    Without a stated height, the limit is a page, or the height from which figures are reported as too tall. Raise
    `TooTall` if a stated height does not fit.
    """
    plan = found.plan
    most = plan.figure.greatest_height
    limit = most or _PAGE_HEIGHT_CM
    if found.height <= limit + WIDTH_TOLERANCE_CM:
        return found

    def refuse_height(takes: str, least: float) -> Attempt:
        if most is None:
            return found
        if plan.figure.height is None:
            raise TooTall(Problem(f"does not fit {limit:g} cm, the height of a slide: {takes}", "width"), least)
        raise TooTall(Problem(f"does not fit {limit:g} cm: {takes}", "height"), least)

    rows = _closer_rows(found)
    tried = _place_closest_rows(found, rows)
    if most is None and limit < tried.height <= PAGE_LIMIT_CM:
        limit = tried.height
    if tried.height > limit + WIDTH_TOLERANCE_CM:
        if not plan.compact and True in list_densities(plan.figure):
            small = _fit_to_width(replace(plan, size=plan.figure.type_size, values={}, compact=True))
            if isinstance(small, Attempt) and _place_closest_rows(small, _closer_rows(small)).height < tried.height:
                low = _fit_to_height(small)
                if most or low.height <= PAGE_LIMIT_CM + WIDTH_TOLERANCE_CM:
                    return low
        if shrunk := _try_smaller_type(found, limit if most else PAGE_LIMIT_CM):
            return shrunk
        # Rows so close may need more width, for labels at their side: then only the usual rows are sure to fit.
        close = _fit_rows(found, rows, tried, round_up(tried.height, 1)) if most else tried
        least = tried.height if close.width <= _width_limit(plan.figure) else found.height
        return refuse_height(f"it takes {tried.height:.2f} cm with its rows as close as they may be", least)
    best = _fit_rows(found, rows, tried, limit)
    if best.width > _width_limit(plan.figure):
        return refuse_height(f"with its rows so close it takes {best.width:.2f} cm of width", found.height)
    return best


def _width_limit(figure: FigureModel) -> float:
    """Return the maximum width in cm; closer rows may leave room for labels only at their side."""
    return inf if figure.width is None else width_in_cm(figure.width) + WIDTH_TOLERANCE_CM


def _fit_rows(found: Attempt, values: _RowDistances, closest: Attempt, limit: float) -> Attempt:
    """Return the figure with the largest row distances that fit a height in cm, or with the closest ones."""
    first, last, tried = 0, _ROW_GAP_STEPS, closest
    limit = max(limit, closest.height) + WIDTH_TOLERANCE_CM
    for turn in count():
        if last - first <= 1:
            break
        # The step that reaches the limit if nothing else changes; every third turn bisects.
        told = bisect_right(
            range(_ROW_GAP_STEPS),
            limit,
            first + 1,
            last,
            key=lambda step: tried.page.extent.measure_height(values(step)),
        )
        middle = max(told - 1, first + 1) if turn % 3 < 2 else (first + last) // 2
        tried = place_at_distances(found.plan, found.needs, values(middle), rough=True)
        first, last = (middle, last) if tried.height <= limit else (first, middle)
    return place_at_distances(found.plan, found.needs, values(first))


def _closer_rows(found: Attempt, *, well: bool = False) -> _RowDistances:
    """Return a function from a step to distances: 0 gives the least row distances, the last the usual.

    With `well`, the least distances are the `close` ones.
    """
    plan = found.plan
    room = {
        name: (min(max(need.least, need.close if well else 0.0), plan.values[name]), plan.values[name])
        for name, need in found.needs.items()
        if need.axis == "y" and not is_stated(plan.figure, name)
    }

    def shrink_row_gaps(step: int) -> dict[str, float]:
        shrunk = {name: least + (usual - least) * step / _ROW_GAP_STEPS for name, (least, usual) in room.items()}
        return {**plan.values, **{name: round_up(value, 3) for name, value in shrunk.items()}}

    return shrink_row_gaps


def _place_closest_rows(found: Attempt, rows: _RowDistances) -> Attempt:
    """Return the figure with the least row distances."""
    return place_at_distances(found.plan, found.needs, rows(0), rough=True)


def _try_smaller_type(found: Attempt, limit: float) -> Attempt | None:
    """Return a topology in smaller type that fits the height; None if it does not fit or has no width."""
    plan = found.plan
    size = next((size for size in plan.sizes_down if size < plan.size), None)
    if size is None or True not in list_densities(plan.figure):
        return None
    small = _fit_to_width(replace(plan, size=size, values={}))
    low = _fit_to_height(small) if isinstance(small, Attempt) else found
    return low if low.height <= limit + WIDTH_TOLERANCE_CM else None


def least_width(start: LayoutAttempt) -> float:
    """Return the least width in cm of a figure, at the smallest type, with a wrapped title.

    Try the usual and the compact layout; stop at the first that fits the figure's width. The usual layout wraps
    captions to the width of their icons, and moves stated positions closer together.
    """
    small, least = replace(narrow_texts(start), size=SIZES[-1], pressed=True), inf
    for compact in list_densities(start.figure):
        least = min(least, place_narrowest(replace(small, compact=compact)).width)
        if least <= small.limit:
            break
    return least


def _fit_to_width(start: LayoutAttempt) -> Attempt | float:
    """Fit the figure to its width, with wrapped captions and title if needed; or return the needed width."""
    if start.compact:
        return choose_type_size(narrow_texts(start))
    if start.figure.width is not None and any(start.figure.parts(Topology)):
        target = _width_limit(start.figure)
        allowed = target + MISSING_CM
        if place_narrowest(start).width > allowed and (least := least_width(start)) > allowed:
            return least  # no other attempt is made
    found = choose_type_size(start)
    if isinstance(found, float):
        narrow = narrow_texts(start)
        found = choose_type_size(narrow)
        if isinstance(found, float) and _has_time(start.figure):
            narrow = replace(narrow, pressed=True)
            found = choose_type_size(narrow)
        return found if isinstance(found, float) else _spread_lifelines(narrow, found)
    if found.page.struck:
        # Captions that flows would cross are wrapped to the width of their icons.
        again = choose_type_size(replace(start, wrapped=found.page.struck))
        return found if isinstance(again, float) else again
    return _spread_lifelines(start, found)


def _has_time(figure: FigureModel) -> bool:
    """Return whether a figure has more than topologies: distances of times and lane labels may be `pressed`."""
    return not all(isinstance(part, Topology) for _, _, part in figure.parts(Content))


def _spread_lifelines(start: LayoutAttempt, found: Attempt) -> Attempt:
    """Return the attempt with more distance between lifelines, if that gives labels a clear place.

    The spread is as small as possible. Each label that gains a clear place is worth some height.
    """
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
    """Return the first width in cm that succeeds, in steps of 1 mm from `least`.

    A title may break differently at each width. A topology may use other node positions and fit less than `least`,
    which is computed for the stated width. Smaller widths are therefore searched by bisection.
    """

    def with_width(wide: int) -> LayoutAttempt:
        return replace(start, figure=start.figure.model_copy(update={"width": wide / 10}))

    def width_of_form(wide: int) -> float:
        return least_width(with_width(wide))

    wide = ceil(least * 10 - 1e-6)
    while wide <= WIDEST * 10:
        if (found := width_of_form(wide)) <= wide / 10 + WIDTH_TOLERANCE_CM:
            break
        wide = max(wide + 1, ceil(found * 10 - 1e-6))
    low = int(width_in_cm(start.figure.width or 0.0) * 10)
    while any(start.figure.parts(Topology)) and low + 1 < wide <= WIDEST * 10:
        middle = (low + wide) // 2
        low, wide = (low, middle) if width_of_form(middle) <= middle / 10 + WIDTH_TOLERANCE_CM else (middle, wide)
    # The suggested width must hold: a topology may need more with all of its items.
    while wide <= WIDEST * 10 and (more := _drawn_width(with_width(wide))) > wide / 10 + WIDTH_TOLERANCE_CM:
        wide = min(max(wide + 1, ceil(more * 10 - 1e-6)), wide + _WIDTH_STEP_MM)
    return wide / 10


def _drawn_width(start: LayoutAttempt) -> float:
    """Return the width in cm of the complete figure if it fits its own width, else its least width."""
    least = inf
    for compact in list_densities(start.figure):
        found = _fit_to_width(replace(start, compact=compact))
        if isinstance(found, Attempt):
            return found.width
        least = min(least, found)
    return least
