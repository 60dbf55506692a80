"""Fit of one layout to a width: stretch or shrink distances, then reduce the type size down to 6 pt.

If nothing fits, the functions return the width that the figure needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import count
from math import floor

from tikzgen.base.plane import round_up
from tikzgen.base.record import Record, replace
from tikzgen.layout.attempt import DistanceNeed, LayoutAttempt
from tikzgen.layout.page.panels import PlacedPage, distances_of_figure, place_page
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import TEXT_WIDE, width_in_cm
from tikzgen.model.topology import Topology

WIDTH_TOLERANCE_CM = 0.002  # cm
MISSING_CM = 0.05
"""Largest width in cm that a figure may lack; its gaps become so much smaller than their least sizes."""
_NEAR_WIDTH_RATIO = 1.25  # times the width: other node positions may save this, and so may narrower captions
_SHORT_UNIT_CM = 0.1  # cm: shorter time units keep more digits, because layouts multiply them by large numbers
_STEPS_PER_CM = 1e7  # steps per cm of a short time unit


class Attempt(Record):
    """A layout that was tried: its plan, the ranges of its distances, and the resulting page."""

    plan: LayoutAttempt
    needs: Mapping[str, DistanceNeed]
    page: PlacedPage

    @property
    def width(self) -> float:
        """Width in cm."""
        return self.page.extent.measure_width(self.plan.values)

    @property
    def height(self) -> float:
        return self.page.extent.measure_height(self.plan.values)


def narrow_texts(start: LayoutAttempt, width: float = 0.0) -> LayoutAttempt:
    """Wrap captions below icons, other labels and the title for a width in cm, or for the figure's width."""
    captioned = (
        start.name(start.figure.panels[panel].id, node.id)
        for panel, _, part in start.figure.parts(Topology)
        for node in part.nodes
        if getattr(node, "icon", None)
    )
    return replace(start, wrapped=frozenset(captioned), limit=width or width_in_cm(start.figure.width or 0.0))


def choose_type_size(start: LayoutAttempt) -> Attempt | float:
    """Choose the largest type that fits the width; else return the width in cm at the smallest type."""
    width = start.figure.width
    if width is None:
        usual = _on_a_page(start)
        return _fill_width(usual, usual.plan.values, usual.width)
    target = width_in_cm(width)

    @cache
    def with_type_size(size: float) -> tuple[LayoutAttempt, dict[str, DistanceNeed]]:
        plan = replace(start, size=size)
        return plan, distances_of_figure(plan)

    @cache
    def try_attempt(size: float, stretch: float) -> Attempt:
        return _place_at_stretch(*with_type_size(size), stretch, rough=True)

    sizes = start.sizes_down
    size, smallest = sizes[0], sizes[-1]
    # Forms that are tried because the usual one is too wide rarely have room for their usual distances.
    if start.limit or start.figure.form or try_attempt(size, 1.0).width > target:
        # If the usual type (unless captions are narrow) and the smallest type are too wide, no other size is tried.
        if all(
            try_attempt(each, 0.0).width > target + WIDTH_TOLERANCE_CM
            for each in ((smallest,) if start.limit else (size, smallest))
        ):
            narrow = try_attempt(smallest, 0.0)
            return _take_from_gaps(narrow, target) or narrow.width
        size = next(each for each in sizes if try_attempt(each, 0.0).width <= target + WIDTH_TOLERANCE_CM)
    stretch = _search(partial(try_attempt, size), target)
    found = try_attempt(size, stretch)
    return _fill_width(found, found.plan.values, target)


def _take_from_gaps(found: Attempt, target: float) -> Attempt | None:
    """Return the narrowest layout with slightly smaller gaps; None if it lacks over half a millimeter."""
    over, growth = found.width - target, _width_growth(found)
    if over > MISSING_CM or not growth:
        return None
    less = over / sum(growth.values())
    values = {
        name: floor((value - less) * 1000) / 1000 if name in growth else value
        for name, value in found.plan.values.items()
    }
    narrow = place_at_distances(found.plan, found.needs, values)
    return narrow if min(values.values()) > 0 and narrow.width <= target + WIDTH_TOLERANCE_CM else None


