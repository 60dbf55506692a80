"""A timeline on paper. Coordinates inside its scope are (time, lane): the scope's unit vectors do the rest.

Each module here draws one kind of thing: its parts are elements, and the paper that they take.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tikzgen.base.record import replace
from tikzgen.layout.items import Item, titled
from tikzgen.layout.lengths import ZERO, Extent, number, union
from tikzgen.layout.plan import Plan
from tikzgen.layout.scene import Piece
from tikzgen.layout.timeline import many_spans as mass
from tikzgen.layout.timeline import spans
from tikzgen.layout.timeline.arrows import arrow_parts, arrows
from tikzgen.layout.timeline.axis import arrow_at, axis_parts
from tikzgen.layout.timeline.directions import edge, spot
from tikzgen.layout.timeline.events_barriers_braces import barrier_parts, event_parts, period_parts
from tikzgen.layout.timeline.lane_parts import ground_parts, head_height, lane_parts
from tikzgen.layout.timeline.margin_needs import Stack, stack
from tikzgen.layout.timeline.number_bands import band_parts, depth
from tikzgen.layout.timeline.strips import strip_parts
from tikzgen.layout.timeline.timeline_header import header_parts, names_panel
from tikzgen.layout.timeline.timeline_items import Mass, Path, Spot
from tikzgen.layout.timeline.timeline_notes import note_parts
from tikzgen.layout.timeline.timeline_slides import dated
from tikzgen.layout.timeline_facts import Chart

_SWING = 0.035  # cm: how far a torn edge swings to and fro
_TEETH = 2  # for each lane
_STROKE = 0.09  # cm: half the height of a stroke on the time arrow
_SLANT = 0.04  # cm: half its slant
_INSET = 0.3  # of the gap: where the torn edges lie from its ends


_CUTS, _GROUND = "what the axis leaves out", "behind the lanes"


def _edges(chart: Chart) -> Iterator[tuple[str, str]]:
    """Where the two torn edges of each gap lie, in time units."""
    for start, end in chart.clock.cuts:
        low, high = float(chart.clock.at(start)), float(chart.clock.at(end))
        inset = (high - low) * _INSET
        yield number(low + inset, 4), number(high - inset, 4)


def across(chart: Chart) -> Iterator[Item]:
    """The gap, in the colour of the paper between two torn edges."""
    count = max(2, round(chart.rows * _TEETH))
    for left, right in _edges(chart):
        first, second = _torn(chart, left, count), _torn(chart, right, count)
        yield Path(("tear",), (*first, *reversed(second)), closed=True)
        yield Path(("rip",), first)
        yield Path(("rip",), second)


def _torn(chart: Chart, time: str, count: int) -> tuple[Spot, ...]:
    rows = [-0.6 + (chart.rows + 0.2) * step / count for step in range(count + 1)]
    return tuple(
        spot(chart, time, round(row, 3), along=_SWING if step % 2 else -_SWING) for step, row in enumerate(rows)
    )


def on_axis(chart: Chart, stack: Stack) -> Iterator[Item]:
    """The time arrow is interrupted between two slanted strokes."""
    if chart.part.axis is None:
        return
    row, off = edge(chart, "after"), arrow_at(chart, stack)
    for left, right in _edges(chart):
        strokes = [
            (spot(chart, time, row, -_SLANT, off + _STROKE), spot(chart, time, row, _SLANT, off - _STROKE))
            for time in (left, right)
        ]
        yield Path(("tear",), (*strokes[0], *reversed(strokes[1])), closed=True)
        for stroke in strokes:
            yield Path(("cut",), stroke)


def timeline(plan: Plan, chart: Chart) -> Piece:
    """Lay out a timeline: time 0 of the first lane is at the origin."""
    banded = plan.numbers[chart.key].bands
    shelves = stack(plan, chart, depth(plan, chart, banded) if banded else 0.0)
    says = any(part.label for part in chart.part.dependencies)
    levels = list(strip_parts(plan, chart))
    drawn = list(arrow_parts(plan, chart, arrows(plan, chart))) if says or chart.part.notes or not plan.rough else []
    header = list(header_parts(plan, chart, max(shelves.before, head_height(plan, chart))))
    lanes, time = [*lane_parts(plan, chart, shelves), *header], list(axis_parts(plan, chart, shelves))
    moments = list(barrier_parts(plan, chart, shelves))
    beside = [*period_parts(plan, chart, shelves), *event_parts(plan, chart, shelves)]
    bands = list(band_parts(plan, chart, banded)) if banded else []
    every = (*levels, *drawn, *lanes, *time, *moments, *beside, *bands)
    extent = union(_papers(every), plan.values)
    notes: list[Item | Extent] = []
    if chart.part.notes:
        arrow = time if chart.part.axis and not chart.part.axis.ticks else []
        soft = [*_papers(drawn), *_papers(arrow)]
        hard = [part for part in _papers(every) if part not in soft]
        notes = list(note_parts(plan, chart, extent, hard, soft))
    extent = union([extent, *_papers(notes)], plan.values)
    left = ZERO if chart.right else None
    texts = tuple(("", part) for part in header if isinstance(part, Extent))
    named = names_panel(plan, chart)
    piece = Piece(items=(), extent=extent, axes=chart.part.direction, edge=left, texts=texts, is_named=named)
    if plan.rough:
        return replace(piece, extent=extent)
    torn = list(spans.torn(plan, chart))
    sections = (
        ("lanes", _items(lanes)),
        (_GROUND, ground_parts(plan, chart)),
        ("frames: what no span covers is idle", spans.frames(chart)),
        *_spans(plan, chart, len(shelves.moved) + len(torn)),
        ("numbers of cells that are too narrow for them", _items(bands)),
        ("levels", _items(levels)),
        (_CUTS, across(chart)),
        ("labels of torn spans", spans.torn_labels(plan, chart, torn)),
        ("barriers", _items(moments)),
        ("dependencies", _items(drawn)),
        ("lines to the lanes", (item for item in _items(beside) if isinstance(item, Path))),
        ("time", (*_items(time), *on_axis(chart, shelves))),
        ("notes", _items(notes)),
        ("periods, events, remarks", (item for item in _items(beside) if not isinstance(item, Path))),
    )
    on_slides = dated(plan, chart)
    stay = ("lanes", _GROUND, _CUTS, "time")
    found = ((title, on_slides(section, title in stay)) for title, section in sections)
    items = tuple(item for title, section in found for item in titled(title, section))
    return replace(piece, items=items, extent=extent)


def _items(parts: Iterable[Item | Extent]) -> Iterator[Item]:
    return (part for part in parts if isinstance(part, Item))


def _papers(parts: Iterable[Item | Extent]) -> list[Extent]:
    return [part for part in parts if isinstance(part, Extent)]


def _spans(plan: Plan, chart: Chart, elsewhere: int) -> Iterator[tuple[str, Iterable[Item]]]:
    """Bubbles and spans, one by one or as a mass; so many labels of spans stand `elsewhere`."""
    idle, bars = list(spans.idle_bars(plan, chart)), list(spans.bars(plan, chart))
    left_out = list(spans.omitted(chart, idle, bars, elsewhere))
    yield "outlines of spans that are arrows", spans.tips(plan, chart)
    # those with a heavy border last, so that no neighbour covers it
    busy = sorted(bars, key=lambda bar: bar.heavy or bar.fault)
    drawn = mass.items(plan, chart, (*idle, *busy))
    if any(isinstance(item, Mass) for item in drawn):
        yield "spans and bubbles", [*left_out, *drawn]
    else:
        yield "bubbles: idle time", idle
        yield "spans", [*left_out, *busy]
