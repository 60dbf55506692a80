"""Spans and bubbles (idle time) as bars, the frames around them, and their areas on the lanes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from tikzgen.base.plane import CM_PER_PT, Box
from tikzgen.layout.constants import GAP_PT
from tikzgen.layout.scene.items import Item, NoteItem
from tikzgen.layout.symbolic_lengths import ZERO, make_length, number
from tikzgen.layout.time.cell_texts import format_comment, name_bubbles
from tikzgen.layout.time.labels_beside_arrows import LaneOnPaper
from tikzgen.layout.time.timed_items import LabelItem, PathItem, RectangleItem
from tikzgen.layout.timeline.marks.strips import strip_numbers
from tikzgen.layout.timeline.span_labels import cell_size, choose_label, fit_label, is_level
from tikzgen.layout.timeline.timeline_items import NO_CELL_TEXT, CellText, HalfBar, SpanItem
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper
from tikzgen.model.timeline import Bubble, Half, Span
from tikzgen.text import fill_number

_ARROW_TIP_CM = 0.18  # cm of the tip of a span with an arrow shape
_MOST_NAMED_LABELS_COUNT = 3  # omitted labels that a note names
_VISIBLE_SHIFT_CM = 0.04  # visible distance in cm between the baselines of two labels of a lane
_BUBBLE_MARGIN = 0.06  # cm between a bubble's label and its ends, on each side


def note_omitted(
    facts: TimelineOnPaper, idle: Sequence[SpanItem], bars: Sequence[SpanItem], elsewhere: Iterable[Span]
) -> Iterator[NoteItem]:
    """Yield a note that names omitted labels of bubbles and spans.

    Labels of the spans in `elsewhere` are not omitted.
    """
    moved = {id(span) for span in elsewhere}
    lost = []
    for span, name, bar in zip(facts.part.spans, facts.names, bars, strict=True):
        lost += [name] if span.label and not bar.said.macro and id(span) not in moved else []
        lost += [f"{name} (its second half)"] if _is_mute(span.second, bar.second) else []
    lost += [name for (bubble, name), bar in zip(name_bubbles(facts.part), idle, strict=True) if _is_mute(bubble, bar)]
    if lost:
        count = len(lost)
        what = "1 label does not fit and is" if count == 1 else f"{count} labels do not fit and are"
        which = ", ".join(lost[:_MOST_NAMED_LABELS_COUNT]) + (
            f" and {count - _MOST_NAMED_LABELS_COUNT} more" if count > _MOST_NAMED_LABELS_COUNT else ""
        )
        yield NoteItem(f"{what} left out: {which} (set a larger width, or shorter labels)", is_remark=True)


def _is_mute(part: Half | Bubble | None, bar: SpanItem | HalfBar | None) -> bool:
    """Return whether a part has a label, but its bar does not show it."""
    return bool(part and bar and part.label and not bar.said.macro)


def draw_period_frames(facts: TimelineOnPaper) -> Iterator[Item]:
    """Yield the boxes behind the spans of a period."""
    for frame in facts.part.frames:
        middle, many = facts.measure_lanes(frame.lanes)
        corner = facts.make_point(frame.start, middle - many / 2)
        yield RectangleItem(("frame",), corner, facts.make_point(frame.end, middle + many / 2))


def draw_arrow_outlines(facts: TimelineOnPaper) -> Iterator[Item]:
    """Yield the outlines of arrow-shaped spans in the styles of their phases; their nodes have no fill."""
    half_gap = GAP_PT * CM_PER_PT / 2
    for span in facts.part.spans:
        if span.shape != "arrow":
            continue
        middle, many = facts.measure_lanes(span.lanes)
        half = make_length("laneheight", many / 2) + make_length("lanesep", (many - 1) / 2) - half_gap
        back = min(_ARROW_TIP_CM, facts.clock.measure_span(span) * facts.plan.values["timeunit"] / 2)
        start, end = facts.clock.spell_moment(span.start), facts.clock.spell_moment(span.end)
        corners = (
            (start, half_gap, half * -1),
            (end, -back, half * -1),
            (end, -half_gap, ZERO),
            (end, -back, half),
            (start, half_gap, half),
        )
        spots = tuple(facts.make_point(time, middle, along, off) for time, along, off in corners)
        chunk = facts.numbers.choose_chunk(span)
        yield PathItem((), spots, closed=True, phase=(span.phase, chunk), slide=span.slide or 0, known=start)


def idle_bars(facts: TimelineOnPaper) -> Iterator[SpanItem]:
    """Yield a bar for each bubble, with its label if that fits."""
    for index, (bubble, name) in enumerate(name_bubbles(facts.part)):
        length = facts.clock.locate_moment(bubble.end) - facts.clock.locate_moment(bubble.start)
        across, along = cell_size(facts, 1, float(length))
        said, level = NO_CELL_TEXT, False
        for upright in (True, False)[not facts.is_upright :]:
            wide, high = (across, along) if upright else (along, across)
            room = wide - 2 * _BUBBLE_MARGIN, high - _BUBBLE_MARGIN
            if not said.macro:
                said, level = fit_label(facts, ("bubbles", index), bubble.label, "", room), upright
        yield SpanItem(
            name=facts.name(name),
            phase="idle",
            start=facts.clock.spell_moment(bubble.start),
            duration=number(float(length), 4),
            lane=facts.place[bubble.lane],
            lanes=1,
            said=said,
            level=level,
            slide=bubble.slide or 0,
            idle=True,
            comment=format_comment(bubble.cause),
        )


def make_span_bars(facts: TimelineOnPaper) -> Iterator[SpanItem]:
    """Yield a bar for each span, in order."""
    critical = set(facts.part.critical)
    alike: dict[tuple[object, ...], tuple[CellText, bool, int]] = {}  # texts, directions and shades of numbered spans
    spelled: dict[float, str] = {}
    for index, (span, name) in enumerate(zip(facts.part.spans, facts.names, strict=True)):
        lanes = span.lanes
        middle, many = (facts.place[lanes[0]], 1.0) if len(lanes) == 1 else facts.measure_lanes(lanes)
        length = facts.clock.measure_span(span)
        if length not in spelled:
            spelled[length] = number(length, 4)
        whole = (length, span.second.share) if span.second else length
        look = (span.phase, span.number, span.chunk, many > 1, span.short, whole) if not span.label else (index,)
        if look not in alike:
            alike[look] = _text_in_span(facts, index, span), is_level(facts, span), facts.numbers.choose_chunk(span)
        said, level, chunk = alike[look]
        yield SpanItem(
            name=facts.name(name),
            phase=span.phase,
            start=facts.clock.spell_moment(span.start),
            duration=spelled[length],
            lane=middle,
            lanes=many,
            said=said,
            level=level,
            chunk=chunk,
            second=_make_second_half(facts, index, span.second) if span.second else None,
            fault=bool(span.fault),
            heavy=name in critical,
            slide=span.slide or 0,
            comment=format_comment(span.fault),
            arrow=span.shape == "arrow",
            full=float(span.occupancy),
        )


def are_uneven(facts: TimelineOnPaper, drawn: Sequence[SpanItem]) -> bool:
    """Return whether centered labels of a lane differ in baseline; False if any label has several lines."""
    found: dict[tuple[float, str], list[float]] = defaultdict(list)
    for bar in drawn:
        for said in (bar.said, bar.second.said if bar.second else NO_CELL_TEXT):
            if said.lines:
                return False
            if said.reads:
                text = facts.plan.measure(said.reads, size=float(said.size) if said.size else None)
                found[bar.lane, said.size].append((text.height - text.depth) / 2)
    return any(max(offs) - min(offs) > _VISIBLE_SHIFT_CM for offs in found.values())


def _label_is_separate(facts: TimelineOnPaper, span: Span) -> bool:
    """Return whether a span's label is a separate item, because a break would cut it."""
    return bool(span.label) and span.second is None and facts.has_break(span)