def _on_a_page(start: LayoutAttempt) -> Attempt:
    """Return the figure with its usual distances; with closer columns if it is wider than a page's text.

    Only figures with a topology are narrowed. Captions also wrap if closer columns alone do not suffice.
    """
    usual = _place_at_stretch(start, distances_of_figure(start), 1.0)
    if usual.width <= TEXT_WIDE or not any(start.figure.parts(Topology)):
        return usual
    # Width of the same node positions with the closest columns. If it is much too wide, closer columns are not laid
    # out.
    closest = usual.page.extent.measure_width(_stretch_distances(start.figure, usual.needs, 0.0))
    narrow = narrow_texts(start, TEXT_WIDE)
    for plan, most in ((start, _NEAR_WIDTH_RATIO), (narrow, _NEAR_WIDTH_RATIO**2 if narrow.wrapped else 0.0)):
        if closest > most * TEXT_WIDE:
            continue
        closer = partial(_place_at_stretch, plan, distances_of_figure(plan))
        if closer(0.0, rough=True).width <= TEXT_WIDE:
            return closer(_search(partial(closer, rough=True), TEXT_WIDE))
    return usual


def place_narrowest(start: LayoutAttempt) -> Attempt:
    """Lay out with the shortest allowed horizontal distances."""
    return _place_at_stretch(start, distances_of_figure(start), 0.0, rough=True)


def _place_at_stretch(
    start: LayoutAttempt, needs: Mapping[str, DistanceNeed], stretch: float, *, rough: bool = False
) -> Attempt:
    """Lay out with every horizontal distance at `stretch`: 0 is its least, 1 its usual, more is wider."""
    return place_at_distances(start, needs, _stretch_distances(start.figure, needs, stretch), rough=rough)


def _stretch_distances(figure: FigureModel, needs: Mapping[str, DistanceNeed], stretch: float) -> dict[str, float]:
    """Return every distance in cm at a stretch."""
    return {name: _compute_distance(figure, name, need, stretch) for name, need in needs.items()}


def place_at_distances(
    start: LayoutAttempt, needs: Mapping[str, DistanceNeed], values: Mapping[str, float], *, rough: bool = False
) -> Attempt:
    plan = replace(start, values=values, rough=rough or start.always_rough)
    if plan.timelines:
        from tikzgen.layout.timeline.fit_numbers import fit_numbers

        plan = replace(plan, numbers=fit_numbers(plan))
    return Attempt(plan, needs, place_page(plan))


def _compute_distance(figure: FigureModel, name: str, need: DistanceNeed, stretch: float) -> float:
    wanted = stated_distance(figure, name)
    if wanted is not None:
        return max(wanted, round_up(min(need.firm, need.least), 3))
    if need.axis == "y":
        return round_up(need.usual if stretch >= 1 else max(need.usual, need.tight), 3)
    # Rounding down keeps the figure within its width.
    value = need.least + (need.usual - need.least) * stretch if stretch <= 1 else min(need.usual * stretch, need.most)
    if value < _SHORT_UNIT_CM:
        return floor(value * _STEPS_PER_CM) / _STEPS_PER_CM
    return int(value * 1000 + 1e-6) / 1000 if stretch else int(need.least * 1000 + 0.999) / 1000


def _search(tried: Callable[[float], Attempt], target: float) -> float:
    """Return the stretch at which the width reaches the target; 1 if no stretch fills it.

    The width fits at stretch 0 and grows with the stretch. Bracket the target, then use the growth rate or bisection.
    """
    low, high = 0.0, 1.0
    wide = tried(high)
    for turn in count():
        if wide.width > target or high >= 64:
            break
        if target - wide.width < _measure_width_resolution(wide):
            return high
        # The stretch that reaches the target if the growth stays the same.
        grows = _compute_width_rate(wide, high, beyond=True) if turn % 3 < 2 else 0.0
        low, high = high, min(2 * high, high + (target - wide.width) / grows) if grows else 2 * high
        wide = tried(high)
    if wide.width < target:
        return 1.0  # the stretchable parts cannot fill the width: for example, the legend is wider
    narrow = tried(low)
    for turn in range(40):
        if target - narrow.width < _measure_width_resolution(narrow) or high - low < 1e-4:
            break
        middle = _choose_next_value(
            low, high, wide.width - target + WIDTH_TOLERANCE_CM / 2, _compute_width_rate(wide, high), turn
        )
        found = tried(middle)
        if found.width <= target:
            low, narrow = middle, found
        else:
            high, wide = middle, found
    return low


def _width_growth(found: Attempt) -> dict[str, float]:
    """Return the growth of the width with each distance that stretches."""
    needs, figure = found.needs, found.plan.figure
    rates = {name: rate for name, rate in _list_width_rates(found).items() if rate > 0 and name in needs}
    return {name: rate for name, rate in rates.items() if needs[name].axis == "x" and not is_stated(figure, name)}


