"""Panels on a page: parts in a row or a column with captions, panels in rows, legend and title above, links across."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tikzgen.base.record import Record, replace
from tikzgen.layout.attempt import Need, Plan, strongest
from tikzgen.layout.constants import INNER, MARGIN
from tikzgen.layout.drawn_kinds import kind_of
from tikzgen.layout.extent import Extent, union
from tikzgen.layout.items import Caption, Item, Scope, Shown
from tikzgen.layout.length import ZERO, Length, param
from tikzgen.layout.links.curved_links import Site, links
from tikzgen.layout.links.square_links import Column
from tikzgen.layout.on_slides import on_slides
from tikzgen.layout.page.title_and_legend import heading
from tikzgen.layout.scene import Piece
from tikzgen.model.figure import Panel
from tikzgen.model.widths import width_in_cm
from tikzgen.text import Extent as TextExtent
from tikzgen.text import Tex

_ABOVE = 0.22  # cm between the panels and what stands above or below them
_NARROWEST = 2.0  # cm: captions are not broken to less


class Page(Record):
    """Everything placed: the items, and the extent with its margin."""

    items: tuple[Item, ...]
    extent: Extent
    struck: frozenset[str] = frozenset()


def spacing(plan: Plan) -> dict[str, Need]:
    """Every distance that the figure uses."""
    figure = plan.figure
    found = [
        kind_of(content).needs(plan, panel, index, content)
        for panel in figure.panels
        for index, content in enumerate(panel.content)
    ]
    merged = strongest(found)
    beside = any(len(panel.content) > 1 for panel in figure.panels)
    if len(figure.panels) > 1 or beside:
        merged["panelsep"] = Need(0.36, 0.9, "x", "gap between neighbouring panels")
    return merged


def page(plan: Plan) -> Page:
    """Place every panel of the figure."""
    figure, values = plan.figure, plan.values
    laid = [_panel(plan, panel) for panel in figure.panels]
    columns = figure.columns or (len(laid) if figure.arrange == "row" else 1)
    rows = [laid[start : start + columns] for start in range(0, len(laid), columns)]
    placed: list[tuple[_Laid, Length, Length]] = []
    down: Length = ZERO
    for number, row in enumerate(rows):
        # panels of a row stand on one floor, so that their captions are level
        lifts = [row[0].floor - panel.floor for panel in row]
        reach = union([panel.extent.moved(ZERO, lift) for panel, lift in zip(row, lifts, strict=True)], values)
        if number:
            down = down - reach.top - param("panelsep", 0.6)
        right: Length | None = None
        for panel, lift in zip(row, lifts, strict=True):
            x = ZERO if right is None else right + param("panelsep") - panel.extent.left
            placed.append((panel, x, down + lift))
            right = x + panel.extent.right
        down = down + reach.bottom
    extent = union([panel.extent.moved(x, y) for panel, x, y in placed], values)
    items: list[Item] = []
    sites: dict[str, Site] = {}
    by_panels = figure.slides is not None and figure.slides.by == "panels"
    for place, (panel, x, y) in enumerate(placed, 1):
        moved = _moved(panel, x, y, alone=len(placed) == 1)
        items.extend(Shown(place, item) for item in moved) if by_panels else items.extend(moved)
        sites.update(
            {
                name: replace(site, x=site.x + x.at(values), y=site.y + y.at(values))
                for name, site in panel.sites.items()
            }
        )
    if figure.links:
        outlines = {name: outline.moved(x, y) for panel, x, y in placed for name, outline in panel.outlines.items()}
        texts = [(name, text.moved(x, y)) for panel, x, y in placed for name, text in panel.texts]
        stacks = [panel.column.moved(x, y) for panel, x, y in placed if panel.column]
        drawn = list(links(plan, sites, outlines, texts, stacks))
        items.extend(link for link, _ in drawn)
        extent = union([extent, *(reach for _, reaches in drawn for reach in reaches)], values)
    axis = placed[0][0].axis if len(placed) == 1 else None
    edges = [panel.edge + x if panel.edge is not None else None for panel, x, _ in placed]
    edge = edges[0] if columns == 1 and None not in edges else None
    extent = heading(plan, items, extent, axis, edge)
    struck = frozenset(name for panel in laid for piece, _, _ in panel.parts for name in piece.struck)
    return Page(on_slides(figure, items), extent.grown(MARGIN), struck)


class _Laid(Record):
    """A panel around its own origin; `floor` is where its parts end and its caption begins."""

    name: str
    parts: tuple[tuple[Piece, Length, Length], ...]
    below: tuple[Item, ...]
    extent: Extent
    floor: Length
    axis: Length | None
    edge: Length | None
    sites: Mapping[str, Site]
    outlines: Mapping[str, Extent]
    texts: tuple[tuple[str, Extent], ...]
    column: Column | None = None


def _panel(plan: Plan, panel: Panel) -> _Laid:
    values = plan.values
    parts: list[tuple[Piece, Length, Length]] = []
    sites: dict[str, Site] = {}
    outlines: dict[str, Extent] = {}
    texts: list[tuple[str, Extent]] = []
    numbers: dict[str, int] = {}
    channels: dict[str, Length] = {}
    linked = list(_linked(plan, panel))
    prefix = f"{panel.id}." if len(plan.figure.panels) > 1 else ""
    for index, content in enumerate(panel.content):
        piece = replace(kind_of(content).place(plan, panel, index, content, linked), kind=content.type)
        longer = _longer(plan, panel, index)
        x, y = _below(parts, piece, longer) if panel.arrange == "column" else _beside(parts, piece)
        texts += [(name, text.moved(x, y)) for name, text in piece.texts]
        outlines.update((name, outline.moved(x, y)) for name, outline in piece.outlines.items())
        numbers.update(dict.fromkeys(piece.outlines, index))
        channels.update(dict.fromkeys(piece.outlines, piece.extent.top + y + _channel() * 0.5))
        parts.append((piece, x, y))
        middle = piece.extent.moved(x, y)
        across, up = ((middle.left + middle.right) * 0.5).at(values), ((middle.bottom + middle.top) * 0.5).at(values)
        sites.update({prefix + name: replace(site, x=across, y=up) for name, site in piece.sites.items()})
    extent = union([piece.extent.moved(x, y) for piece, x, y in parts], values)
    floor = extent.bottom
    column = Column(numbers, channels, extent.right) if panel.arrange == "column" else None
    axis = parts[0][0].axis if len(parts) == 1 else None
    edge = parts[0][0].edge if len(parts) == 1 else None
    below: list[Item] = []
    if panel.caption and not any(piece.is_named for piece, _, _ in parts):
        macro = plan.labels.macro(panel.id, "captionlabel")
        size, wrap = _lines(plan, panel.caption, extent.width(values))
        middle_x = axis or (extent.left + extent.right) * 0.5
        below.append(Caption((macro,), ("slbl",), x=middle_x, y=extent.bottom - _ABOVE / 2, anchor="north", wrap=wrap))
        half = size.width / 2 + INNER
        height = size.height + size.depth + 2 * INNER + _ABOVE / 2
        texts.append(("", Extent(middle_x - half, extent.bottom - height, middle_x + half, extent.bottom)))
        extent = union([extent, Extent(middle_x - half, extent.bottom - height, middle_x + half, extent.top)], values)
    return _Laid(
        panel.id, tuple(parts), tuple(below), extent, floor, axis, edge, sites, outlines, tuple(texts), column=column
    )


def _lines(plan: Plan, caption: str, wide: float) -> tuple[TextExtent, float]:
    """The size of a caption, and the width in cm that it is broken to, 0 for none.

    Where a width is to be reached, panels side by side do not share it out to their captions.
    """
    size = plan.measure(caption)
    if plan.figure.width is None or isinstance(caption, Tex) or "\n" in caption:
        return size, 0.0
    several = (plan.figure.columns or len(plan.figure.panels)) > 1 and plan.figure.arrange == "row"
    room = (wide if several else width_in_cm(plan.figure.width) - 2 * MARGIN) - 2 * INNER
    if size.width <= room:
        return size, 0.0
    lines = plan.broken(caption, max(room, _NARROWEST))
    found = plan.measure(lines)
    return (found, found.width + 0.02) if "\n" in lines else (size, 0.0)


def _beside(parts: list[tuple[Piece, Length, Length]], piece: Piece) -> tuple[Length, Length]:
    """The shift that puts a part right of the ones before it: middle on middle, or on the ground time rises from."""
    if not parts:
        return ZERO, ZERO
    first, last = parts[0], parts[-1]
    x = last[1] + last[0].extent.right + param("panelsep") - piece.extent.left
    if piece.axes == "up" and not first[0].axes:
        return x, first[0].extent.bottom
    middle = (first[0].extent.top + first[0].extent.bottom) * 0.5
    return x, middle - (piece.extent.top + piece.extent.bottom) * 0.5


def _below(parts: list[tuple[Piece, Length, Length]], piece: Piece, longer: Length) -> tuple[Length, Length]:
    """The shift that puts a part below the ones before it, middle on middle; as if it were so much longer."""
    if not parts:
        return ZERO, ZERO
    (first, x, _), (last, _, y) = parts[0], parts[-1]
    middle = x + (first.extent.left + first.extent.right) * 0.5
    down = y + last.extent.bottom - _channel() - piece.extent.top
    return middle - (piece.extent.left + piece.extent.right + longer) * 0.5, down


def _longer(plan: Plan, panel: Panel, index: int) -> Length:
    """How much longer the longest timeline of all panels is than this one: all of them begin at one place."""
    lengths = {
        (one.id, place): kind_of(part).length(plan, one, place, part)
        for one in plan.figure.panels
        for place, part in enumerate(one.content)
    }
    mine = lengths[panel.id, index]
    if mine is None:
        return ZERO
    return param("timeunit", max(length for length in lengths.values() if length is not None) - mine)


def _channel() -> Length:
    """The gap between parts of a column, where their links run."""
    return param("panelsep", 0.6) + 0.3


def _moved(panel: _Laid, x: Length, y: Length, *, alone: bool) -> list[Item]:
    """The items of a panel at its place: in scopes, where they need an origin or axes of their own."""
    items: list[Item] = []
    for piece, dx, dy in panel.parts:
        place = x + dx, y + dy
        if alone and len(panel.parts) == 1 and not piece.axes:
            items.extend(piece.items)
            continue
        comment = piece.kind if alone else f"panel {panel.name}: {piece.kind}"
        inside = tuple(item.within() for item in piece.items)
        items.append(Scope(comment, inside, *place, axes=piece.axes, kind=piece.kind))
    items.extend(
        replace(item, x=item.x + x, y=item.y + y) if isinstance(item, Caption) else item for item in panel.below
    )
    return items


def _linked(plan: Plan, panel: Panel) -> Iterator[tuple[str, str]]:
    """What links in this panel end on, by its name there, and where along it."""
    prefix = f"{panel.id}." if len(plan.figure.panels) > 1 else ""
    for link in plan.figure.links:
        for end in (link.source, link.target):
            name, _, at = end.partition("@")
            if name.startswith(prefix):
                yield name.removeprefix(prefix), at
