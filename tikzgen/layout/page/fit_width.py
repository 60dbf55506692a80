"""Reach a width by spacing: stretch or shrink the distances, then the type down to 6 pt, then refuse. Then a height."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import ceil, floor

from tikzgen.base.errors import Problem, SpecError
from tikzgen.base.record import replace
from tikzgen.icons import Icon
from tikzgen.layout.constants import SIZES
from tikzgen.layout.label_sizes import Sizes
from tikzgen.layout.page.panels import Page, page, spacing
from tikzgen.layout.plan import Labels, Need, Plan
from tikzgen.layout.timeline_facts import TimelineFacts
from tikzgen.model.figure import Figure
from tikzgen.model.topology import Topology
from tikzgen.model.widths import WIDEST, width_in_cm

_CLOSE = 0.002  # cm
_PAGE = 22.0  # cm of height, which the text of a page has
_SHORT, _FINE = 0.1, 1e7  # cm, and steps a cm: a short time unit is multiplied by many


def fit(
    figure: Figure,
    labels: Labels,
    timelines: Mapping[tuple[str, int], TimelineFacts],
    icons: Mapping[str, Icon],
    sizes: Sizes,
) -> tuple[Plan, Page, dict[str, Need]] | tuple[Plan, float]:
    """Choose type size and distances; or the plan that does not fit, with the least width in cm that it takes."""
    start = Plan(figure, labels, timelines, icons, figure.font.size, {}, sizes, {})
    found = _reached(start)
    return (start, found) if isinstance(found, float) else _lowered(found)


def _lowered(found: tuple[Plan, Page, dict[str, Need]]) -> tuple[Plan, Page, dict[str, Need]]:
    """The figure within its height: its vertical distances shrink alike as far as it takes, or it is refused.

    Where nobody said how high, it keeps to a page if that is enough.
    """
    plan, laid, needs = found
    limit = plan.figure.height or _PAGE
    if laid.extent.height(plan.values) <= limit + _CLOSE:
        return found
    room = {
        name: (min(need.least, plan.values[name]), plan.values[name])
        for name, need in needs.items()
        if need.axis == "y" and not _stated(plan.figure, name)
    }

    def at(share: float) -> tuple[Plan, Page]:
        shrunk = {name: least + (usual - least) * share for name, (least, usual) in room.items()}
        values = {**plan.values, **{name: ceil(value * 1000 - 1e-6) / 1000 for name, value in shrunk.items()}}
        return _placed(plan, values)

    def refused(takes: str, least: float) -> tuple[Plan, Page, dict[str, Need]]:
        if plan.figure.height is None:
            return found
        hint = f"a height of {ceil(least * 10) / 10:g} cm or fewer parts would do"
        raise SpecError([Problem(f"does not fit {limit:g} cm: {takes}", path="height", hint=hint)])

    low, high, best = 0.0, 1.0, at(0.0)
    least = best[1].extent.height(best[0].values)
    if least > limit + _CLOSE:
        return refused(f"it takes {least:.2f} cm with its rows as close as they may be", least)
    for _ in range(12):
        share = (low + high) / 2
        tried = at(share)
        if tried[1].extent.height(tried[0].values) <= limit + _CLOSE:
            low, best = share, tried
        else:
            high = share
    wide = best[1].extent.width(best[0].values)
    if plan.figure.width is not None and wide > width_in_cm(plan.figure.width) + _CLOSE:
        # between closer rows a text may have no room but beside them
        return refused(f"with its rows so close it takes {wide:.2f} cm of width", laid.extent.height(plan.values))
    return *best, needs


def least_width(start: Plan) -> float:
    """The width in cm that a figure takes at the smallest type, with narrow captions and its title in lines."""
    narrow = replace(_narrowed(start), size=SIZES[-1])
    plan, laid = _at(narrow, spacing(narrow), 0.0, rough=True)
    return laid.extent.width(plan.values)


def _reached(start: Plan) -> tuple[Plan, Page, dict[str, Need]] | float:
    """The figure at its width, its captions and title in lines where that is what it takes; or the width it takes."""
    found = _fitted(start)
    if isinstance(found, float):
        narrow = _narrowed(start)
        # else nothing in it can be narrower
        return _fitted(narrow) if narrow.wrapped or start.figure.title else found
    if found[1].struck:
        # captions that flows would strike through are set as narrow as their icons
        again = _fitted(replace(start, wrapped=found[1].struck))
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
    while wide <= WIDEST * 10 and isinstance(drawn := _reached(at(wide)), float):
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


def _fitted(start: Plan) -> tuple[Plan, Page, dict[str, Need]] | float:
    """The largest type that fits the width with its distances; or the width in cm that even the smallest takes."""
    width = start.figure.width
    if width is None:
        needs = spacing(start)
        plan, laid = _at(start, needs, 1.0)
        values = _filled(start, needs, plan.values, laid.extent.width(plan.values))
        return *((plan, laid) if values == plan.values else _placed(start, values)), needs
    target = width_in_cm(width)

    @cache
    def narrowest(size: float) -> tuple[Plan, dict[str, Need], float]:
        smaller = replace(start, size=size)
        needs = spacing(smaller)
        plan, laid = _at(smaller, needs, 0.0, rough=True)
        return smaller, needs, laid.extent.width(plan.values)

    sizes = start.sizes_down
    # where the usual type is too wide (as it is where captions are narrow), and the smallest is, too, no other is tried
    if all(narrowest(size)[-1] > target + _CLOSE for size in (sizes[-1:] if start.limit else (sizes[0], sizes[-1]))):
        return narrowest(sizes[-1])[-1]
    plan, needs, least = next(found for found in map(narrowest, sizes) if found[-1] <= target + _CLOSE)
    values = _stretched(plan.figure, needs, _search(plan, needs, least, target))
    return *_placed(plan, _filled(plan, needs, values, target)), needs


def _at(start: Plan, needs: Mapping[str, Need], stretch: float, *, rough: bool = False) -> tuple[Plan, Page]:
    """Lay out with every horizontal distance between its least (0), its usual (1) and beyond."""
    return _placed(start, _stretched(start.figure, needs, stretch), rough=rough)


def _stretched(figure: Figure, needs: Mapping[str, Need], stretch: float) -> dict[str, float]:
    """Every distance so far stretched, in cm."""
    return {name: _value(figure, name, need, stretch) for name, need in needs.items()}


def _placed(start: Plan, values: Mapping[str, float], *, rough: bool = False) -> tuple[Plan, Page]:
    plan = replace(start, values=values, rough=rough)
    if plan.timelines:
        from tikzgen.layout.timeline.fit_numbers import numbers

        plan = replace(plan, numbers=numbers(plan))
    return plan, page(plan)


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


def _search(start: Plan, needs: Mapping[str, Need], least: float, target: float) -> float:
    """Find the stretch that reaches the width, `least` at 0 and growing: bracket it, then go by its growth or halve."""
    growing = {name: need for name, need in needs.items() if need.axis == "x"}

    def width(stretch: float) -> tuple[float, float, float]:
        """The width, how fast it grows with the stretch there, and the least by which a distance can change it."""
        plan, laid = _at(start, needs, stretch, rough=True)
        terms = dict((laid.extent.right - laid.extent.left).terms)
        found = {name: terms[name] for name in growing if terms.get(name) and not _stated(start.figure, name)}
        rates = (by * _rate(growing[name], stretch) for name, by in found.items())
        steps = (by / (_FINE if plan.values[name] < _SHORT else 1000) for name, by in found.items())
        return laid.extent.width(plan.values), sum(rates), min(steps, default=0.0)

    low, low_width, finest = 0.0, least, 0.0
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


def _filled(start: Plan, needs: Mapping[str, Need], values: Mapping[str, float], target: float) -> Mapping[str, float]:
    """Where parts stand one below the other: the narrower ones as wide as the widest, as far as they stretch."""
    figure = start.figure
    if not any(panel.arrange == "column" and len(panel.content) > 1 for panel in figure.panels):
        return values
    values = dict(values)
    for name in _FILLS:
        need = needs.get(name)
        if need is None or need.axis != "x" or _stated(figure, name):
            continue
        most = need.usual if name == "colsep" else float("inf")
        values[name] = _largest(start, values, name, most, target)
    return values


# columns no wider than usual: their flows would lie flat; time again, for links that ran beside the parts pass between
# wider columns, and leave room
_FILLS = ("timeunit", "colsep", "timeunit")


def _largest(start: Plan, values: Mapping[str, float], name: str, most: float, target: float) -> float:
    """The largest value of a distance, up to `most`, that keeps the figure within a width."""

    def width(value: float) -> tuple[float, float]:
        """The width, and how fast it grows there."""
        plan, laid = _placed(start, {**values, name: value}, rough=True)
        across = laid.extent.right - laid.extent.left
        return across.at(plan.values), dict(across.terms).get(name, 0.0)

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
