"""Layout of a timeline. Coordinates inside its scope are (time, lane), scaled by its unit vectors.

Each module of this package draws one type of element. Its `*_parts` functions yield elements and their areas.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from tikzgen.base.plane import grow_box, is_within
from tikzgen.base.record import replace
from tikzgen.layout.place_free_notes import Taken, place_free_notes
from tikzgen.layout.scene.items import Item, with_comment
from tikzgen.layout.scene.scene import PlacedPart
from tikzgen.layout.symbolic_lengths import ZERO, Pair, SymbolicBox, union
from tikzgen.layout.time.note_items import note_items
from tikzgen.layout.time.timed_items import PathItem
from tikzgen.layout.timeline import many_spans as mass
from tikzgen.layout.timeline import spans
from tikzgen.layout.timeline.arrows import arrow_parts, route_dependencies
from tikzgen.layout.timeline.axis import axis_breaks, axis_parts, draw_breaks
from tikzgen.layout.timeline.fit_numbers import band_parts, measure_number_depth
from tikzgen.layout.timeline.lane_parts import ground_parts, head_height, lane_parts
from tikzgen.layout.timeline.marks.events_barriers_braces import (
    barrier_parts,
    event_parts,
    mark_lines,
    period_parts,
    period_rows,
)
from tikzgen.layout.timeline.marks.labels_beside_lanes import place_margin_marks
from tikzgen.layout.timeline.marks.mark_layout import package_mark_parts
from tikzgen.layout.timeline.marks.strips import strip_parts
from tikzgen.layout.timeline.spans import list_lanes_on_paper
from tikzgen.layout.timeline.timeline_header import header_parts, names_panel
from tikzgen.layout.timeline.timeline_items import SpanMassItem
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper
from tikzgen.layout.timeline.timeline_slides import slide_setter
from tikzgen.model.timeline import Span

_CUTS = "intervals that the axis omits"
_GROUND = "background of the lanes"


def place_timeline(facts: TimelineOnPaper) -> PlacedPart:
    """Lay out a timeline: time 0 of the first lane is at the origin."""
    banded = facts.numbers.bands
    shelves = place_margin_marks(facts, measure_number_depth(facts, banded) if banded else 0.0)
    lines = list(mark_lines(facts, shelves))
    says = any(part.label for part in facts.part.dependencies)
    levels = list(strip_parts(facts))
    linked = route_dependencies(facts, lines) if says or facts.part.notes or not facts.plan.rough else []
    drawn = list(arrow_parts(facts, linked))
    header = list(header_parts(facts, max(shelves.before, head_height(facts))))
    lanes, time = [*lane_parts(facts, shelves), *header], list(axis_parts(facts, shelves))
    moments = list(barrier_parts(facts, shelves))
    beside = [*period_parts(facts, shelves), *event_parts(facts, shelves), *package_mark_parts(facts, shelves.put)]
    bands = list(band_parts(facts, banded)) if banded else []
    every = (*levels, *drawn, *lanes, *time, *moments, *beside, *bands)
    extent = union(_select_areas(every), facts.plan.values)
    notes: list[Item | SymbolicBox] = []
    if facts.part.notes:
        soft = _select_areas(time) if facts.part.axis and not facts.part.axis.ticks else []
        soft += period_rows(facts, shelves)
        hard = [part for part in _select_areas(every) if part not in soft]
        courses = [tuple(facts.on_page((*at, *at)).middle for at in arrow.course.points) for arrow in linked]
        courses += [tuple(facts.on_page((*at, *at)).middle for at in line) for line in lines]
        notes = list(note_parts(facts, extent, hard, soft, courses))
    extent = union([extent, *_select_areas(notes)], facts.plan.values)
    piece = PlacedPart(
        items=(),
        extent=extent,
        axes=facts.part.direction,
        edge=ZERO if facts.right else None,
        texts=tuple(("", part) for part in _select_areas(header)),
        is_named=names_panel(facts),
    )
    if facts.plan.rough:
        return piece
    loose = list(spans.find_loose_labels(facts))
    sections: tuple[tuple[str, Iterable[Item | SymbolicBox]], ...] = (
        ("lanes", lanes),
        (_GROUND, ground_parts(facts)),
        ("frames: time without a span is idle", spans.draw_period_frames(facts)),
        *_draw_spans(facts, [*(label.span for label in shelves.moved), *(span for span, *_ in loose)]),
        ("numbers outside of narrow spans", bands),
        ("levels", levels),
        (_CUTS, draw_breaks(facts)),
        ("labels outside of their spans", spans.loose_labels(facts, loose)),
        ("barriers", moments),
        ("dependencies", drawn),
        ("lines from marks to the lanes", [part for part in beside if isinstance(part, PathItem)]),
        ("time", [*time, *axis_breaks(facts, shelves)]),
        ("notes", notes),
        ("periods, events, remarks", [part for part in beside if not isinstance(part, PathItem)]),
    )
    on_slides = slide_setter(facts)
    stay = ("lanes", _GROUND, _CUTS, "time")
    found = ((title, on_slides(_select_items(section), title in stay)) for title, section in sections)
    items = tuple(item for title, section in found for item in with_comment(title, section))
    return replace(piece, items=items)


def _select_items(parts: Iterable[Item | SymbolicBox]) -> Iterator[Item]:
    return (part for part in parts if isinstance(part, Item))


def _select_areas(parts: Iterable[Item | SymbolicBox]) -> list[SymbolicBox]:
    return [part for part in parts if isinstance(part, SymbolicBox)]


def _draw_spans(facts: TimelineOnPaper, elsewhere: Iterable[Span]) -> Iterator[tuple[str, Iterable[Item]]]:
    """Yield bubbles and spans, as bars or as rows; the labels of some spans are `elsewhere`."""
    idle, bars = list(spans.idle_bars(facts)), list(spans.make_span_bars(facts))
    if spans.are_uneven(facts, [*idle, *bars]):
        bars = [replace(bar, even=True) for bar in bars]
    left_out = list(spans.note_omitted(facts, idle, bars, elsewhere))
    yield "outlines of spans with an arrow shape", spans.draw_arrow_outlines(facts)
    # Bars with a heavy border are last, so that no adjacent bar covers the border.
    busy = sorted(bars, key=lambda bar: bar.heavy or bar.fault)
    drawn = mass.merge_many_bars(facts, (*idle, *busy))
    if any(isinstance(item, SpanMassItem) for item in drawn):
        yield "spans and bubbles", [*left_out, *drawn]
    else:
        yield "bubbles: idle time", idle
        yield "spans", [*left_out, *busy]


def note_parts(
    facts: TimelineOnPaper,
    room: SymbolicBox,
    beside: Iterable[SymbolicBox],
    soft: Iterable[SymbolicBox],
    arrows: Iterable[tuple[Pair, ...]],
) -> Iterator[Item | SymbolicBox]:
    """Yield the notes of a timeline with extent `room`, and the extent with the notes.

    Notes are clear of the areas `beside` the spans and of `arrows`. Leader lines of notes may cross `soft` areas: the
    time axis, braces and dimensions, except for their labels.
    """
    taken = _taken_areas(facts, beside)
    taken = replace(taken, soft=tuple(soft), courses=(*taken.courses, *arrows))
    stood, whole = place_free_notes(facts.plan, facts.part, facts.part.notes, room, taken, by_number=True)
    spans = (facts.spans.get(note.about or "") for note in facts.part.notes)
    yield from note_items(facts, stood, known=[facts.clock.spell_moment(span.start) if span else "" for span in spans])
    yield whole


def _taken_areas(facts: TimelineOnPaper, beside: Iterable[SymbolicBox]) -> Taken:
    """Return the areas of labels, which notes and their lines avoid, and of spans, which lines may cross."""
    solids = [facts.on_page(box) for row in list_lanes_on_paper(facts) for box in (*row.texts, *row.below)]
    about = {name: (facts.over_lanes(one.lanes, one.start, one.end),) for name, one in facts.spans.items()}
    whole = facts.over_lanes([lane.id for lane in facts.part.lanes], Fraction(0), facts.part.end)
    core = grow_box(whole.measure_box(facts.plan.values), -0.01)
    named = [box for box in beside if is_within(core, box.measure_box(facts.plan.values))]  # the lanes with their names
    for lane in facts.part.lanes:
        box = facts.over_lanes((lane.id,), Fraction(0), facts.part.end)
        about[lane.id] = (_extend_to_names(facts, box, named[0]) if named else box,)
    about[""] = (whole,)
    idle = [facts.over_lanes((one.lane,), one.start, one.end) for one in facts.part.bubbles]
    legs = [
        leg for box in (*(about[name][0] for name in facts.names), *idle) for leg in _iterate_span_lines(facts, box)
    ]
    solids += [box for box in beside if box not in named]
    half = facts.plan.values["laneheight"] / 2
    for middle in map(facts.measure_row, facts.strips):
        solids.append(facts.on_page((0.0, middle - half, facts.measure_time(facts.part.end), middle + half)))
    solids += [part for box in named for part in _find_name_areas(facts, box, whole)]
    return Taken(tuple(solids), (), tuple(legs), about, (1.0,), clear=0.0)


def _find_name_areas(facts: TimelineOnPaper, box: SymbolicBox, lanes: SymbolicBox) -> tuple[SymbolicBox, SymbolicBox]:
    """Return the areas of the lane names before and after the lanes."""
    if facts.right:
        return replace(box, right=lanes.left), replace(box, left=lanes.right)
    return replace(box, top=lanes.bottom), replace(box, bottom=lanes.top)


def _extend_to_names(facts: TimelineOnPaper, lane: SymbolicBox, names: SymbolicBox) -> SymbolicBox:
    """Return the area of a lane with its name."""
    if facts.right:
        return replace(lane, left=names.left, right=names.right)
    return replace(lane, bottom=names.bottom, top=names.top)


def _iterate_span_lines(facts: TimelineOnPaper, box: SymbolicBox) -> Iterator[tuple[Pair, ...]]:
    """Yield the lines of a span that count as crossed by a leader line: edges along time, and its middle."""
    for share in (0.0, 0.5, 1.0):
        x, y = (low * (1 - share) + high * share for low, high in ((box.left, box.right), (box.bottom, box.top)))
        yield ((box.left, y), (box.right, y)) if facts.right else ((x, box.bottom), (x, box.top))
