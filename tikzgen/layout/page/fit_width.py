"""Reach a width by spacing: stretch or shrink the distances, then the type down to 6 pt, then refuse. Then a height.

A compact plan does so with narrow captions, small icons, and frames close around what they hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import ceil, floor

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
_PAGE = 22.0  # cm of height, which the text of a page has
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


def fit(start: Plan) -> Attempt | float:
    """Choose type size and distances; or the least width in cm that the figure takes, where it does not fit its own.

    Where something has no clear place, a compact one is rather drawn in which it has.
    """
    found = _reached(start)
    if isinstance(found, float):
        return found
    if found.page.faults and start.figure.width is not None and not start.compact:
        small = _reached(replace(start, compact=True))
        if isinstance(small, Attempt) and small.page.faults < found.page.faults:
            found = small
    return _lowered(found)


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

    def at(share: float) -> Attempt:
        shrunk = {name: least + (usual - least) * share for name, (least, usual) in room.items()}
        values = {**plan.values, **{name: ceil(value * 1000 - 1e-6) / 1000 for name, value in shrunk.items()}}
        return _placed(plan, found.needs, values)

    def refused(takes: str, least: float) -> Attempt:
        if plan.figure.height is None:
            return found
        hint = f"a height of {ceil(least * 10) / 10:g} cm or fewer parts would do"
        raise SpecError([Problem(f"does not fit {limit:g} cm: {takes}", path="height", hint=hint)])

    low, high, best = 0.0, 1.0, at(0.0)
    if best.height > limit + _CLOSE:
        if plan.figure.width is not None and not plan.compact and any(plan.figure.parts(Topology)):
            small = _reached(replace(plan, size=plan.figure.font.size, values={}, compact=True))
            if isinstance(small, Attempt) and small.height < best.height:
                return _lowered(small)
        return refused(f"it takes {best.height:.2f} cm with its rows as close as they may be", best.height)
    for _ in range(12):
        share = (low + high) / 2
        tried = at(share)
        if tried.height <= limit + _CLOSE:
            low, best = share, tried
        else:
            high = share
    if plan.figure.width is not None and best.width > width_in_cm(plan.figure.width) + _CLOSE:
        # between closer rows a text may have no room but beside them
        return refused(f"with its rows so close it takes {best.width:.2f} cm of width", found.height)
    return best


def least_width(start: Plan) -> float:
    """The width in cm that a figure takes at the smallest type, compact and with its title in lines."""
    return _narrowest(replace(_narrowed(start), size=SIZES[-1], compact=True)).width


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
        narrow = _narrowed(start)
        # else nothing in it can be narrower
        return _fitted(narrow) if narrow.wrapped or start.figure.title else found
    if found.page.struck:
        # captions that flows would strike through are set as narrow as their icons
        again = _fitted(replace(start, wrapped=found.page.struck))
        return found if isinstance(again, float) else again
    return found


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


def _narrowed(start: Plan) -> Plan:
    """With every text below an icon as narrow as this, and the title in lines."""
    captioned = (
        start.name(start.figure.panels[panel].id, node.id)
        for panel, _, part in start.figure.parts(Topology)
        for node in part.nodes
        if getattr(node, "icon", None)
    )
    return replace(start, wrapped=frozenset(captioned), limit=width_in_cm(start.figure.width or 0.0))


def _fitted(start: Plan) -> Attempt | float:
    """The largest type that fits the width with its distances; or the width in cm that even the smallest takes."""
    width = start.figure.width
    if width is None:
        usual = _at(start, spacing(start), 1.0)
        return _filled(usual, usual.plan.values, usual.width)
    target = width_in_cm(width)

    @cache
    def narrowest(size: float) -> Attempt:
        return _narrowest(replace(start, size=size))

    sizes = start.sizes_down
    # where the usual type is too wide (as it is where captions are narrow), and the smallest is, too, no other is tried
    if all(narrowest(size).width > target + _CLOSE for size in (sizes[-1:] if start.limit else (sizes[0], sizes[-1]))):
        return narrowest(sizes[-1]).width
    least = next(found for found in map(narrowest, sizes) if found.width <= target + _CLOSE)
    return _filled(least, _stretched(start.figure, least.needs, _search(least, target)), target)


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
        return wanted
    if need.axis == "y":
        return ceil((need.usual if stretch >= 1 else max(need.usual, need.tight)) * 1000 - 1e-6) / 1000
    # rounding down keeps the figure within its width
    value = need.least + (need.usual - need.least) * stretch if stretch <= 1 else min(need.usual * stretch, need.most)
    if value < _SHORT:
        return floor(value * _FINE) / _FINE
    return int(value * 1000 + 1e-6) / 1000 if stretch else int(need.least * 1000 + 0.999) / 1000


def _search(least: Attempt, target: float) -> float:
    """Find the stretch that reaches the width, from that of 0 on: bracket it, then go by its growth or halve."""
    figure, growing = least.plan.figure, {name: need for name, need in least.needs.items() if need.axis == "x"}

    def width(stretch: float) -> tuple[float, float, float]:
        """The width, how fast it grows with the stretch there, and the least by which a distance can change it."""
        found = _at(least.plan, least.needs, stretch, rough=True)
        rates = _growth(found)
        rates = {name: rates[name] for name in growing if rates.get(name) and not _stated(figure, name)}
        steps = (by / (_FINE if found.plan.values[name] < _SHORT else 1000) for name, by in rates.items())
        grows = sum(by * _rate(growing[name], stretch) for name, by in rates.items())
        return found.width, grows, min(steps, default=0.0)

    low, low_width, finest = 0.0, least.width, 0.0
    high = 1.0
    high_width, growth, step = width(high)
    usual = high_width
    while high_width < target and high < 64:
        low, low_width, finest = high, high_width, step
        high *= 2
        high_width, growth, step = width(high)
    if high_width < target and high_width - usual < _CLOSE:
        return 1.0  # nothing in it stretches; else a legend may be wider than what does
    for count in range(40):
        if target - low_width < max(_CLOSE, finest) or high - low < 1e-4:
            break
        middle = _between(low, high, high_width - target + _CLOSE / 2, growth, count)
        tried, rate, step = width(middle)
        if tried <= target:
            low, low_width, finest = middle, tried, step
        else:
            high, high_width, growth = middle, tried, rate
    return low


def _growth(found: Attempt) -> dict[str, float]:
    """How fast the width grows with each distance."""
    return dict((found.page.extent.right - found.page.extent.left).terms)


def _between(low: float, high: float, over: float, growth: float, count: int) -> float:
    """Where to look next between what fits and what is `over` by so many cm, where the width grows so fast.

    The widest part grows in proportion; where it would be as wide as allowed, another one may be wider, so that every
    third step halves.
    """
    middle = high - over / growth if growth and count % 3 < 2 else 0.0
    return middle if low < middle < high else (low + high) / 2


def _rate(need: Need, stretch: float) -> float:
    """How fast a distance grows with the stretch."""
    return need.usual - need.least if stretch <= 1 else need.usual if need.usual * stretch < need.most else 0.0


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
    for step in range(40):
        if high - low <= _CLOSE / 10:
            break
        middle = _between(low, high, wide - target - _CLOSE / 2, growth, step)
        tried = width(middle)
        if tried[0] > target + _CLOSE / 2:
            high, (wide, growth) = middle, tried
            continue
        low = middle
        if target + _CLOSE / 2 - tried[0] <= tried[1] * _CLOSE / 10:
            break
    return max(values[name], int(low * 1000) / 1000 if low >= _SHORT else floor(low * _FINE) / _FINE)
