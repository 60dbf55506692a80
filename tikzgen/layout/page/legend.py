"""The legend: which entries it has, and how they stand in rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.base.record import Record, replace
from tikzgen.layout.attempt import Plan
from tikzgen.layout.cell_texts import numbered
from tikzgen.layout.constants import ENTRY_GAP, INNER, MARGIN, SWATCH
from tikzgen.layout.items import Entry, shade
from tikzgen.layout.macros import used_phases
from tikzgen.layout.number_words import wordy
from tikzgen.model.widths import width_in_cm
from tikzgen.text import Extent

__all__ = ["Row", "legend_rows"]

_EDGE = 0.0176  # cm by which its outline makes a swatch wider (0.5 pt)
_OUTER = 0.0141  # cm of outer sep at both sides of a text: half a line each, as every node of TikZ has it (0.4 pt)
_WIDEST = 17.8  # cm that a row takes where no width is given: a page's text
_HEIGHT, _DEPTH = 0.95, 0.3  # em that a line of text takes above and below its baseline
_PT = 0.0351459804  # cm


class Row(Record):
    """A row of entries: half its width, and half its height, in cm."""

    entries: tuple[Entry, ...]
    half: float
    tall: float


def legend_rows(plan: Plan, wide: float) -> list[Row]:
    """The rows of the legend, top to bottom: one, unless it is wider than the page or than what it explains."""
    found = [(replace(entry, tall=_tall(plan, text)), text) for entry, text in _entries(plan)]
    if not found:
        return []
    limit = width_in_cm(plan.figure.width) - 2 * MARGIN if plan.figure.width else max(wide, _WIDEST)
    whole = _row(found)
    if 2 * whole.half <= max(limit, wide):
        return [whole]
    many = int(2 * whole.half / max(limit, 1e-3)) + 1
    return _broken(found, limit, 2 * whole.half / many)


def _tall(plan: Plan, text: Extent) -> bool:
    """Whether a text is more than one line: a formula, or several lines."""
    em = plan.size * _PT
    return text.height > _HEIGHT * em or text.depth > _DEPTH * em


def _broken(found: Sequence[tuple[Entry, Extent]], limit: float, aim: float) -> list[Row]:
    """Rows of about equal length, none beyond the limit unless a single entry is."""
    rows: list[list[tuple[Entry, Extent]]] = [[]]
    for entry in found:
        longer = _row([*rows[-1], entry]).half * 2
        if rows[-1] and (longer > limit or _row(rows[-1]).half * 2 >= aim):
            rows.append([])
        rows[-1].append(entry)
    return [_row(row) for row in rows]


def _row(found: Sequence[tuple[Entry, Extent]]) -> Row:
    half = sum(_wide(entry, text) for entry, text in found) / 2 + ENTRY_GAP * (len(found) - 1) / 2
    # texts of several lines are taller than their swatches
    tall = max(SWATCH / 2, *((text.height + text.depth) / 2 for _, text in found))
    return Row(tuple(entry for entry, _ in found), half, tall)


def _wide(entry: Entry, text: Extent) -> float:
    return SWATCH * len(entry.swatches) + _EDGE * bool(entry.swatches) + text.width + 2 * INNER + _OUTER


def _entries(plan: Plan) -> Iterator[tuple[Entry, Extent]]:
    figure, labels = plan.figure, plan.labels
    if not plan.charts:
        return
    shown = used_phases(figure, plan.charts.values())
    banded = [numbers.bands for numbers in plan.numbers.values() if numbers.bands]
    for one in banded:
        for name in one.phases & shown.keys():
            shown[name] |= {0, 1}
    for name, chunks in shown.items():
        macro = labels.macro("", wordy(name) + "label")
        if macro:
            shades = tuple(shade(name, chunk) for chunk in sorted(chunks))
            yield Entry(name, macro, shades), plan.measure(figure.phase(name).label)
    macro = labels.macro("", "chunkslabel")
    if macro:
        yield Entry("chunks", macro), plan.measure(labels.text("", "chunkslabel"))
    for every in sorted({one.every for one in banded}):
        text = numbered(labels.text("", "bandslabel"), every)
        yield Entry(f"bands{every}", labels.macro("", "bandslabel"), number=str(every)), plan.measure(text)
    macro = labels.macro("", "invalidlabel")
    if macro:
        yield Entry("invalid", macro, ("fault",)), plan.measure(labels.text("", "invalidlabel"))
