"""Spans and bubbles (idle time) as bars, on the frames behind them."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.attempt import Plan
from tikzgen.layout.cell_texts import bubble_stems, bubbles, cell_stem, half_stem, remark
from tikzgen.layout.chart import Chart
from tikzgen.layout.items import Item
from tikzgen.layout.length import number
from tikzgen.layout.numbers import Digits, Numbers
from tikzgen.layout.timeline.directions import spot
from tikzgen.layout.timeline.fit_labels import chosen, extent, fitted, fitted_half, is_level
from tikzgen.layout.timeline.timeline_items import Bar, HalfBar, Label, Rectangle
from tikzgen.model.timeline_parts import Half, Span

__all__ = ["bars", "frames", "idle_bars", "span_bars", "torn"]

_BESIDE = 0.06  # cm between a bubble's label and its ends, on each side


def frames(chart: Chart) -> Iterator[Item]:
    """The boxes behind the spans of a period."""
    for frame in chart.part.frames:
        middle, many = chart.middle(frame.lanes)
        low, high = number(middle - many / 2), number(middle + many / 2)
        yield Rectangle(chart.clock.spelt(frame.start), low, chart.clock.spelt(frame.end), high)


def span_bars(plan: Plan, chart: Chart) -> Iterator[Bar]:
    """One bar a span, with the text that fits; those with a heavy border last, so that no neighbour covers it."""
    found = list(bars(plan, chart))
    yield from (bar for bar in found if not (bar.heavy or bar.fault))
    yield from (bar for bar in found if bar.heavy or bar.fault)


def idle_bars(plan: Plan, chart: Chart) -> Iterator[Bar]:
    """One bar a bubble, with its label where that fits."""
    for (bubble, name), stem in zip(bubbles(chart.part), bubble_stems(chart.part, chart.mark), strict=True):
        length = chart.clock.at(bubble.end) - chart.clock.at(bubble.start)
        text = size = ""
        if bubble.label:
            across, along = extent(plan, 1, float(length))
            text, size = chosen(plan, chart, stem, bubble.label, "", (along - 2 * _BESIDE, across - _BESIDE))
        yield Bar(
            name=plan.name(chart.panel, name),
            phase="idle",
            start=chart.clock.spelt(bubble.start),
            duration=number(float(length), 4),
            lane=chart.place[bubble.lane],
            lanes=1,
            text=text,
            size=size,
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
        text, size = ("", "") if _apart(chart, span) else fitted(plan, chart, span, stem)
        digit = ""
        share = 1.0 - float(span.second.share) if span.second else 1.0
        if span.number is not None and not span.label:
            text, digit, size = _digits(plan, numbers.digits, span, length * share, len(span.lanes))
        yield Bar(
            name=plan.name(chart.panel, name),
            phase=span.phase,
            start=chart.clock.spelt(span.start),
            duration=number(length, 4),
            lane=middle,
            lanes=many,
            text=text,
            number=digit,
            size=size,
            level=is_level(plan, chart.part, span),
            chunk=span.chunk or numbers.chunk(span.phase, span.number),
            second=_second(plan, chart, numbers, span, name) if span.second else None,
            fault=bool(span.fault),
            heavy=name in critical,
            slide=span.slide or 0,
            lines=bool(text) and "\n" in span.label,
            comment=remark(span.fault),
        )


def _apart(chart: Chart, span: Span) -> bool:
    """Whether a span's label stands by itself: at the middle of a torn span it would be torn, too."""
    return bool(span.label) and span.second is None and chart.torn(span)


def torn(plan: Plan, chart: Chart) -> Iterator[Label]:
    """The labels of the spans that a break tears, each on the longest stretch that is left of its span."""
    for span, stem in zip(chart.part.spans, chart.stems, strict=True):
        if not _apart(chart, span):
            continue
        text, size = fitted(plan, chart, span, stem)
        if text:
            low, high = chart.clock.clear(span.start, span.end)
            middle, _ = chart.middle(span.lanes)
            place = spot(chart, number(float(low + high) / 2, 4), middle)
            along = not is_level(plan, chart.part, span)
            yield Label((text,), place, styles=("inner sep=0pt",), size=size, along=along)


def _second(plan: Plan, chart: Chart, numbers: Numbers, span: Span, name: str) -> HalfBar | None:
    """The second part of a fused span, with its own text."""
    half = span.second
    if half is None:
        return None
    share = float(half.share)
    text, size = fitted_half(plan, chart, span, half, half_stem(name))
    digit = ""
    if half.number is not None and not half.label:
        text, digit, size = _digits(plan, numbers.digits, half, chart.length(span) * share, len(span.lanes))
    chunk = half.chunk or numbers.chunk(half.phase, half.number)
    return HalfBar(half.phase, number(share, 4), text, digit, size, chunk, bool(text) and "\n" in half.label)


def _digits(plan: Plan, sizes: Digits, cell: Span | Half, length: float, lanes: int) -> tuple[str, str, str]:
    """The macro, the number and the size of a cell's number, empty where it has none."""
    size = sizes.size(cell.phase, length, lanes)
    if not size:
        return "", "", ""
    return plan.labels.macro("", cell_stem(cell.phase)), str(cell.number), "" if size == plan.size else number(size)
