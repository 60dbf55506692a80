"""What stands above (or below) all panels: the legend and the title."""

from __future__ import annotations

from tikzgen.layout.attempt import Plan
from tikzgen.layout.constants import MARGIN
from tikzgen.layout.extent import Extent, union
from tikzgen.layout.items import Item, Key, Title
from tikzgen.layout.length import Length
from tikzgen.layout.page.legend import legend_rows

__all__ = ["heading"]

_ABOVE = 0.22  # cm between the panels and what stands above or below them


def heading(plan: Plan, items: list[Item], extent: Extent, axis: Length | None) -> Extent:
    """Add the legend and the title; the extent grows around them."""
    figure, values = plan.figure, plan.values
    middle = axis or (extent.left + extent.right) * 0.5
    rows = legend_rows(plan, extent.width(values)) if figure.legend.position != "none" else []
    if figure.legend.position == "top":
        rows.reverse()  # rows are set from the panels outwards
    for row in rows:
        if figure.legend.position == "top":
            y = extent.top + _ABOVE + row.tall
            extent = union([extent, Extent(middle - row.half, extent.bottom, middle + row.half, y + row.tall)], values)
        else:
            y = extent.bottom - _ABOVE - row.tall
            extent = union([extent, Extent(middle - row.half, y - row.tall, middle + row.half, extent.top)], values)
        items.append(Key(middle - row.half, y, row.entries))
    if figure.title:
        macro = plan.labels.macro("", "titlelabel")
        wrap = 0.0
        size = plan.measure(figure.title, bold=True, size=title_size(plan.size))
        room = _room(plan, extent, middle)
        if plan.limit and size.width > room:
            wrap = room
            lines = plan.broken(figure.title, wrap, bold=True, size=title_size(plan.size))
            size = plan.measure(lines, bold=True, size=title_size(plan.size))
        height = size.height + size.depth
        y = extent.top + _ABOVE + height / 2
        half = size.width / 2
        items.append(Title(macro, middle, y, wrap))
        extent = union([extent, Extent(middle - half, extent.bottom, middle + half, y + height / 2)], values)
    return extent


def _room(plan: Plan, extent: Extent, middle: Length) -> float:
    """How wide a title centred on `middle` may be, in cm, so that the figure keeps to its limit."""
    inner = plan.limit - 2 * MARGIN
    at = middle.at(plan.values)
    farther = max(at - extent.left.at(plan.values), extent.right.at(plan.values) - at)
    nearer = extent.width(plan.values) - farther
    # what the title reaches beyond the nearer side is all that the figure grows by, until it passes the farther one
    return inner if farther <= inner / 2 else max(2 * (inner - farther), 2 * nearer)


def title_size(size: float) -> float:
    """The title's size in pt beside labels of `size` pt: two sizes up, as \\normalsize is to \\footnotesize."""
    return _TITLE[int(size)]


_TITLE = {10: 12, 9: 10, 8: 10, 7: 9, 6: 8}
