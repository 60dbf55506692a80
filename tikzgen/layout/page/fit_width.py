"""One plan in a width: its distances are stretched or shrunk, then the type shrinks to 6 pt; or how wide it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import count
from math import ceil, floor

from tikzgen.base.record import Record, replace
from tikzgen.layout.attempt import DistanceNeed, LayoutAttempt
from tikzgen.layout.page.panels import PlacedPage, distances_of_figure, page
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import TEXT_WIDE, width_in_cm
from tikzgen.model.topology import Topology

WIDTH_TOLERANCE_CM = 0.002  # cm
_NEAR_WIDTH_RATIO = 1.25  # times a width that other places may make up for, and narrower captions as much again
_SHORT_UNIT_CM = 0.1  # cm, and steps a cm: a short time unit is multiplied by many
_STEPS_PER_CM = 1e7  # cm


class Attempt(Record):
    """A layout that was tried: its plan, between what each distance may be, and the page that it makes."""

    plan: LayoutAttempt
    needs: Mapping[str, DistanceNeed]
    page: PlacedPage

    @property
    def width(self) -> float:
        """In cm, as the height is."""
        return self.page.extent.width(self.plan.values)

    @property
    def height(self) -> float:
        return self.page.extent.height(self.plan.values)


def narrow_texts(start: LayoutAttempt, width: float = 0.0) -> LayoutAttempt:
    """Wrap captions below icons, other labels and the title for a width, or that of the figure."""
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
        return _at(*with_type_size(size), stretch, rough=True)

    sizes = start.sizes_down
    size, smallest = sizes[0], sizes[-1]
    # forms that are tried because the usual one is too wide have hardly ever room for their usual distances
    if start.limit or start.figure.form or try_attempt(size, 1.0).width > target:
        # where the usual type is too wide (as it is where captions are narrow), and the smallest is, too, no other is
        # tried
        if all(
            try_attempt(each, 0.0).width > target + WIDTH_TOLERANCE_CM
            for each in ((smallest,) if start.limit else (size, smallest))
        ):
            return try_attempt(smallest, 0.0).width
        size = next(each for each in sizes if try_attempt(each, 0.0).width <= target + WIDTH_TOLERANCE_CM)
    stretch = _search(partial(try_attempt, size), target)
    found = try_attempt(size, stretch)
    return _fill_width(found, found.plan.values, target)


def _on_a_page(start: LayoutAttempt) -> Attempt:
    """The figure with its usual distances; a topology that is wider than a text has closer columns, and its captions
    in lines, if that is enough.
    """
    usual = _at(start, distances_of_figure(start), 1.0)
    if usual.width <= TEXT_WIDE or not any(start.figure.parts(Topology)):
        return usual
    # what the same places come to with the closest columns: where that is much too wide, it is not laid out
    closest = usual.page.extent.width(_stretch_distances(start.figure, usual.needs, 0.0))
    narrow = narrow_texts(start, TEXT_WIDE)
    for plan, most in ((start, _NEAR_WIDTH_RATIO), (narrow, _NEAR_WIDTH_RATIO**2 if narrow.wrapped else 0.0)):
        if closest > most * TEXT_WIDE:
            continue
        closer = partial(_at, plan, distances_of_figure(plan))
        if closer(0.0, rough=True).width <= TEXT_WIDE:
            return closer(_search(partial(closer, rough=True), TEXT_WIDE))
    return usual


def narrowest(start: LayoutAttempt) -> Attempt:
    """With every horizontal distance as short as it may be."""
    return _at(start, distances_of_figure(start), 0.0, rough=True)


def _at(start: LayoutAttempt, needs: Mapping[str, DistanceNeed], stretch: float, *, rough: bool = False) -> Attempt:
    """Lay out with every horizontal distance between its least (0), its usual (1) and beyond."""
    return place_at_distances(start, needs, _stretch_distances(start.figure, needs, stretch), rough=rough)


def _stretch_distances(figure: FigureModel, needs: Mapping[str, DistanceNeed], stretch: float) -> dict[str, float]:
    """Stretch every distance by a share, in cm."""
    return {name: _value(figure, name, need, stretch) for name, need in needs.items()}


def place_at_distances(
    start: LayoutAttempt, needs: Mapping[str, DistanceNeed], values: Mapping[str, float], *, rough: bool = False
) -> Attempt:
    plan = replace(start, values=values, rough=rough)
    if plan.timelines:
        from tikzgen.layout.timeline.fit_numbers import numbers

        plan = replace(plan, numbers=numbers(plan))
    return Attempt(plan, needs, page(plan))


def _value(figure: FigureModel, name: str, need: DistanceNeed, stretch: float) -> float:
    wanted: float | None = getattr(figure.spacing, name)
    if wanted is not None:
        return max(wanted, ceil(min(need.firm, need.least) * 1000 - 1e-6) / 1000)
    if need.axis == "y":
        return ceil((need.usual if stretch >= 1 else max(need.usual, need.tight)) * 1000 - 1e-6) / 1000
    # rounding down keeps the figure within its width
    value = need.least + (need.usual - need.least) * stretch if stretch <= 1 else min(need.usual * stretch, need.most)
    if value < _SHORT_UNIT_CM:
        return floor(value * _STEPS_PER_CM) / _STEPS_PER_CM
    return int(value * 1000 + 1e-6) / 1000 if stretch else int(need.least * 1000 + 0.999) / 1000


def _search(tried: Callable[[float], Attempt], target: float) -> float:
    """Find the stretch that reaches the width, which fits at 0 and grows: bracket it, then go by growth or halve."""
    low, high = 0.0, 1.0
    wide = tried(high)
    for turn in count():
        if wide.width > target or high >= 64:
            break
        if target - wide.width < _finest(wide):
            return high
        # as far as it takes if all grows on as it does here
        grows = _grows(wide, high, beyond=True) if turn % 3 < 2 else 0.0
        low, high = high, min(2 * high, high + (target - wide.width) / grows) if grows else 2 * high
        wide = tried(high)
    if wide.width < target:
        return 1.0  # what stretches in it cannot fill the width; else a legend may be wider than what does
    narrow = tried(low)
    for turn in range(40):
        if target - narrow.width < _finest(narrow) or high - low < 1e-4:
            break
        middle = _between(low, high, wide.width - target + WIDTH_TOLERANCE_CM / 2, _grows(wide, high), turn)
        found = tried(middle)
        if found.width <= target:
            low, narrow = middle, found
        else:
            high, wide = middle, found
    return low


def _width_growth(found: Attempt) -> dict[str, float]:
    """Return the growth of the width with each distance that stretches."""
    needs, figure = found.needs, found.plan.figure
    rates = {name: rate for name, rate in _growth(found).items() if rate and name in needs}
    return {name: rate for name, rate in rates.items() if needs[name].axis == "x" and not is_stated(figure, name)}


def _grows(found: Attempt, stretch: float, *, beyond: bool = False) -> float:
    """How fast the width grows with the stretch up to there, or beyond it."""
    return sum(rate * _rate(found.needs[name], stretch, beyond) for name, rate in _width_growth(found).items())


def _finest(found: Attempt) -> float:
    """How near a width can be reached, in cm: no distance changes it by less."""
    values, rates = found.plan.values, _width_growth(found)
    steps = (by / (_STEPS_PER_CM if values[name] < _SHORT_UNIT_CM else 1000) for name, by in rates.items())
    return max(WIDTH_TOLERANCE_CM, min(steps, default=0.0))


def _growth(found: Attempt) -> dict[str, float]:
    """How fast the width grows with each distance."""
    width = found.page.extent.right - found.page.extent.left
    return {name: by for name, by in width.terms if isinstance(name, str)}


def _between(low: float, high: float, over: float, growth: float, turn: int) -> float:
    """Where to look next between what fits and what is `over` by so many cm, where the width grows so fast.

    The widest part grows in proportion; where it would be as wide as allowed, another one may be wider, so that every
    third step halves.
    """
    middle = high - over / growth if growth and turn % 3 < 2 else 0.0
    return middle if low < middle < high else (low + high) / 2


def _rate(need: DistanceNeed, stretch: float, beyond: bool) -> float:
    """How fast a distance grows with the stretch."""
    if stretch < 1 or (stretch == 1 and not beyond):
        return need.usual - need.least
    return need.usual if need.usual * stretch < need.most else 0.0


def is_stated(figure: FigureModel, name: str) -> bool:
    """Whether the author says how long a distance is."""
    return getattr(figure.spacing, name) is not None


def _fill_width(found: Attempt, values: Mapping[str, float], target: float) -> Attempt:
    """Widen the narrower of stacked parts to the widest, as far as they stretch."""
    figure, usual = found.plan.figure, found.plan.values
    if any(panel.arrange == "column" and len(panel.content) > 1 for panel in figure.panels):
        for name in _FILLS:
            need = found.needs.get(name)
            if need is not None and need.axis == "x" and not is_stated(figure, name):
                most = need.usual if name == "colsep" else float("inf")
                values = {**values, name: _largest(found, values, name, most, target)}
    return found if values == usual and not found.plan.rough else place_at_distances(found.plan, found.needs, values)


# columns no wider than usual: their flows would lie flat; time again, for links that ran beside the parts pass between
# wider columns, and leave room
_FILLS = ("timeunit", "colsep", "timeunit")


def _largest(start: Attempt, values: Mapping[str, float], name: str, most: float, target: float) -> float:
    """The largest value of a distance, up to `most`, that keeps the figure within a width."""

    def width(value: float) -> tuple[float, float]:
        """The width, and how fast it grows there."""
        found = place_at_distances(start.plan, start.needs, {**values, name: value}, rough=True)
        return found.width, _growth(found).get(name, 0.0)

    low, high = values[name], min(most, values[name] * 2)
    wide, growth = width(high)
    while high < most and wide <= target + WIDTH_TOLERANCE_CM:
        low, high = high, min(most, high * 2)
        wide, growth = width(high)
    if high <= low or wide <= target + WIDTH_TOLERANCE_CM:
        return max(low, high)
    for turn in range(40):
        if high - low <= WIDTH_TOLERANCE_CM / 10:
            break
        middle = _between(low, high, wide - target - WIDTH_TOLERANCE_CM / 2, growth, turn)
        tried = width(middle)
        if tried[0] > target + WIDTH_TOLERANCE_CM / 2:
            high, (wide, growth) = middle, tried
            continue
        low = middle
        if target + WIDTH_TOLERANCE_CM / 2 - tried[0] <= tried[1] * WIDTH_TOLERANCE_CM / 10:
            break
    return max(
        values[name], int(low * 1000) / 1000 if low >= _SHORT_UNIT_CM else floor(low * _STEPS_PER_CM) / _STEPS_PER_CM
    )