def _compute_width_rate(found: Attempt, stretch: float, *, beyond: bool = False) -> float:
    """Return the growth of the width per unit of stretch, below that stretch or beyond it."""
    return sum(
        rate * _compute_distance_rate(found.needs[name], stretch, beyond) for name, rate in _width_growth(found).items()
    )


def _measure_width_resolution(found: Attempt) -> float:
    """Return the resolution of the width in cm: the smallest change by one step of a distance."""
    values, rates = found.plan.values, _width_growth(found)
    steps = (by / (_STEPS_PER_CM if values[name] < _SHORT_UNIT_CM else 1000) for name, by in rates.items())
    return max(WIDTH_TOLERANCE_CM, min(steps, default=0.0))


def _list_width_rates(found: Attempt) -> dict[str, float]:
    """Return the growth of the width with each distance."""
    width = found.page.extent.right - found.page.extent.left
    return width.find_growth(found.plan.values)


def _choose_next_value(low: float, high: float, over: float, growth: float, turn: int) -> float:
    """Return the next value to try between `low`, which fits, and `high`, which is `over` cm too wide.

    The widest part grows in proportion to the value (`growth`). At the target, another part may be the widest. Every
    third turn therefore bisects.
    """
    middle = high - over / growth if growth and turn % 3 < 2 else 0.0
    return middle if low < middle < high else (low + high) / 2


def _compute_distance_rate(need: DistanceNeed, stretch: float, beyond: bool) -> float:
    """Return the growth of a distance per unit of stretch."""
    if stretch < 1 or (stretch == 1 and not beyond):
        return need.usual - need.least
    reached = need.usual * stretch
    return need.usual if reached < need.most or (reached == need.most and not beyond) else 0.0


def is_stated(figure: FigureModel, name: str) -> bool:
    """Return whether the author states the length of a distance."""
    return stated_distance(figure, name) is not None


def stated_distance(figure: FigureModel, name: str) -> float | None:
    """Return the length of a distance in cm that the author states; None if it is computed, or of one part only."""
    return getattr(figure.spacing, name, None)


def _fill_width(found: Attempt, values: Mapping[str, float], target: float) -> Attempt:
    """Widen the narrower of stacked parts to the widest, as far as their distances stretch."""
    figure, usual = found.plan.figure, found.plan.values
    if any(panel.arrange == "column" and len(panel.content) > 1 for panel in figure.panels):
        for name in _FILLS:
            need = found.needs.get(name)
            if need is not None and need.axis == "x" and not is_stated(figure, name):
                most = need.usual if name == "colsep" else float("inf")
                values = {**values, name: _find_largest_distance(found, values, name, most, target)}
    return (
        found
        if values == usual and found.plan.rough == found.plan.always_rough
        else place_at_distances(found.plan, found.needs, values)
    )


# Columns get no wider than usual, because their flows would become flat. Time comes twice: links that ran next to the
# parts pass between wider columns, which frees space.
_FILLS = ("timeunit", "colsep", "timeunit")


def _find_largest_distance(start: Attempt, values: Mapping[str, float], name: str, most: float, target: float) -> float:
    """Return the largest value of a distance, up to `most`, that keeps the figure within a width in cm."""

    def try_distance(value: float) -> tuple[float, float]:
        """Return the width in cm, and its growth at this value."""
        found = place_at_distances(start.plan, start.needs, {**values, name: value}, rough=True)
        return found.width, _list_width_rates(found).get(name, 0.0)

    low, high = values[name], min(most, values[name] * 2)
    wide, growth = try_distance(high)
    while high < most and wide <= target + WIDTH_TOLERANCE_CM:
        low, high = high, min(most, high * 2)
        wide, growth = try_distance(high)
    if high <= low or wide <= target + WIDTH_TOLERANCE_CM:
        return max(low, high)
    for turn in range(40):
        if high - low <= WIDTH_TOLERANCE_CM / 10:
            break
        middle = _choose_next_value(low, high, wide - target - WIDTH_TOLERANCE_CM / 2, growth, turn)
        tried = try_distance(middle)
        if tried[0] > target + WIDTH_TOLERANCE_CM / 2:
            high, (wide, growth) = middle, tried
            continue
        low = middle
        if target + WIDTH_TOLERANCE_CM / 2 - tried[0] <= tried[1] * WIDTH_TOLERANCE_CM / 10:
            break
    return max(
        values[name], int(low * 1000) / 1000 if low >= _SHORT_UNIT_CM else floor(low * _STEPS_PER_CM) / _STEPS_PER_CM
    )
