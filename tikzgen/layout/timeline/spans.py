"""Spans and bubbles (idle time) as bars, on the frames behind them, with the labels outside that belong to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.base.record import Record
from tikzgen.layout.cell_texts import bubbles, numbered, remark
from tikzgen.layout.items import Item, Note
from tikzgen.layout.lengths import number
from tikzgen.layout.plan import Plan
from tikzgen.layout.timeline.directions import Side, spot
from tikzgen.layout.timeline.fit_labels import cell_size, chosen, fitted, is_level
from tikzgen.layout.timeline.timeline_items import NO_CELL_TEXT, Bar, CellText, HalfBar, Label, Rectangle
from tikzgen.layout.timeline_facts import Chart
from tikzgen.model.timeline_marks import Bubble
from tikzgen.model.timeline_parts import Half, Span
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
    for index, span in enumerate(chart.part.spans):
        if span.label and not span.slide and not fitted(plan, chart, index).macro:
            found.append((span, plan.labels.of(*chart.at, "spans", index, "label")))
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


def omitted(chart: Chart, idle: Sequence[Bar], bars: Sequence[Bar], elsewhere: int) -> Iterator[Note]:
    """What the file and the person who renders it should know: how many labels of bubbles and spans are left out.

    So many of the labels that are not in their spans stand `elsewhere`.
    """
    spans = list(zip(chart.part.spans, bars, strict=True))
    held: list[tuple[Span | Half | Bubble, Bar | HalfBar]] = [*spans, *zip(chart.part.bubbles, idle, strict=True)]
    held += [(span.second, bar.second) for span, bar in spans if span.second and bar.second]
    lost = sum(bool(part.label) and not bar.said.macro for part, bar in held) - elsewhere
    if lost:
        what = "1 label fits neither its place" if lost == 1 else f"{lost} labels fit neither their places"
        yield Note(f"{what} nor beside the lanes, and {'is' if lost == 1 else 'are'} left out", is_remark=True)


_BESIDE = 0.06  # cm between a bubble's label and its ends, on each side


def frames(chart: Chart) -> Iterator[Item]:
    """The boxes behind the spans of a period."""
    for frame in chart.part.frames:
        middle, many = chart.middle(frame.lanes)
        corner = spot(chart, chart.clock.spelt(frame.start), middle - many / 2)
        yield Rectangle(("frame",), corner, spot(chart, chart.clock.spelt(frame.end), middle + many / 2))


def idle_bars(plan: Plan, chart: Chart) -> Iterator[Bar]:
    """One bar a bubble, with its label where that fits."""
    for index, (bubble, name) in enumerate(bubbles(chart.part)):
        length = chart.clock.at(bubble.end) - chart.clock.at(bubble.start)
        across, along = cell_size(plan, 1, float(length))
        said = chosen(plan, (*chart.at, "bubbles", index), bubble.label, "", (along - 2 * _BESIDE, across - _BESIDE))
        yield Bar(
            name=plan.name(chart.panel, name),
            phase="idle",
            start=chart.clock.spelt(bubble.start),
            duration=number(float(length), 4),
            lane=chart.place[bubble.lane],
            lanes=1,
            said=said,
            slide=bubble.slide or 0,
            idle=True,
            comment=remark(bubble.cause),
        )


def bars(plan: Plan, chart: Chart) -> Iterator[Bar]:
    """The bars of all spans, in their order."""
    critical = set(chart.part.critical)
    for index, (span, name) in enumerate(zip(chart.part.spans, chart.names, strict=True)):
        middle, many = chart.middle(span.lanes)
        length = chart.length(span)
        yield Bar(
            name=plan.name(chart.panel, name),
            phase=span.phase,
            start=chart.clock.spelt(span.start),
            duration=number(length, 4),
            lane=middle,
            lanes=many,
            said=_said(plan, chart, index, span),
            level=is_level(plan, chart.part, span),
            chunk=plan.numbers[chart.key].chunk(span),
            second=_second(plan, chart, index, span.second) if span.second else None,
            fault=bool(span.fault),
            heavy=name in critical,
            slide=span.slide or 0,
            comment=remark(span.fault),
            arrow=span.shape == "arrow",
            full=float(span.occupancy),
        )


def _apart(chart: Chart, span: Span) -> bool:
    """Whether a span's label stands by itself: at the middle of a torn span it would be torn, too."""
    return bool(span.label) and span.second is None and chart.torn(span)


def torn(plan: Plan, chart: Chart) -> Iterator[tuple[Span, CellText, float]]:
    """The labels of the spans that a break tears, each with the middle of the longest stretch left of its span."""
    for index, span in enumerate(chart.part.spans):
        if _apart(chart, span) and (said := fitted(plan, chart, index)).macro:
            low, high = chart.clock.clear(span.start, span.end)
            yield span, said, float(low + high) / 2


def torn_labels(plan: Plan, chart: Chart, found: Sequence[tuple[Span, CellText, float]]) -> Iterator[Label]:
    """The same as they are drawn."""
    for span, said, middle in found:
        place = spot(chart, number(middle, 4), chart.middle(span.lanes)[0])
        along = not is_level(plan, chart.part, span)
        yield Label((said.macro,), place, styles=("inner sep=0pt",), size=said.size, along=along)


def _second(plan: Plan, chart: Chart, index: int, half: Half) -> HalfBar:
    """The second part of a fused span, with its own text."""
    chunk = plan.numbers[chart.key].chunk(half)
    return HalfBar(half.phase, number(float(half.share), 4), _said(plan, chart, index, half), chunk)


def _said(plan: Plan, chart: Chart, index: int, part: Span | Half) -> CellText:
    """What stands in a span or in its second half: its label or its number."""
    if part.label or part.number is None:
        half = part if isinstance(part, Half) else None
        return NO_CELL_TEXT if _apart(chart, chart.part.spans[index]) else fitted(plan, chart, index, half)
    found = plan.numbers[chart.key]
    if part.phase not in found.phases:
        return NO_CELL_TEXT
    macro = plan.labels.of("phases", part.phase, "cell")
    text = numbered(plan.figure.phase(part.phase).cell, part.number)
    return CellText(macro, "" if found.size == plan.size else number(found.size), text, str(part.number))
