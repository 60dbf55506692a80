"""Panels on a page: parts in a row or column with captions, panels in rows, legend, title, and links.

`page` places all panels; `distances_of_figure` collects the distances that they use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.base.record import Record, replace
from tikzgen.layout.attempt import CAPTION_STEM, DistanceNeed, LayoutAttempt
from tikzgen.layout.constants import INNER, MARGIN
from tikzgen.layout.label_lines import set_within
from tikzgen.layout.layout_kinds import kind_of
from tikzgen.layout.page.links_across import PartsInColumn, Site, route_links
from tikzgen.layout.page.title_and_legend import LEGEND_GAP, add_title_and_legend
from tikzgen.layout.scene.items import ArrowItem, CaptionItem, ElbowItem, Item, ScopeItem, ShownItem
from tikzgen.layout.scene.scene import AtLeast, PlacedPart
from tikzgen.layout.scene.slide_of_element import on_slides
from tikzgen.layout.symbolic_lengths import ZERO, Length, SymbolicBox, find_farthest_length, make_length, union
from tikzgen.model.addresses import read_address
from tikzgen.model.looks import width_in_cm
from tikzgen.model.panel_parts import Panel
from tikzgen.text import TextSize as TextExtent

_LEAST_CAPTION_CM = 2.0  # cm: captions are not wrapped to less


class PlacedPage(Record):
    """A placed page: its items, and its extent with the margin; `below` is the extent below the title.

    Labels without a clear place are `unplaced`; `crossing` counts the links between panels that cross something.
    """

    items: tuple[Item, ...]
    extent: SymbolicBox
    below: SymbolicBox
    struck: frozenset[str] = frozenset()
    faults: float = 0.0
    unplaced: int = 0
    crossing: int = 0
    least: tuple[AtLeast, ...] = ()

    def count_unclear(self) -> int:
        """Return the number of labels without a clear place, or crossed by flows, and of links that cross a box."""
        return self.unplaced + self.crossing + len(self.struck)


def distances_of_figure(plan: LayoutAttempt) -> dict[str, DistanceNeed]:
    """Return every distance that the figure uses, by name."""
    figure = plan.figure
    found = [
        kind_of(content).needs(plan, panel, index, content)
        for panel in figure.panels
        for index, content in enumerate(panel.content)
    ]
    merged = _merge_needs(found)
    several = [panel for panel in figure.panels if len(panel.content) > 1]
    if len(figure.panels) > 1 or several:
        across = figure.abreast > 1 or any(panel.arrange == "row" for panel in several)
        merged["panelsep"] = DistanceNeed(0.36, 0.9, "x" if across else "y", "gap between neighboring panels", most=1.8)
    return merged


def place_page(plan: LayoutAttempt) -> PlacedPage:
    """Place every panel of the figure."""
    figure, values = plan.figure, plan.values
    laid = [_place_panel(plan, panel) for panel in figure.panels]
    columns = figure.abreast
    rows = [laid[start : start + columns] for start in range(0, len(laid), columns)]
    placed: list[tuple[_Laid, Length, Length]] = []
    down: Length = ZERO
    for number, row in enumerate(rows):
        # Parts of panels in a row end at the same height, so that their captions align.
        lifts = [row[0].floor - panel.floor for panel in row]
        reach = _merge_extents([panel.extent.move_by(ZERO, lift) for panel, lift in zip(row, lifts, strict=True)], plan)
        if number:
            down = down - reach.top - make_length("panelsep", 0.6)
        right: Length | None = None
        for panel, lift in zip(row, lifts, strict=True):
            x = ZERO if right is None else right + make_length("panelsep") - panel.extent.left
            placed.append((panel, x, down + lift))
            right = x + panel.extent.right
        down = down + reach.bottom
    extent = _merge_extents([panel.extent.move_by(x, y) for panel, x, y in placed], plan)
    items: list[Item] = []
    by_panels = figure.slides is not None and figure.slides.by == "panels"
    for place, (panel, x, y) in enumerate(placed, 1):
        moved = _move_panel(panel, x, y, alone=len(placed) == 1)
        items.extend(ShownItem(place, item) for item in moved) if by_panels else items.extend(moved)
    crossing = 0
    if figure.links:
        drawn = list(_route_panel_links(plan, placed))
        items.extend(link for link, _, _ in drawn)
        extent = union([extent, *(reach for _, reaches, _ in drawn for reach in reaches)], values)
        crossing = sum(crosses for *_, crosses in drawn)
    axis = placed[0][0].axis if len(placed) == 1 else None
    edges = [panel.edge + x if panel.edge is not None else None for panel, x, _ in placed]
    edge = edges[0] if None not in edges else None
    extents = add_title_and_legend(plan, items, extent, axis, edge)
    struck = frozenset(name for panel in laid for piece, _, _ in panel.parts for name in piece.struck)
    faults = sum(piece.faults for panel in laid for piece, _, _ in panel.parts)
    unplaced = sum(piece.unplaced for panel in laid for piece, _, _ in panel.parts)
    least = tuple(one for panel in laid for piece, _, _ in panel.parts for one in piece.least)
    whole, below = (extent.grow_by(MARGIN) for extent in extents)
    return PlacedPage(on_slides(figure, items), whole, below, struck, faults, unplaced, crossing, least)


def _merge_needs(needs: list[dict[str, DistanceNeed]]) -> dict[str, DistanceNeed]:
    """Merge the ranges that several parts require of the same distances."""
    merged: dict[str, DistanceNeed] = {}
    for part in needs:
        for name, need in part.items():
            other = merged.get(name)
            if other is not None:
                strongest = {
                    field: max(getattr(need, field), getattr(other, field))
                    for field in ("least", "usual", "tight", "firm", "close")
                }
                need = replace(need, **strongest)
            merged[name] = need
    return merged


def _merge_extents(extents: Sequence[SymbolicBox], plan: LayoutAttempt) -> SymbolicBox:
    """Return the rectangle around all extents.

    Content above and below stays clear of it at all distances. If panels are side by side, so does content to its left
    and right.
    """
    around, values = union(extents, plan.values), plan.values
    bottom = -find_farthest_length([-extent.bottom for extent in extents], values)
    around = replace(around, bottom=bottom, top=find_farthest_length([extent.top for extent in extents], values))
    if plan.figure.abreast == 1:
        return around
    left = -find_farthest_length([-extent.left for extent in extents], values)
    return replace(around, left=left, right=find_farthest_length([extent.right for extent in extents], values))


class _Laid(Record):
    """A panel around its own origin: shifted parts, their extent (`inner`), and the extent with the caption."""

    panel: Panel
    parts: tuple[tuple[PlacedPart, Length, Length], ...]
    inner: SymbolicBox
    extent: SymbolicBox
    caption: tuple[CaptionItem, SymbolicBox] | None = None

    @property
    def floor(self) -> Length:
        """Bottom of its parts, where its caption begins."""
        return self.inner.bottom

    @property
    def axis(self) -> Length | None:
        """Axis on which a title above it is centered; None unless its only part has one."""
        return self.parts[0][0].axis if len(self.parts) == 1 else None

    @property
    def edge(self) -> Length | None:
        """Left edge of the lanes of its only part; None if there are more parts."""
        return self.parts[0][0].edge if len(self.parts) == 1 else None


def _place_panel(plan: LayoutAttempt, panel: Panel) -> _Laid:
    parts: list[tuple[PlacedPart, Length, Length]] = []
    linked = list(_link_ends(plan, panel))
    for index, content in enumerate(panel.content):
        piece = replace(kind_of(content).place_part(plan, panel, index, content, linked), kind=content.type)
        longer = _compute_missing_length(plan, panel, index)
        parts.append(
            (piece, *(_shift_below(parts, piece, longer) if panel.arrange == "column" else _shift_beside(parts, piece)))
        )
    inner = _merge_extents([piece.extent.move_by(x, y) for piece, x, y in parts], plan)
    laid = _Laid(panel, tuple(parts), inner, inner)
    if not panel.caption or any(piece.is_named for piece, _, _ in parts):
        return laid
    macro = plan.labels.find_macro(panel.id, CAPTION_STEM)
    size, wrap = _wrap_caption(plan, panel.caption, inner.measure_width(plan.values))
    middle = laid.axis or (inner.left + inner.right) * 0.5
    caption = CaptionItem((macro,), ("slbl",), x=middle, y=inner.bottom - LEGEND_GAP / 2, anchor="north", wrap=wrap)
    half, height = size.width / 2 + INNER, size.total + 2 * INNER + LEGEND_GAP / 2
    below = SymbolicBox(middle - half, inner.bottom - height, middle + half, inner.bottom)
    return replace(laid, caption=(caption, below), extent=_merge_extents([inner, below], plan))


def _route_panel_links(
    plan: LayoutAttempt, placed: Sequence[tuple[_Laid, Length, Length]]
) -> Iterator[tuple[ArrowItem | ElbowItem, list[SymbolicBox], bool]]:
    """Yield the links between panels, their control points, and whether they cross a box."""
    sites: dict[str, Site] = {}
    outlines: dict[str, SymbolicBox] = {}
    texts: list[tuple[str, SymbolicBox]] = []
    columns: list[PartsInColumn] = []
    for laid, x, y in placed:
        prefix = f"{laid.panel.id}." if len(placed) > 1 else ""
        numbers: dict[str, int] = {}
        channels: dict[str, Length] = {}
        for number, (piece, dx, dy) in enumerate(laid.parts):
            place = x + dx, y + dy
            there = piece.extent.move_by(*place)
            left, bottom, right, top = there.measure_box(plan.values)
            middle = {"x": (left + right) / 2, "y": (bottom + top) / 2}
            sites.update((prefix + name, replace(site, **middle)) for name, site in piece.sites.items())
            outlines.update((name, outline.move_by(*place)) for name, outline in piece.outlines.items())
            texts += [(name, text.move_by(*place)) for name, text in piece.texts]
            numbers.update(dict.fromkeys(piece.outlines, number))
            channels.update(dict.fromkeys(piece.outlines, there.top + _make_channel_gap() * 0.5))
        if laid.panel.arrange == "column":
            columns.append(PartsInColumn(numbers, channels, laid.inner.right + x))
        if laid.caption:
            texts.append(("", laid.caption[1].move_by(x, y)))
    return route_links(plan, sites, outlines, texts, columns)


def _wrap_caption(plan: LayoutAttempt, caption: str, wide: float) -> tuple[TextExtent, float]:
    """Return the size of a caption, and the width in cm at which it wraps, 0 if it does not.

    If the figure has a width, captions of panels side by side do not divide that width among themselves.
    """
    if plan.figure.width is None or "\n" in caption:
        return plan.measure(caption), 0.0
    room = wide if plan.figure.abreast > 1 else width_in_cm(plan.figure.width) - 2 * MARGIN
    return set_within(plan, caption, max(room - 2 * INNER, _LEAST_CAPTION_CM))


def _shift_beside(parts: list[tuple[PlacedPart, Length, Length]], piece: PlacedPart) -> tuple[Length, Length]:
    """Return the shift that places a part right of the others: middles aligned.

    A part whose time runs up is aligned at the bottom if the first part has no time axis.
    """
    if not parts:
        return ZERO, ZERO
    first, last = parts[0], parts[-1]
    x = last[1] + last[0].extent.right + make_length("panelsep") - piece.extent.left
    if piece.axes == "up" and not first[0].axes:
        return x, first[0].extent.bottom
    middle = (first[0].extent.top + first[0].extent.bottom) * 0.5
    return x, middle - (piece.extent.top + piece.extent.bottom) * 0.5


def _shift_below(
    parts: list[tuple[PlacedPart, Length, Length]], piece: PlacedPart, longer: Length
) -> tuple[Length, Length]:
    """Return the shift that places a part below the others, middles aligned, as if it were longer by `longer`."""
    if not parts:
        return ZERO, ZERO
    (first, x, _), (last, _, y) = parts[0], parts[-1]
    middle = x + (first.extent.left + first.extent.right) * 0.5
    down = y + last.extent.bottom - _make_channel_gap() - piece.extent.top
    return middle - (piece.extent.left + piece.extent.right + longer) * 0.5, down


def _compute_missing_length(plan: LayoutAttempt, panel: Panel, index: int) -> Length:
    """Return by how much the longest timeline of all panels exceeds this one: all of them begin at one x."""
    lengths = {
        (one.id, place): kind_of(part).length(plan, one, place, part)
        for one in plan.figure.panels
        for place, part in enumerate(one.content)
    }
    mine = lengths[panel.id, index]
    if mine is None:
        return ZERO
    return make_length("timeunit", max(length for length in lengths.values() if length is not None) - mine)


def _make_channel_gap() -> Length:
    """Return the gap between parts of a column, which contains their links."""
    return make_length("panelsep", 0.6) + 0.3


def _move_panel(panel: _Laid, x: Length, y: Length, *, alone: bool) -> list[Item]:
    """Return the items of a panel at its position, in scopes if they need an origin or axes."""
    items: list[Item] = []
    for piece, dx, dy in panel.parts:
        place = x + dx, y + dy
        if alone and len(panel.parts) == 1 and not piece.axes:
            items.extend(piece.items)
            continue
        comment = piece.kind if alone else f"panel {panel.panel.id}: {piece.kind}"
        items.append(ScopeItem(comment, piece.items, *place, axes=piece.axes, kind=piece.kind))
    if panel.caption:
        caption, _ = panel.caption
        items.append(replace(caption, x=caption.x + x, y=caption.y + y))
    return items


def _link_ends(plan: LayoutAttempt, panel: Panel) -> Iterator[tuple[str, str]]:
    """Yield the ends of links in this panel by name, with their positions along it."""
    prefix = f"{panel.id}." if len(plan.figure.panels) > 1 else ""
    for link in plan.figure.links:
        for end in (link.source, link.target):
            address = read_address(end)
            if address.name.startswith(prefix):
                yield address.base.removeprefix(prefix), address.along
