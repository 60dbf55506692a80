"""Labels that no size makes fit into their spans: a few stand beside the lanes, on a thin line; others are left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.base.record import Record
from tikzgen.layout.attempt import Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.items import Note
from tikzgen.layout.timeline.directions import Side
from tikzgen.layout.timeline.fit_labels import fitted
from tikzgen.layout.timeline.spans import torn
from tikzgen.layout.timeline.timeline_items import Bar
from tikzgen.model.timeline_parts import Span
from tikzgen.text import Text

_MOST = 6  # more lines than these would hide what they explain: then none is drawn


class Moved(Record):
    """A label beside the lanes, with the span that it belongs to."""

    span: Span
    side: Side
    text: Text
    macro: str


def moved(plan: Plan, chart: Chart) -> tuple[Moved, ...]:
    """The labels to move out: those whose line to the edge of the lanes crosses no other span."""
    found: list[tuple[Span, str]] = []
    for span, stem in zip(chart.part.spans, chart.stems, strict=True):
        if span.label and not span.slide and not fitted(plan, chart, span, stem).macro:
            found.append((span, plan.labels.macro(chart.panel, stem + "text")))
            if len(found) > _MOST:
                return ()
    sides = [(span, _side(chart, span), macro) for span, macro in found]
    return tuple(Moved(span, side, span.label, macro) for span, side, macro in sides if side)


def _side(chart: Chart, span: Span) -> Side | None:
    """The side that a line from the span's middle reaches without crossing another span, the nearer one first."""
    rows = [chart.place[lane] for lane in span.lanes]
    middle = (span.start + span.end) / 2
    above, below = False, bool(chart.strips)
    for other in chart.part.spans:
        if other.start < middle < other.end:
            row = chart.place[other.lanes[0]]
            above |= row < min(rows)
            below |= row > max(rows)
    sides: tuple[Side, Side] = (
        ("before", "after") if sum(rows) / len(rows) <= (chart.rows - 1) / 2 else ("after", "before")
    )
    return next((side for side in sides if not (above if side == "before" else below)), None)


def omitted(plan: Plan, chart: Chart, idle: Sequence[Bar], bars: Sequence[Bar]) -> Iterator[Note]:
    """What the file and the person who renders it should know: how many labels of bubbles and spans are left out."""
    spans = list(zip(chart.part.spans, bars, strict=True))
    lost = sum(bool(span.label) and not bar.text for span, bar in spans)
    if lost:
        lost -= len(moved(plan, chart)) + sum(1 for _ in torn(plan, chart))
    lost += sum(bool(span.second.label) and not bar.second.text for span, bar in spans if span.second and bar.second)
    lost += sum(bool(bubble.label) and not bar.text for bubble, bar in zip(chart.part.bubbles, idle, strict=True))
    if lost:
        what = "1 label fits neither its place" if lost == 1 else f"{lost} labels fit neither their places"
        yield Note(f"{what} nor beside the lanes, and {'is' if lost == 1 else 'are'} left out", is_remark=True)
