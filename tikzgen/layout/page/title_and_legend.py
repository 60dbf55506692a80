"""Title and legend: the content above or below all panels. Legend entries are in rows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import ceil, inf

from tikzgen.base.plane import CM_PER_PT
from tikzgen.base.record import Record, replace
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.constants import ENTRY_GAP, GAP_PT, INNER, MARGIN, SAMPLE, SIGN, SWATCH, TITLE_GAP
from tikzgen.layout.label_lines import set_within
from tikzgen.layout.layout_kinds import phases_with_text
from tikzgen.layout.scene.items import Item, LegendEntryItem, LegendItem, TitleItem
from tikzgen.layout.scene.legend_entries import legend_entries
from tikzgen.layout.symbolic_lengths import Length, SymbolicBox, union
from tikzgen.model.looks import TEXT_WIDE, width_in_cm
from tikzgen.text import TextSize as TextExtent
from tikzgen.text import fill_placeholders

LEGEND_GAP = 0.22  # cm between the panels and the content above or below them


def add_title_and_legend(
    plan: LayoutAttempt, items: list[Item], extent: SymbolicBox, axis: Length | None, edge: Length | None
) -> tuple[SymbolicBox, SymbolicBox]:
    """Add the legend, aligned with the left `edge` of the lanes if any, and the title.

    All rows of the legend begin at one position. Return the extent, and the extent below the title, which follows it.
    """
    figure, values = plan.figure, plan.values
    middle = axis or (extent.left + extent.right) * 0.5
    rows = _legend_rows(plan, extent.measure_width(values)) if figure.legend.position != "none" else []
    if figure.legend.position == "top":
        rows.reverse()  # rows are added from the panels outwards
    beginning = (
        _left_of_rows(plan, extent, edge, max(row.widest for row in rows)) if rows and edge is not None else None
    )
    left = beginning or middle - max((row.half for row in rows), default=0.0)
    for row in rows:
        right = left + 2 * row.half
        if figure.legend.position == "top":
            y = extent.top + LEGEND_GAP + row.tall
            extent = union([extent, SymbolicBox(left, extent.bottom, right, y + row.tall)], values)
        else:
            y = extent.bottom - LEGEND_GAP - row.tall
            extent = union([extent, SymbolicBox(left, y - row.tall, right, extent.top)], values)
        items.append(LegendItem(left, y, row.entries))
    below = extent
    if figure.title and figure.style.titles:
        macro = plan.labels.find_macro("", "titlelabel")
        room = _measure_title_room(plan, extent, middle) if plan.limit else inf
        size, wrap = set_within(plan, figure.title, room, bold=True, size=title_size(plan.size))
        height = ceil((size.total + 2 * MARGIN) * 100) / 100
        top = extent.top + TITLE_GAP + height
        half = size.width / 2
        items.append(TitleItem(macro, middle - (extent.left + extent.right) * 0.5, wrap and room))
        extent = union([extent, SymbolicBox(middle - half, extent.bottom, middle + half, top)], values)
    return extent, below


def _left_of_rows(plan: LayoutAttempt, extent: SymbolicBox, edge: Length, wide: float) -> Length:
    """Return the left end of all rows: the lanes' left edge, or left of it if the legend is too wide."""
    over = edge.compute_cm(plan.values) + wide - extent.right.compute_cm(plan.values)
    if over <= 0:
        return edge
    return extent.left if over >= (edge - extent.left).compute_cm(plan.values) else edge - over


def _measure_title_room(plan: LayoutAttempt, extent: SymbolicBox, middle: Length) -> float:
    """Return the maximum width in cm of a title centered on `middle`, within the width limit."""
    inner = plan.limit - 2 * MARGIN
    at = middle.compute_cm(plan.values)
    farther = max(at - extent.left.compute_cm(plan.values), extent.right.compute_cm(plan.values) - at)
    nearer = extent.measure_width(plan.values) - farther
    # The figure grows only by the overhang over the nearer edge, until the title also passes the opposite edge.
    return inner if farther <= inner / 2 else max(2 * (inner - farther), 2 * nearer)


def title_size(size: float) -> float:
    r"""Return the title's size in pt for labels of `size` pt: two sizes up.

    This is the relation of \normalsize to \footnotesize.
    """
    return _TITLE[int(size)]


_TITLE = {10: 12, 9: 10, 8: 10, 7: 9, 6: 8}