def find_loose_labels(facts: TimelineOnPaper) -> Iterator[tuple[Span, CellText, float]]:
    """Yield labels that are rotated, or whose spans have a break, with the middle of the longest part."""
    for index, span in enumerate(facts.part.spans):
        said = choose_label(facts, index) if span.label else NO_CELL_TEXT
        if said.macro and (said.turned or _label_is_separate(facts, span)):
            low, high = facts.clock.clear(span.start, span.end)
            yield span, said, float(low + high) / 2


def loose_labels(facts: TimelineOnPaper, found: Sequence[tuple[Span, CellText, float]]) -> Iterator[LabelItem]:
    """Yield the items of these labels."""
    for span, said, middle in found:
        place = facts.make_point(number(middle, 4), facts.measure_lanes(span.lanes)[0])
        along = is_level(facts, span) == said.turned
        ink = facts.plan.figure.phase(span.phase).text
        styles = ("inner sep=0pt", *(f"text={ink}" for _ in range(ink != "ink")))
        rotate = 90 if said.turned and facts.right else 0
        yield LabelItem((said.macro,), place, styles=styles, size=said.size, along=along and not rotate, rotate=rotate)


def _make_second_half(facts: TimelineOnPaper, index: int, half: Half) -> HalfBar:
    """Return the second part of a fused span, with its own label."""
    chunk = facts.numbers.choose_chunk(half)
    return HalfBar(half.phase, number(float(half.share), 4), _text_in_span(facts, index, half), chunk)


