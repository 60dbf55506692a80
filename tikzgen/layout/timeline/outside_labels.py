"""Labels that no size makes fit into their spans: a few of them stand beside the lanes, on a thin line."""

from __future__ import annotations

from tikzgen.base.record import Record
from tikzgen.layout.attempt import Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.timeline.directions import Side
from tikzgen.layout.timeline.fit_labels import fitted
from tikzgen.model.timeline_parts import Span
from tikzgen.text import Text

__all__ = ["Moved", "moved"]

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
        if span.label and not span.slide and not fitted(plan, chart, span, stem)[0]:
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