_GAP = GAP_PT * CM_PER_PT  # cm between two swatches
_OUTER_SEP_CM = 0.0141  # cm of outer sep at both sides of a label: half a line each, as for every TikZ node (0.4 pt)
_ENTRY_HEIGHT_EM = 0.98  # em: minimum height of an entry, above and below its baseline
_HEIGHT = 0.95  # em above the baseline of a line of text; the next value is below it
_DEPTH = 0.3  # em
_WIDER_FONT_SHARE = (
    0.12  # share by which labels may be wider in a paper: in Helvetica, or in the next size up, which some classes use
)


class _Row(Record):
    """A row of entries: half its width and half its height in cm, and its width in a wider font."""

    entries: tuple[LegendEntryItem, ...]
    half: float
    tall: float
    widest: float


def _legend_rows(plan: LayoutAttempt, wide: float) -> list[_Row]:
    """Return the rows of the legend, top to bottom: one, unless it is wider than the page and the panels."""
    found = [(replace(entry, tall=_is_tall(plan, text)), text) for entry, text in _iterate_legend_entries(plan)]
    if not found:
        return []
    limit = width_in_cm(plan.figure.width) - 2 * MARGIN if plan.figure.width else max(wide, TEXT_WIDE)
    line = _ENTRY_HEIGHT_EM * plan.size * CM_PER_PT
    whole = _make_legend_row(found, line)
    if whole.widest <= max(limit, wide):
        return [whole]
    return _break_into_rows(found, limit, line)


def _is_tall(plan: LayoutAttempt, text: TextExtent) -> bool:
    """Return whether a label is taller than one line: a formula, or several lines."""
    em = plan.size * CM_PER_PT
    return text.height > _HEIGHT * em or text.depth > _DEPTH * em


def _break_into_rows(found: Sequence[tuple[LegendEntryItem, TextExtent]], limit: float, line: float) -> list[_Row]:
    """Break entries into rows: as few, and as short, as the limit allows. A single entry may be longer."""
    rows = _fill_rows(found, limit, line)
    some = (_make_legend_row(found[first:last], line) for first, last in combinations(range(len(found) + 1), 2))
    widths = sorted(row.widest for row in some if row.widest <= limit)
    enough = bisect_left(widths, True, key=lambda width: len(_fill_rows(found, width, line)) <= len(rows))
    return _fill_rows(found, widths[enough], line) if enough < len(widths) else rows


def _fill_rows(found: Sequence[tuple[LegendEntryItem, TextExtent]], limit: float, line: float) -> list[_Row]:
    """Fill each row with entries up to the limit, at least one."""
    rows: list[list[tuple[LegendEntryItem, TextExtent]]] = [[]]
    for entry in found:
        if rows[-1] and _make_legend_row([*rows[-1], entry], line).widest > limit:
            rows.append([])
        rows[-1].append(entry)
    return [_make_legend_row(row, line) for row in rows]


def _make_legend_row(found: Sequence[tuple[LegendEntryItem, TextExtent]], line: float) -> _Row:
    half = sum(_measure_entry_width(entry, text) for entry, text in found) / 2 + ENTRY_GAP * (len(found) - 1) / 2
    # Wrapped labels are taller than their swatches.
    tall = max(SWATCH / 2, line / 2, *(text.total / 2 for _, text in found))
    return _Row(
        tuple(entry for entry, _ in found),
        half,
        tall,
        2 * half + _WIDER_FONT_SHARE * sum(text.width for _, text in found),
    )


def _measure_entry_width(entry: LegendEntryItem, text: TextExtent) -> float:
    many = len(entry.swatches)
    if entry.line or entry.sign:
        return (SAMPLE if entry.line else SIGN) + text.width + 2 * INNER + _OUTER_SEP_CM
    return SWATCH * many + _GAP * max(many - 1, 0) + text.width + 2 * INNER + _OUTER_SEP_CM


def _iterate_legend_entries(plan: LayoutAttempt) -> Iterator[tuple[LegendEntryItem, TextExtent]]:
    bands = [numbers.bands for numbers in plan.numbers.values() if numbers.bands]
    with_text = [*phases_with_text(plan)]
    for slot, entry in legend_entries(plan.figure, plan.timelines.values(), plan.icons, bands, with_text):
        macro = plan.labels.find_macro("", slot.stem)
        if macro and (entry.number or not slot.numbered):
            text = fill_placeholders(slot.text, n=entry.number) if slot.numbered else slot.text
            yield replace(entry, text=macro), plan.measure(text)
