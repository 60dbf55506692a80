"""Properties of a timeline before its placement: names, lane positions, drawn times.

They are computed once for each figure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import cached_property

from tikzgen.base.record import Record, WithCache
from tikzgen.layout.scene.number_words import part_mark
from tikzgen.layout.scene.phase_shades import owners_of_numbers, with_owners
from tikzgen.layout.time.cell_texts import (
    NumberedCells,
    NumberRange,
    collect_chunks,
    find_number_ranges,
    find_numbered_cells,
    list_kinds_of_cells,
    name_bubbles,
)
from tikzgen.layout.time.time_to_position import Directed, TimeScale, time_unit
from tikzgen.model.content import Path
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import translate_word
from tikzgen.model.timeline import Axis, Half, Lane, Span, Timeline
from tikzgen.text import Tex

_USUAL_AXIS_LABEL = Axis.model_fields["label"].default
_GAP = Fraction(1, 25)  # share of the drawn time: length of a break


GROUP_GAP = 0.25  # share of the lane distance: extra gap between top-level groups of lanes


_STRIP_GAP = 0.3  # share of the lane distance: gap between a strip and the lane below it


_STRIP_HEAD_SHARE = 0.6  # share of the lane distance: space before a strip, for the number at its peak


class TimelineFacts(Directed, WithCache, Record):
    """A timeline with the properties that its drawing uses; `at` is its path in the figure.

    `names` are the node names of the spans, `stems` the stems of their label macros, and `bubble_stems` the stems for
    the bubbles. `place` and `strips` are the middles of lanes and strips, in lanes from the first one. `rows` is the
    total space in lanes. `top` is the value that fills the row of a strip. `last` is the last time, and `end` its drawn
    position in time units. `mark` is its `part_mark`. `cells` are the kinds of numbered cells. `runs` are the phases
    whose numbers count along every lane. `chunks` are the chunks of every phase, in the order of use.
    """

    panel: str
    at: Path
    part: Timeline
    names: tuple[str, ...]
    stems: tuple[str, ...]
    bubble_stems: tuple[str, ...]
    clock: TimeScale
    place: Mapping[str, float]
    strips: tuple[float, ...]
    rows: float
    end: Fraction
    top: Fraction
    mark: str
    cells: tuple[NumberedCells, ...]
    runs: Mapping[str, NumberRange]
    chunks: Mapping[str, frozenset[int]]
    last: Fraction

    @cached_property
    def spans(self) -> Mapping[str, Span]:
        """Spans by their names."""
        return dict(zip(self.names, self.part.spans, strict=True))

    @cached_property
    def short_form_spans(self) -> Mapping[str, Collection[Span]]:
        """Spans that have a short form, by phase; one for each label and length."""
        found: dict[str, dict[tuple[object, ...], Span]] = {}
        for span in self.part.spans:
            if span.label and span.short:
                share = span.second.share if span.second else None
                kind = (str(span.label), self.clear(span), len(span.lanes), share)
                found.setdefault(span.phase, {}).setdefault(kind, span)
        return {phase: kinds.values() for phase, kinds in found.items()}

    @property
    def key(self) -> tuple[str, str]:
        """Key that distinguishes it from other timelines of its figure."""
        return self.panel, self.mark

    def clear(self, span: Span) -> float:
        """Return the drawn length of the longest part of a span without a break, in time units."""
        if not self.clock.cuts:
            return self.clock.measure_span(span)
        low, high = self.clock.clear(span.start, span.end)
        return float(high - low)

    def measure_cell(self, span: Span, part: Span | Half) -> float:
        """Return the drawn length of a span, or of one part of a fused span, in time units."""
        length = self.clock.measure_span(span)
        if span.second is None:
            return length
        share = float(span.second.share)
        return length * (share if part is span.second else 1.0 - share)

    def has_break(self, span: Span) -> bool:
        """Return whether a break overlaps a span."""
        return any(span.start < end and start < span.end for start, end in self.clock.cuts)

    def measure_lanes(self, lanes: Sequence[str]) -> tuple[float, float]:
        """Return the middle of adjacent lanes and their number; of all lanes if `lanes` is empty."""
        places = [self.place[lane] for lane in lanes] or list(self.place.values())
        low, high = min(places), max(places)
        return (low + high) / 2, high - low + 1


def _translate_axis(figure: FigureModel, part: Timeline) -> Timeline:
    """Return the timeline with the usual label of its axis in the language of the figure."""
    if part.axis is None or not figure.language or part.axis.label != _USUAL_AXIS_LABEL:
        return part
    label = translate_word(part.axis.label, figure.language)
    return part.model_copy(update={"axis": part.axis.model_copy(update={"label": label})})


def facts_of_timelines(figure: FigureModel) -> dict[tuple[str, int], TimelineFacts]:
    """Return the timelines of a figure, by panel and by index in the panel's content."""
    top, unit, owners = _find_strip_top(figure), time_unit(figure), owners_of_numbers(figure)
    found: dict[tuple[str, int], TimelineFacts] = {}
    for home, index, given in figure.parts(Timeline):
        panel, part = figure.panels[home], _translate_axis(figure, with_owners(figure, given, owners))
        names, end, (place, strips, rows) = tuple(part.names()), part.end, _place_rows(part)
        clock = _make_time_scale(part, end, unit)
        spans, cells, mark = zip(part.spans, names, strict=True), find_numbered_cells(part), part_mark(panel, given)
        found[panel.id, index] = TimelineFacts(
            panel=panel.id,
            at=("panels", home, "content", index),
            part=part,
            names=names,
            stems=tuple(span.phase if _is_recipe_text(figure, span.label) else name for span, name in spans),
            bubble_stems=tuple(
                f"{'bubble' if _is_recipe_text(figure, bubble.label) else name} {mark}"
                for bubble, name in name_bubbles(part)
            ),
            clock=clock,
            place=place,
            strips=strips,
            rows=rows,
            end=clock.locate_moment(end),
            top=top,
            mark=mark,
            cells=list_kinds_of_cells(figure, cells, clock.measure_span),
            runs=find_number_ranges(part, cells, clock.locate_moment),
            chunks=collect_chunks(part),
            last=end,
        )
    return found


