"""Placement requests of marks next to the lanes (position, size, lines), and their rows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from tikzgen.base.record import Record, replace
from tikzgen.layout.time.part_with_time import Side
from tikzgen.layout.timeline.labels_outside_cells import NO_TEXT, Fitted, common_size, fit_text, fitted_at
from tikzgen.layout.timeline.marks.mark_layout import wants_of_packages
from tikzgen.layout.timeline.marks.pack_shelves import SHELF_TEXT_GAP, Put, Want, pack
from tikzgen.layout.timeline.span_labels import Moved, labels_to_move_out, side_of_event
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper
from tikzgen.model.timeline import Dimension

_SHELF_GAP = 0.05  # cm between the lanes and the first row of marks
RAIL_GAP = 0.12  # cm from a lane to the arrows between its own spans
BARRIER_REACH_SHARE = 0.15  # share of the lane distance: extent of barriers beyond the outermost lane


Key = tuple[str, int]
"""The kind of a mark, and its place in its list."""


class MarginShelf(Record):
    """Positions of marks, span labels among them (`moved`), and extents in cm beyond the outermost rows."""

    put: Mapping[Key, Put]
    moved: tuple[Moved, ...]
    before: float
    after: float


def place_margin_marks(facts: TimelineOnPaper, inset: float) -> MarginShelf:
    """Place all marks next to the lanes: first marks with lines to the lanes, then the others.

    `inset` is the space in cm that is already taken before the first lane.
    """
    labels = labels_to_move_out(facts)
    near, before = _place_on_side(facts, labels, "before", inset)
    far, after = _place_on_side(facts, labels, "after", 0.0)
    return MarginShelf({**near, **far}, labels, before, after)


def _place_on_side(
    facts: TimelineOnPaper, labels: Sequence[Moved], side: Side, inset: float
) -> tuple[dict[Key, Put], float]:
    """Place the marks on one side; return their positions and their extent in cm."""
    low, high = 0.0, float(facts.end) * facts.plan.values["timeunit"]
    first = base = _measure_shelf_base(facts, side) + inset
    found: dict[Key, Put] = {}
    for block in (_iterate_tied_wants(facts, labels, side), _iterate_brace_wants(facts, side)):
        placed, base = pack(list(block), base, low, high, tuple(found.values()))
        found.update(placed)
    if side == "before":
        return found, base if inset or found or _has_barriers(facts, side) or _has_rails(facts, side) else 0.0
    outside, end = pack(list(_axis_events(facts)), base, low, high)
    # Their lines lead to the axis outside, so the first marks are outermost.
    found.update(
        {key: replace(put, near=base + end - put.far, far=base + end - put.near) for key, put in outside.items()}
    )
    return found, end if end > first else 0.0


def _measure_shelf_base(facts: TimelineOnPaper, side: Side) -> float:
    return max(
        BARRIER_REACH_SHARE * facts.pitch if _has_barriers(facts, side) else _SHELF_GAP,
        RAIL_GAP + _SHELF_GAP if _has_rails(facts, side) else 0.0,
    )


def _has_rails(facts: TimelineOnPaper, side: Side) -> bool:
    """Return whether arrows between spans of the first lane run before it."""
    if side == "after" or not facts.part.dependencies:
        return False
    first = facts.part.lanes[0].id
    begin = {name for name, span in facts.spans.items() if span.lanes[0] == first}
    return any(part.source in begin and part.target in begin for part in facts.part.dependencies)


def _has_barriers(facts: TimelineOnPaper, side: Side) -> bool:
    ids = [lane.id for lane in facts.part.lanes]
    outermost = ids[0] if side == "before" else ids[-1]
    if side == "after" and facts.rows > facts.place[outermost] + 1:
        return False
    return any(not barrier.lanes or outermost in barrier.lanes for barrier in facts.part.barriers)


BRACE_HEIGHT = 0.2  # cm of a brace with the gap before it
DIMENSION_HEIGHT = 0.16  # cm of the line of a dimension
_REMARK_WIDTH = 3.2  # cm at which remarks wrap
_EVENT_TEXT_WIDTH = 2.5  # cm at which labels of events wrap
_BRACE_TEXT_WIDTH = 2.5  # cm at which level labels of vertical braces wrap
_DOT = Fitted("", 0.0, 0.0, 0.04)  # an event without a label
_BRACE_TEXT_MARGIN = 0.12  # cm between the label of a brace and the ends of its period


def _iterate_tied_wants(facts: TimelineOnPaper, labels: Sequence[Moved], side: Side) -> Iterator[Want]:
    """Yield the requests of marks with lines to the lanes."""
    for marks in (_iterate_dimension_wants, _iterate_barrier_wants, _iterate_event_wants):
        yield from marks(facts, side)
    yield from _iterate_label_wants(facts, labels, side)
    yield from _iterate_remark_wants(facts, side)
    yield from wants_of_packages(facts, side)


def text_inside(facts: TimelineOnPaper, part: Dimension) -> Fitted | None:
    """Return the label of a dimension inside its lane; None if it has no room there."""
    if part.lane is None or part.side is not None or not part.label:
        return None
    long, room = facts.measure_time(part.end) - facts.measure_time(part.start), 0.85 * facts.plan.values["laneheight"]
    texts = (fitted_at(facts.plan, part.label, size, 0.0) for size in facts.plan.sizes_down)
    sizes = ((text, facts.swap_label(text.width, text.height)) for text in texts)
    return next((text for text, size in sizes if size[0] <= long and size[1] <= room), None)


def _iterate_dimension_wants(facts: TimelineOnPaper, side: Side) -> Iterator[Want]:
    for index, part in enumerate(facts.part.dimensions):
        if side != (part.side or "after"):
            continue
        start, stop = (facts.measure_time(time) for time in (part.start, part.end))
        if part.lane is not None and part.side is None and (not part.label or text_inside(facts, part)):
            continue
        # The label has its usual size if the period or the space before it has room, else the largest that fits.
        text = usual = fitted_at(facts.plan, part.label, facts.plan.size, 0.0) if part.label else NO_TEXT
        if not facts.is_upright and usual.width > max(stop - start, start):
            text = fit_text(facts.plan, part.label, stop - start)
        along, across = facts.swap_label(text.width, text.height)
        # Periods that touch share one line, so each requests less than the gap between other labels.
        least = min(SHELF_TEXT_GAP / 2 + 1e-4, (stop - start) / 4)
        low, high, depth, core = start + least, stop - least, across + DIMENSION_HEIGHT, along
        if text.wrap or along > stop - start:
            # A label too long for its period is next to it, on the side with enough room.
            text = usual
            along, across = facts.swap_label(text.width, text.height)
            low, high = (start - along, stop) if start > along else (start, stop + along)
            depth, core = max(across, DIMENSION_HEIGHT), high - low
        key, middle = ("dimension", index), (low + high) / 2
        yield Want(key, high - low, depth, (middle,), lines=(start, stop), core=core, text=text)


def _iterate_barrier_wants(facts: TimelineOnPaper, side: Side) -> Iterator[Want]:
    first = facts.part.lanes[0].id
    for index, barrier in enumerate(facts.part.barriers if side == "before" else ()):
        if barrier.label and (not barrier.lanes or first in barrier.lanes):
            text = fitted_at(facts.plan, barrier.label, facts.plan.size, 0.0, strut=False)
            size = facts.swap_axes(text.width, text.height)
            yield Want(("barrier", index), *size, (facts.measure_time(barrier.time),), text=text)


def _iterate_event_wants(facts: TimelineOnPaper, side: Side) -> Iterator[Want]:
    """Yield the requests of labels of events on lanes."""
    for index, event in enumerate(facts.part.events):
        if event.lane and event.label and side_of_event(facts, event) == side:
            text = fit_text(facts.plan, event.label, _EVENT_TEXT_WIDTH)
            yield _make_loose_want(facts, ("event", index), text, facts.measure_time(event.time))


def _iterate_label_wants(facts: TimelineOnPaper, labels: Sequence[Moved], side: Side) -> Iterator[Want]:
    """Yield the requests of labels that do not fit into their spans."""
    for index, label in enumerate(labels):
        if label.side == side:
            start, stop = (facts.measure_time(time) for time in (label.span.start, label.span.end))
            yield _make_loose_want(
                facts, ("label", index), fit_text(facts.plan, label.text, _REMARK_WIDTH), (start + stop) / 2
            )


def _iterate_remark_wants(facts: TimelineOnPaper, side: Side) -> Iterator[Want]:
    if not facts.part.remarks:
        return
    unit = facts.plan.values["timeunit"]
    bands = _sort_spans_by_lane(facts)
    for index, remark in enumerate(facts.part.remarks):
        if remark.side == side:
            span = facts.spans[remark.about]
            start, stop = (facts.measure_time(time) for time in (span.start, span.end))
            places = [start + (stop - start) * share for share in (0.5, 0.25, 0.75, 0.1, 0.9, 0.03, 0.97)]
            # A line through other lanes is put where it crosses the fewest spans.
            places.sort(key=lambda place: _count_spans_between(facts, bands, span.lanes, side, place / unit))
            yield _make_loose_want(facts, ("remark", index), fit_text(facts.plan, remark.text, _REMARK_WIDTH), *places)


def _make_loose_want(facts: TimelineOnPaper, key: Key, text: Fitted, *places: float) -> Want:
    """Return a request for a label that may be next to its leader line."""
    return Want(key, *facts.swap_label(text.width, text.height), places, centred=False, text=text)


_Bands: TypeAlias = dict[float, tuple[list[float], list[tuple[float, bool]]]]
"""By row, in the order of time: where spans begin; where they end, and whether they have a label."""


def _sort_spans_by_lane(facts: TimelineOnPaper) -> _Bands:
    found: _Bands = {}
    for span in sorted(facts.part.spans, key=lambda span: span.start):
        starts, ends = found.setdefault(facts.place[span.lanes[0]], ([], []))
        starts.append(float(facts.clock.locate_moment(span.start)))
        ends.append((float(facts.clock.locate_moment(span.end)), bool(span.label)))
    return found


def _count_spans_between(
    facts: TimelineOnPaper, bands: _Bands, lanes: tuple[str, ...], side: Side, place: float
) -> int:
    """Count the spans between a lane's span and the edge of the lanes, at a time.

    A span with a label near that time counts double.
    """
    own = [facts.place[lane] for lane in lanes]
    count = 0
    for row, (starts, ends) in bands.items():
        between = row < min(own) if side == "before" else row > max(own)
        index = bisect_left(starts, place) - 1
        if not between or index < 0 or place >= ends[index][0]:
            continue
        start, (stop, labelled) = starts[index], ends[index]
        count += 2 if abs(place - (start + stop) / 2) < 0.25 * (stop - start) and labelled else 1
    return count


def _iterate_brace_wants(facts: TimelineOnPaper, side: Side) -> Iterator[Want]:
    """Yield the requests of braces; braces inside another's period are closer to the lanes."""
    parts = [
        (index, part, facts.measure_time(part.start), facts.measure_time(part.end))
        for index, part in enumerate(facts.part.braces)
        if part.side == side
    ]
    rooms = [(part.label, stop - start - _BRACE_TEXT_MARGIN) for _, part, start, stop in parts if part.label]
    common = facts.plan.size if facts.is_upright else common_size(facts.plan, rooms)
    # Periods inside another period are closer to the lanes.
    for index, part, start, stop in sorted(parts, key=lambda entry: entry[1].end - entry[1].start):
        room = stop - start - _BRACE_TEXT_MARGIN
        wide = _BRACE_TEXT_WIDTH if facts.is_upright else room
        text = fit_text(facts.plan, part.label, wide, most=common) if part.label else NO_TEXT
        along, across = facts.swap_label(text.width, text.height)
        yield Want(("brace", index), max(along, room), BRACE_HEIGHT + across, ((start + stop) / 2,), text=text)


def _axis_events(facts: TimelineOnPaper) -> Iterator[Want]:
    """Yield the requests of events on the time axis."""
    for index, event in enumerate(facts.part.events):
        if event.lane is None:
            text = fit_text(facts.plan, event.label, _EVENT_TEXT_WIDTH) if event.label else _DOT
            yield _make_loose_want(facts, ("event", index), text, facts.measure_time(event.time))