def _text_in_span(facts: TimelineOnPaper, index: int, part: Span | Half) -> CellText:
    """Return the text in a span or its second half: its label or its number."""
    if part.label or part.number is None:
        half = part if isinstance(part, Half) else None
        said = choose_label(facts, index, half)
        return NO_CELL_TEXT if said.turned or _label_is_separate(facts, facts.part.spans[index]) else said
    found = facts.numbers
    if not found.has_room(part.phase, facts.measure_cell(facts.part.spans[index], part)):
        return NO_CELL_TEXT
    macro = facts.plan.labels.find_field_macro("phases", part.phase, "cell")
    text = fill_number(facts.plan.figure.phase(part.phase).cell, part.number)
    return CellText(macro, facts.plan.spelt_size(found.size), text, str(part.number))


def list_lanes_on_paper(facts: TimelineOnPaper) -> list[LaneOnPaper]:
    """Return the lanes of a timeline with their labels and periods, in order."""
    height, apart = facts.plan.values["laneheight"], facts.pitch
    texts: dict[str, list[Box]] = {lane.id: [] for lane in facts.part.lanes}
    periods: dict[str, list[tuple[float, float]]] = {lane.id: [] for lane in facts.part.lanes}
    loose = [place.measure_box(facts.plan.values) for place in strip_numbers(facts)]
    for _, lanes, box in text_boxes(facts):
        for lane in lanes:
            texts[lane].append(box)
        if len(lanes) > 1:
            loose.append(box)
    for span in facts.part.spans:
        period = facts.measure_time(span.start), facts.measure_time(span.end)
        for lane in span.lanes:
            periods[lane].append(period)
    nears = [facts.place[lane.id] * apart - height / 2 for lane in facts.part.lanes]
    nexts = [*nears[1:], facts.rows * apart - height / 2]
    return [
        LaneOnPaper(
            near,
            near + height,
            tuple(sorted(texts[lane.id])),
            tuple(sorted(periods[lane.id])),
            tuple(sorted(box for box in loose if box[1] < end and near + height < box[3])),
        )
        for lane, near, end in zip(facts.part.lanes, nears, nexts, strict=True)
    ]


def text_boxes(facts: TimelineOnPaper) -> Iterator[tuple[str, Sequence[str], Box]]:
    """Yield every label in a span or bubble: node name, lanes, and box in cm."""
    busy, idle = make_span_bars(facts), idle_bars(facts)
    bubbles = [((bubble.lane,), bar) for bubble, bar in zip(facts.part.bubbles, idle, strict=True)]
    for lanes, bar in (*((span.lanes, bar) for span, bar in zip(facts.part.spans, busy, strict=True)), *bubbles):
        start, length = float(bar.start), float(bar.duration)
        share = float(bar.second.share) if bar.second else 0.0
        halves = [(bar.said, (1 - share) / 2)] + ([(bar.second.said, 1 - share / 2)] if bar.second else [])
        for said, middle in halves:
            if said.macro:
                box = _place_label_box(facts, bar.lane, said, start + length * middle, level=bar.level)
                yield bar.name, lanes, box
    for span, said, middle in find_loose_labels(facts):
        level, lane = is_level(facts, span) != said.turned, facts.measure_lanes(span.lanes)[0]
        yield "", span.lanes, _place_label_box(facts, lane, said, middle, level=level)


def _place_label_box(facts: TimelineOnPaper, lane: float, said: CellText, along: float, *, level: bool) -> Box:
    """Return the box in cm of a label whose middle is at a drawn time, in time units."""
    found = facts.plan.measure(said.reads, size=float(said.size) if said.size else facts.plan.size)
    wide, high = found.width / 2, found.total / 2
    if facts.right and said.turned:
        wide, high = high, wide
    elif level:
        wide, high = facts.swap_axes(wide, high)
    middle = along * facts.plan.values["timeunit"]
    row = lane * facts.pitch
    return middle - wide, row - high, middle + wide, row + high