def _is_recipe_text(figure: FigureModel, label: Tex | str) -> bool:
    """Return whether one field of the figure's recipe states the label of all parts of this type."""
    field = getattr(label, "field", ()) if figure.origin is not None else ()
    return bool(field) and not any(isinstance(step, int) for step in field)


def _make_time_scale(part: Timeline, end: Fraction, unit: Fraction) -> TimeScale:
    cuts = tuple((cut.start, cut.end) for cut in part.axis.breaks) if part.axis else ()
    left_out = sum((stop - start for start, stop in cuts), Fraction(0))
    return TimeScale(cuts, (end - left_out or left_out) * _GAP if cuts else Fraction(0), unit)


def find_outermost_lanes(part: Timeline, lane: Lane) -> Sequence[str]:
    """Return the lanes of the largest group that contains a lane; the lane itself without a group."""
    return max((group.lanes for group in part.groups if lane.id in group.lanes), key=len, default=[lane.id])


def _place_rows(part: Timeline) -> tuple[dict[str, float], tuple[float, ...], float]:
    """Return the positions of lanes and strips, and the total number of rows.

    A strip of a lane is directly below it; other strips are last.
    """
    place: dict[str, float] = {}
    strips: dict[int, float] = {}
    down = 0.0
    # The number at a peak is on the side to which the curve rises: towards the lanes if time runs to the right.
    head = _STRIP_HEAD_SHARE if part.direction == "right" else _STRIP_HEAD_SHARE / 2
    first: str | None = None
    for lane in part.lanes:
        if first is not None and first not in find_outermost_lanes(part, lane) and part.groups:
            down += GROUP_GAP
        first = lane.id
        place[lane.id] = down
        down += 1
        for index, strip in enumerate(part.strips):
            if strip.lane == lane.id:
                strips[index] = down + head
                down += 1 + _STRIP_HEAD_SHARE + _STRIP_GAP
    for index, strip in enumerate(part.strips):
        if strip.lane is None:
            strips[index] = down + head
            down += 1 + _STRIP_HEAD_SHARE
    return place, tuple(strips[index] for index in range(len(part.strips))), down


def _find_strip_top(figure: FigureModel) -> Fraction:
    """Return the value that fills a strip's row: one for all strips of a figure, to make them comparable."""
    values = [Fraction(0)]
    for _, _, timeline in figure.parts(Timeline):
        for strip in timeline.strips:
            values.extend(level.value for level in timeline.levels(strip))
            values.extend([strip.cap] if strip.cap is not None else [])
    return max(values) or Fraction(1)
