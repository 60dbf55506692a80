"""Reach a width by spacing: stretch or shrink the distances, then the type down to 6 pt, then refuse. Then a height.

A compact plan does so with narrow captions, small icons, and frames close around what they hold.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import count
from math import ceil, floor, inf

from tikzgen.base.errors import Problem, SpecError
from tikzgen.base.record import Record, replace
from tikzgen.icons import Icon
from tikzgen.layout.constants import SIZES
from tikzgen.layout.label_sizes import Sizes
from tikzgen.layout.name_macros import collect
from tikzgen.layout.page.panels import Page, page, spacing
from tikzgen.layout.plan import Need, Plan
from tikzgen.layout.timeline_facts import facts_of_timelines
from tikzgen.model.figure import Figure
from tikzgen.model.topology import Topology
from tikzgen.model.widths import WIDEST, width_in_cm

_CLOSE = 0.002  # cm
_PAGE = 21.99  # cm of height: the text of a page has 22,
_TEXT = 17.8  # and of width
_STEPS = 4096  # between the closest rows and the usual ones
_SPREADS = (1.25, 1.5, 1.8, 2.2)  # times as far apart lifelines may lie as is usual
_WORTH = 1.5  # cm of height that a text is worth which finds a clear place
_NEARLY = 1.25  # times a width that other places may make up for
_SHORT, _FINE = 0.1, 1e7  # cm, and steps a cm: a short time unit is multiplied by many


class Attempt(Record):
    """A layout that was tried: its plan, between what each distance may be, and the page that it makes."""

    plan: Plan
    needs: Mapping[str, Need]
    page: Page

    @property
    def width(self) -> float:
        """In cm, as the height is."""
        return self.page.extent.width(self.plan.values)

    @property
    def height(self) -> float:
        return self.page.extent.height(self.plan.values)


def first_plan(figure: Figure, icons: Mapping[str, Icon], sizes: Sizes, *, compact: bool = False) -> Plan:
    """What all attempts at a figure have in common."""
    timelines = facts_of_timelines(figure)
    labels = collect(figure, timelines)
    return Plan(figure, labels, timelines, icons, figure.font.size, {}, sizes, {}, compact=compact)


def densities(figure: Figure) -> tuple[bool, ...]:
    """Whether a plan is compact, for each that is tried: only topologies are, where a width is to be reached."""
    return (False, True) if figure.width is not None and any(figure.parts(Topology)) else (False,)


def fit(start: Plan) -> Attempt | float:
    """Choose type size and distances; or the least width in cm that the figure takes, where it does not fit its own.

    Where something has no clear place, or the type had to shrink, a compact one is rather drawn if it is better.
    """
    found = _reached(start)
    if isinstance(found, float):
        return found
    if (found.page.faults or found.plan.size < start.size) and True in densities(start.figure) and not start.compact:
        small = _reached(replace(start, compact=True))
        if isinstance(small, Attempt) and _is_better(small, found):
            found = small
    return _lowered(found)


def _is_better(compact: Attempt, found: Attempt) -> bool:
    """Whether less in a compact attempt has no clear place, or as little, and its type is larger."""
    return (compact.page.faults, -compact.plan.size) < (found.page.faults, -found.plan.size)


def _lowered(found: Attempt) -> Attempt:
    """The figure within its height: its vertical distances shrink alike as far as it takes, or it is refused.

    Where nobody said how high, it keeps to a page if that is enough.
    """
    plan = found.plan
    limit = plan.figure.height or _PAGE
    if found.height <= limit + _CLOSE:
        return found
    room = {
        name: (min(need.least, plan.values[name]), plan.values[name])
        for name, need in found.needs.items()
        if need.axis == "y" and not _stated(plan.figure, name)
    }

    def values(step: int) -> dict[str, float]:
        shrunk = {name: least + (usual - least) * step / _STEPS for name, (least, usual) in room.items()}
        return {**plan.values, **{name: ceil(value * 1000 - 1e-6) / 1000 for name, value in shrunk.items()}}

    def refused(takes: str, least: float) -> Attempt:
        if plan.figure.height is None:
            return found
        hint = f"a height of {ceil(least * 10) / 10:g} cm or fewer parts would do"
        raise SpecError([Problem(f"does not fit {limit:g} cm: {takes}", path="height", hint=hint)])

    low, high, tried = 0, _STEPS, _placed(plan, found.needs, values(0), rough=True)
    if tried.height > limit + _CLOSE:
        if not plan.compact and True in densities(plan.figure):
            small = _reached(replace(plan, size=plan.figure.font.size, values={}, compact=True))
            if isinstance(small, Attempt) and small.height < tried.height:
                return _lowered(small)
        return refused(f"it takes {tried.height:.2f} cm with its rows as close as they may be", tried.height)
    for turn in count():
        if high - low <= 1:
            break
        # where what was tried would end at the limit if nothing else moved; every third step halves
        told = bisect_right(
            range(_STEPS), limit + _CLOSE, low + 1, high, key=lambda step: tried.page.extent.height(values(step))
        )
        middle = max(told - 1, low + 1) if turn % 3 < 2 else (low + high) // 2
        tried = _placed(plan, found.needs, values(middle), rough=True)
        low, high = (middle, high) if tried.height <= limit + _CLOSE else (low, middle)
    best = _placed(plan, found.needs, values(low))
    if plan.figure.width is not None and best.width > width_in_cm(plan.figure.width) + _CLOSE:
        # between closer rows a text may have no room but beside them
        return refused(f"with its rows so close it takes {best.width:.2f} cm of width", found.height)
    return best


def least_width(start: Plan) -> float:
    """The width in cm that a figure takes at the smallest type, with its title in lines, compact or not; if one of them
    fits its width, that one's.

    Captions are in lines as narrow as their icons where it is not compact, and stated places closer together for it.
    """
    small, least = replace(_narrowed(start), size=SIZES[-1], pressed=True), inf
    for compact in densities(start.figure):
        least = min(least, _narrowest(replace(small, compact=compact)).width)
        if least <= small.limit:
            break
    return least


def _reached(start: Plan) -> Attempt | float:
    """The figure at its width, its captions and title in lines where that is what it takes; or the width it takes."""
    if start.compact:
        return _fitted(_narrowed(start))
    if start.figure.width is not None and any(start.figure.parts(Topology)):
        target = width_in_cm(start.figure.width) + _CLOSE
        if _narrowest(start).width > target and (least := least_width(start)) > target:
            return least  # nothing else is tried
    found = _fitted(start)
    if isinstance(found, float):
        for narrow in (_narrowed(start), replace(_narrowed(start), pressed=True))[: 2 if start.timelines else 1]:
            if not isinstance(found := _fitted(narrow), float):
                return _spread(narrow, found)
        return found
    if found.page.struck:
        # captions that flows would strike through are set as narrow as their icons
        again = _fitted(replace(start, wrapped=found.page.struck))
        return found if isinstance(again, float) else again
    return _spread(start, found)


def _spread(start: Plan, found: Attempt) -> Attempt:
    """The same with lifelines farther apart, no farther than it takes, where texts have no clear place; each text that
    gets one is worth some height."""
    best = found
    for spread in _SPREADS if found.page.pressed else ():
        again = _fitted(replace(start, spread=spread))
        if isinstance(again, float) or again.height > found.height + _WORTH * found.page.pressed:
            break
        gained = best.page.pressed - again.page.pressed
        if gained > 0 and again.height <= best.height + _WORTH * gained:
            best = again
        if not best.page.pressed:
            break
    return best


def first_that_fits(start: Plan, least: float) -> float:
    """The first width, in whole mm from `least` on, that succeeds: a title may break differently at each of them.

    A topology may find other places, and fit less than `least`, which it takes where less is asked for: down to there
    widths are halved.
    """

    def at(wide: int) -> Plan:
        return replace(start, figure=start.figure.model_copy(update={"width": wide / 10}))

    def taken(wide: int) -> float:
        return least_width(at(wide))

    wide = ceil(least * 10 - 1e-6)
    while wide <= WIDEST * 10:
        if (found := taken(wide)) <= wide / 10 + _CLOSE:
            break
        wide = max(wide + 1, ceil(found * 10 - 1e-6))
    low = int(width_in_cm(start.figure.width or 0.0) * 10)
    while any(start.figure.parts(Topology)) and low + 1 < wide <= WIDEST * 10:
        middle = (low + wide) // 2
        low, wide = (low, middle) if taken(middle) <= middle / 10 + _CLOSE else (middle, wide)
    # what is told holds: a topology may take more with all that it draws
    while wide <= WIDEST * 10 and isinstance(drawn := _reached(replace(at(wide), compact=True)), float):
        wide = max(wide + 1, ceil(drawn * 10 - 1e-6))
    return wide / 10


def _narrowed(start: Plan, width: float = 0.0) -> Plan:
    """With every text below an icon as narrow as this, other labels in shorter lines, and the title in lines, for a
    width, or that of the figure.
    """
    captioned = (
        start.name(start.figure.panels[panel].id, node.id)
        for panel, _, part in start.figure.parts(Topology)
        for node in part.nodes
        if getattr(node, "icon", None)
    )
    return replace(start, wrapped=frozenset(captioned), limit=width or width_in_cm(start.figure.width or 0.0))


def _fitted(start: Plan) -> Attempt | float:
    """The largest type that fits the width with its distances; or the width in cm that even the smallest takes."""
    width = start.figure.width
    if width is None:
        usual = _on_a_page(start)
        return _filled(usual, usual.plan.values, usual.width)
    target = width_in_cm(width)

    @cache
    def sized(size: float) -> tuple[Plan, dict[str, Need]]:
        plan = replace(start, size=size)
        return plan, spacing(plan)

    @cache
    def tried(size: float, stretch: float) -> Attempt:
        return _at(*sized(size), stretch, rough=True)

    sizes = start.sizes_down
    size, smallest = sizes[0], sizes[-1]
    # forms that are tried because the usual one is too wide have hardly ever room for their usual distances
    if start.limit or start.figure.form or tried(size, 1.0).width > target:
        # where the usual type is too wide (as it is where captions are narrow), and the smallest is, too, no other is
        # tried
        if all(tried(each, 0.0).width > target + _CLOSE for each in ((smallest,) if start.limit else (size, smallest))):
            return tried(smallest, 0.0).width
        size = next(each for each in sizes if tried(each, 0.0).width <= target + _CLOSE)
    stretch = _search(partial(tried, size), target)
    found = tried(size, stretch)
    return _filled(found, found.plan.values, target)


def _on_a_page(start: Plan) -> Attempt:
    """The figure with its usual distances; a topology that is wider than a text has closer columns, and its captions
    in lines, if that is enough.
    """
    usual = _at(start, spacing(start), 1.0)
    if usual.width <= _TEXT or not any(start.figure.parts(Topology)):
        return usual
    # what the same places come to with the closest columns: where that is much too wide, it is not laid out
    closest = usual.page.extent.width(_stretched(start.figure, usual.needs, 0.0))
    narrow = _narrowed(start, _TEXT)
    plans = [start] * (closest <= _NEARLY * _TEXT) + [narrow] * bool(narrow.wrapped)
    for plan in plans:
        closer = partial(_at, plan, spacing(plan))
        if closer(0.0, rough=True).width <= _TEXT:
            return closer(_search(partial(closer, rough=True), _TEXT))
    return usual


def _narrowest(start: Plan) -> Attempt:
    """With every horizontal distance as short as it may be."""
    return _at(start, spacing(start), 0.0, rough=True)


def _at(start: Plan, needs: Mapping[str, Need], stretch: float, *, rough: bool = False) -> Attempt:
    """Lay out with every horizontal distance between its least (0), its usual (1) and beyond."""
    return _placed(start, needs, _stretched(start.figure, needs, stretch), rough=rough)


def _stretched(figure: Figure, needs: Mapping[str, Need], stretch: float) -> dict[str, float]:
    """Every distance so far stretched, in cm."""
    return {name: _value(figure, name, need, stretch) for name, need in needs.items()}


def _placed(start: Plan, needs: Mapping[str, Need], values: Mapping[str, float], *, rough: bool = False) -> Attempt:
    plan = replace(start, values=values, rough=rough)
    if plan.timelines:
        from tikzgen.layout.timeline.fit_numbers import numbers

        plan = replace(plan, numbers=numbers(plan))
    return Attempt(plan, needs, page(plan))


def _value(figure: Figure, name: str, need: Need, stretch: float) -> float:
    wanted: float | None = getattr(figure.spacing, name)
    if wanted is not None:
        return max(wanted, ceil(min(need.firm, need.least) * 1000 - 1e-6) / 1000)
    if need.axis == "y":
        return ceil((need.usual if stretch >= 1 else max(need.usual, need.tight)) * 1000 - 1e-6) / 1000
    # rounding down keeps the figure within its width
    value = need.least + (need.usual - need.least) * stretch if stretch <= 1 else min(need.usual * stretch, need.most)
    if value < _SHORT:
        return floor(value * _FINE) / _FINE
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
        middle = _between(low, high, wide.width - target + _CLOSE / 2, _grows(wide, high), turn)
        found = tried(middle)
        if found.width <= target:
            low, narrow = middle, found
        else:
            high, wide = middle, found
    return low


def _stretching(found: Attempt) -> dict[str, float]:
    """How fast the width grows with each distance that stretches."""
    needs, figure = found.needs, found.plan.figure
    rates = {name: rate for name, rate in _growth(found).items() if rate and name in needs}
    return {name: rate for name, rate in rates.items() if needs[name].axis == "x" and not _stated(figure, name)}


def _grows(found: Attempt, stretch: float, *, beyond: bool = False) -> float:
    """How fast the width grows with the stretch up to there, or beyond it."""
    return sum(rate * _rate(found.needs[name], stretch, beyond) for name, rate in _stretching(found).items())


def _finest(found: Attempt) -> float:
    """How near a width can be reached, in cm: no distance changes it by less."""
    values, rates = found.plan.values, _stretching(found)
    steps = (by / (_FINE if values[name] < _SHORT else 1000) for name, by in rates.items())
    return max(_CLOSE, min(steps, default=0.0))


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


def _rate(need: Need, stretch: float, beyond: bool) -> float:
    """How fast a distance grows with the stretch."""
    if stretch < 1 or (stretch == 1 and not beyond):
        return need.usual - need.least
    return need.usual if need.usual * stretch < need.most else 0.0


def _stated(figure: Figure, name: str) -> bool:
    """Whether the author says how long a distance is."""
    return getattr(figure.spacing, name) is not None


def _filled(found: Attempt, values: Mapping[str, float], target: float) -> Attempt:
    """With these distances; where parts stand one below the other, the narrower ones as wide as the widest, as far as
    they stretch."""
    figure, usual = found.plan.figure, found.plan.values
    if any(panel.arrange == "column" and len(panel.content) > 1 for panel in figure.panels):
        for name in _FILLS:
            need = found.needs.get(name)
            if need is not None and need.axis == "x" and not _stated(figure, name):
                most = need.usual if name == "colsep" else float("inf")
                values = {**values, name: _largest(found, values, name, most, target)}
    return found if values == usual and not found.plan.rough else _placed(found.plan, found.needs, values)


# columns no wider than usual: their flows would lie flat; time again, for links that ran beside the parts pass between
# wider columns, and leave room
_FILLS = ("timeunit", "colsep", "timeunit")


def _largest(start: Attempt, values: Mapping[str, float], name: str, most: float, target: float) -> float:
    """The largest value of a distance, up to `most`, that keeps the figure within a width."""

    def width(value: float) -> tuple[float, float]:
        """The width, and how fast it grows there."""
        found = _placed(start.plan, start.needs, {**values, name: value}, rough=True)
        return found.width, _growth(found).get(name, 0.0)

    low, high = values[name], min(most, values[name] * 2)
    wide, growth = width(high)
    while high < most and wide <= target + _CLOSE:
        low, high = high, min(most, high * 2)
        wide, growth = width(high)
    if high <= low or wide <= target + _CLOSE:
        return max(low, high)
    for turn in range(40):
        if high - low <= _CLOSE / 10:
            break
        middle = _between(low, high, wide - target - _CLOSE / 2, growth, turn)
        tried = width(middle)
        if tried[0] > target + _CLOSE / 2:
            high, (wide, growth) = middle, tried
            continue
        low = middle
        if target + _CLOSE / 2 - tried[0] <= tried[1] * _CLOSE / 10:
            break
    return max(values[name], int(low * 1000) / 1000 if low >= _SHORT else floor(low * _FINE) / _FINE)
