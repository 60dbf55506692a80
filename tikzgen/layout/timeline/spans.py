"""Spans and bubbles (idle time) as bars, on the frames behind them, with the labels outside that belong to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.base.record import Record
from tikzgen.layout.attempt import Plan
from tikzgen.layout.cell_texts import bubble_stems, bubbles, cell_stem, half_stem, numbered, remark
from tikzgen.layout.chart import Chart
from tikzgen.layout.items import Item, Note
from tikzgen.layout.length import number
from tikzgen.layout.timeline.directions import Side, spot
from tikzgen.layout.timeline.fit_labels import Said, chosen, extent, fitted, is_level
from tikzgen.layout.timeline.timeline_items import Bar, HalfBar, Label, Rectangle
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


_BESIDE = 0.06  # cm between a bubble's label and its ends, on each side


def frames(chart: Chart) -> Iterator[Item]:
    """The boxes behind the spans of a period."""
    for frame in chart.part.frames:
        middle, many = chart.middle(frame.lanes)
        low, high = number(middle - many / 2), number(middle + many / 2)
        yield Rectangle(chart.clock.spelt(frame.start), low, chart.clock.spelt(frame.end), high)


def idle_bars(plan: Plan, chart: Chart) -> Iterator[Bar]:
    """One bar a bubble, with its label where that fits."""
    for (bubble, name), stem in zip(bubbles(chart.part), bubble_stems(chart.part, chart.mark), strict=True):
        length = chart.clock.at(bubble.end) - chart.clock.at(bubble.start)
        across, along = extent(plan, 1, float(length))
        said = chosen(plan, chart, stem, bubble.label, "", (along - 2 * _BESIDE, across - _BESIDE))
        yield Bar(
            name=plan.name(chart.panel, name),
            phase="idle",
            start=chart.clock.spelt(bubble.start),
            duration=number(float(length), 4),
            lane=chart.place[bubble.lane],
            lanes=1,
            text=said.macro,
            size=said.size,
            says=said.text,
            slide=bubble.slide or 0,
            idle=True,
            comment=remark(bubble.cause),
        )


def bars(plan: Plan, chart: Chart) -> Iterator[Bar]:
    """The bars of all spans, in their order."""
    numbers = plan.numbers[chart.key]
    critical = set(chart.part.critical)
    for span, name, stem in zip(chart.part.spans, chart.names, chart.stems, strict=True):
        middle, many = chart.middle(span.lanes)
        length = chart.length(span)
        said = _said(plan, chart, span, span, stem)
        yield Bar(
            name=plan.name(chart.panel, name),
            phase=span.phase,
            start=chart.clock.spelt(span.start),
            duration=number(length, 4),
            lane=middle,
            lanes=many,
            text=said.macro,
            number=said.number,
            size=said.size,
            says=said.text,
            level=is_level(plan, chart.part, span),
            chunk=span.chunk or numbers.chunk(span.phase, span.number),
            second=_second(plan, chart, span, span.second, name) if span.second else None,
            fault=bool(span.fault),
            heavy=name in critical,
            slide=span.slide or 0,
            lines=bool(said.macro) and "\n" in span.label,
            comment=remark(span.fault),
            arrow=span.shape == "arrow",
            full=float(span.occupancy),
        )


def _apart(chart: Chart, span: Span) -> bool:
    """Whether a span's label stands by itself: at the middle of a torn span it would be torn, too."""
    return bool(span.label) and span.second is None and chart.torn(span)


def torn(plan: Plan, chart: Chart) -> Iterator[tuple[Span, Said, float]]:
    """The labels of the spans that a break tears, each with the middle of the longest stretch left of its span."""
    for span, stem in zip(chart.part.spans, chart.stems, strict=True):
        if _apart(chart, span) and (said := fitted(plan, chart, span, stem)).macro:
            low, high = chart.clock.clear(span.start, span.end)
            yield span, said, float(low + high) / 2


def torn_labels(plan: Plan, chart: Chart) -> Iterator[Label]:
    """The same as they are drawn."""
    for span, said, middle in torn(plan, chart):
        place = spot(chart, number(middle, 4), chart.middle(span.lanes)[0])
        along = not is_level(plan, chart.part, span)
        yield Label((said.macro,), place, styles=("inner sep=0pt",), size=said.size, along=along)


def _second(plan: Plan, chart: Chart, span: Span, half: Half, name: str) -> HalfBar:
    """The second part of a fused span, with its own text."""
    share = float(half.share)
    said = _said(plan, chart, span, half, half_stem(name))
    chunk = half.chunk or plan.numbers[chart.key].chunk(half.phase, half.number)
    lines = bool(said.macro) and "\n" in half.label
    return HalfBar(half.phase, number(share, 4), said.macro, said.number, said.size, chunk, lines, said.text)


def _said(plan: Plan, chart: Chart, span: Span, part: Span | Half, stem: str) -> Said:
    """What stands in a span or in its second half: its label or its number."""
    if part.label or part.number is None:
        return Said() if _apart(chart, span) else fitted(plan, chart, span, stem, part if part is span.second else None)
    found = plan.numbers[chart.key]
    if part.phase not in found.phases:
        return Said()
    macro, text = (
        plan.labels.macro("", cell_stem(part.phase)),
        numbered(plan.figure.phase(part.phase).cell, part.number),
    )
    return Said(macro, "" if found.size == plan.size else number(found.size), text, str(part.number))
