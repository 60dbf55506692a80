"""Timelines as a kind of panel content."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator
from itertools import compress

from tikzgen.base.record import replace
from tikzgen.layout.attempt import WITHOUT_ID, DistanceNeed, LayoutAttempt, ShortCells
from tikzgen.layout.constants import INNER
from tikzgen.layout.layout_kinds import FactsByPlace, LayoutKind, Linked, Said, fates_of_texts
from tikzgen.layout.page.links_across import Site
from tikzgen.layout.scene.scene import Fate, Outcome, PlacedPart
from tikzgen.layout.symbolic_lengths import Length, SymbolicBox, make_length
from tikzgen.layout.time.cell_texts import CellClass, name_cell_class
from tikzgen.layout.time.timeline_facts import TimelineFacts
from tikzgen.layout.timeline.axis import axis_text
from tikzgen.layout.timeline.many_spans import distances_of_many_spans as spacing_of_many
from tikzgen.layout.timeline.place_timeline import place_timeline
from tikzgen.layout.timeline.span_labels import choose_label, is_level, labels_to_move_out
from tikzgen.layout.timeline.spans import text_boxes
from tikzgen.layout.timeline.timeline_contract import TimelineContract
from tikzgen.layout.timeline.timeline_needs import distances_of_timeline
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper, on_paper
from tikzgen.model.content import Path
from tikzgen.model.panel_parts import Panel
from tikzgen.model.timeline import Timeline, types_on
from tikzgen.text import fill_number


def find_linked_areas(facts: TimelineOnPaper, linked: Container[str]) -> dict[str, SymbolicBox]:
    """Return the areas of the linked spans, by the names of their nodes."""
    return {
        facts.name(name): facts.over_lanes(span.lanes, span.start, span.end)
        for name, span in facts.spans.items()
        if name in linked
    }


def iterate_hiding_spans(facts: TimelineOnPaper, linked: Container[str]) -> Iterator[tuple[str, SymbolicBox]]:
    """Yield the areas of spans that hide a side of a linked span, because they start or end at its ends."""
    hidden = set()
    for name, span in facts.spans.items():
        if name in linked:
            hidden |= {(lane, moment) for lane in span.lanes for moment in (span.start, span.end)}
    for name, span in facts.spans.items():
        if name not in linked and any((lane, at) in hidden for lane in span.lanes for at in (span.start, span.end)):
            yield facts.name(name), facts.over_lanes(span.lanes, span.start, span.end)


def iterate_label_areas(facts: TimelineOnPaper) -> Iterator[tuple[str, SymbolicBox]]:
    """Yield the area of each label, with the node name of its span; lane labels have no name."""
    for lane in facts.part.lanes:
        if lane.label:
            long, thick = facts.size_of(lane.label)
            row, start = facts.place_row(facts.place[lane.id]), Length(-long - INNER)
            if facts.part.lane_labels == "after":
                start = make_length("timeunit", float(facts.end)) + INNER
            yield "", facts.make_extent(start, start + long, row - thick / 2, row + thick / 2)
    for name, _, box in text_boxes(facts):
        yield name, facts.on_page(box)


class Timelines(TimelineContract):
    """Layout of a timeline: lanes over time."""

    def texts(self, timelines: FactsByPlace, panel: Panel, index: int, part: Timeline) -> Iterator[Said]:
        return _iterate_timeline_labels(timelines[panel.id, index])

    def needs(self, plan: LayoutAttempt, panel: Panel, index: int, part: Timeline) -> dict[str, DistanceNeed]:
        facts = on_paper(plan, plan.timelines[panel.id, index])
        return spacing_of_many(facts, distances_of_timeline(facts))

    def place_part(self, plan: LayoutAttempt, panel: Panel, index: int, part: Timeline, linked: Linked) -> PlacedPart:
        facts = on_paper(plan, plan.timelines[panel.id, index])
        piece = place_timeline(facts)
        if not plan.figure.links:
            return piece
        ids = {name for name, _ in linked}
        places, said = (
            find_linked_areas(facts, ids),
            (*piece.texts, *iterate_label_areas(facts), *iterate_hiding_spans(facts, ids)),
        )
        return replace(piece, outlines=places, texts=said, sites=dict(_iterate_sites(facts, ids)))

    def fates(
        self, plan: LayoutAttempt, panel: Panel, at: Path, part: Timeline, used: Collection[str]
    ) -> Iterator[Fate]:
        facts = plan.timelines[panel.id, int(at[-1])]
        yield from fates_of_texts(
            plan, panel, at, (each for each in _iterate_timeline_labels(facts) if [*each][3:4] != ["spans"]), used
        )
        yield from _fates_of_spans(on_paper(plan, facts), at, used)

    def phases_with_text(self, plan: LayoutAttempt, panel: Panel, index: int, part: Timeline) -> Iterator[str]:
        paper = on_paper(plan, plan.timelines[panel.id, index])
        numbers = paper.numbers
        for place, span in enumerate(part.spans):
            if not plan.figure.phase(span.phase).cell_label:
                continue
            if span.label:
                is_shown = bool(choose_label(paper, place).macro)
            else:
                is_shown = span.number is not None and (
                    numbers.has_room(span.phase, paper.measure_cell(span, span)) or numbers.is_counted(span.phase)
                )
            if is_shown:
                yield span.phase

    def length(self, plan: LayoutAttempt, panel: Panel, index: int, part: Timeline) -> float | None:
        return float(plan.timelines[panel.id, index].end) if part.direction == "right" else None


def _fates_of_spans(facts: TimelineOnPaper, part: Path, used: Collection[str]) -> Iterator[Fate]:
    """Yield the outcome of each span's label and number.

    Several spans may share a macro although only some have room, so each span is checked.
    """
    beside = {id(label.span) for label in labels_to_move_out(facts)}
    numbers, outcomes = facts.numbers, dict[CellClass, Outcome]()
    reasons = {kind: _describe_cells(facts, short) for kind, short in numbers.bare.items()}
    texts: dict[tuple[str, int], str] = {}
    for index, span in enumerate(facts.part.spans):
        for half in (None, span.second) if span.second else (None,):
            cell = half or span
            at = (*part, "spans", index, "second") if half else (*part, "spans", index)
            if cell.label:
                said = choose_label(facts, index, half)
                inside = bool(said.macro) and said.macro in used
                is_short = inside and said.reads == span.short != cell.label
                shown = inside or (half is None and id(span) in beside)
                outcome: Outcome = "short" if is_short else "drawn" if shown else "left out"
                yield Fate("label", (*at, "label"), said.reads if is_short else cell.label, outcome, cell.phase)
            elif cell.number is not None:
                phase, kind = cell.phase, name_cell_class(cell.phase, facts.measure_cell(span, cell))
                if kind not in outcomes:
                    macro = facts.plan.labels.find_field_macro("phases", phase, "cell")
                    inside = kind not in numbers.bare and macro in used
                    outcomes[kind] = "drawn" if inside else "counted" if numbers.is_counted(phase) else "left out"
                if (phase, cell.number) not in texts:
                    texts[phase, cell.number] = fill_number(facts.plan.figure.phase(phase).cell, cell.number)
                outcome = outcomes[kind]
                reason = reasons.get(kind, "") if outcome == "left out" else ""
                yield Fate("number", (*at, "number"), texts[phase, cell.number], outcome, phase, reason)


def _describe_cells(facts: TimelineOnPaper, short: ShortCells) -> str:
    """Return the length of cells without room for their numbers, and the width of the figure that gives them room."""
    lengths = (f"{10 * length * facts.plan.values['timeunit']:.2g}" for length in (short.shortest, short.longest))
    extent = f"{' to '.join(dict.fromkeys(lengths))} mm"
    return f"{extent}; width: {short.width:g} shows them" if short.width else extent


_SIDES_IN_TIME = {"right": ("left", "right"), "up": ("bottom", "top"), "down": ("top", "bottom")}
"""Sides of a span at its start and at its end."""


def _iterate_sites(facts: TimelineOnPaper, ids: set[str]) -> Iterator[tuple[str, Site]]:
    """Yield the possible ends of links, by reference."""
    if not ids:
        return
    starts = {(lane, span.start) for span in facts.part.spans for lane in span.lanes}
    ends = {(lane, span.end) for span in facts.part.spans for lane in span.lanes}
    for name, span in facts.spans.items():
        if name in ids:
            turn = "level" if is_level(facts, span) else facts.part.direction
            meetings = (span.start, ends), (span.end, starts)
            touched = (any((lane, time) in others for lane in span.lanes) for time, others in meetings)
            closed = frozenset(compress(_SIDES_IN_TIME[facts.part.direction], touched))
            yield name, Site(facts.name(name), turn=turn, closed=closed)


def _iterate_timeline_labels(facts: TimelineFacts) -> Iterator[Said]:
    """Yield every label of a timeline."""
    part, mark = facts.part, facts.mark
    for index, lane in enumerate(part.lanes):
        yield f"{lane.id} lane label {mark}", lane.label, f"label of lane {lane.id}", "lanes", index, "label"
        for column, text in enumerate(lane.cells):
            stem = f"{lane.id} cell {column + 1} label {mark}"
            yield stem, text, f"cell of lane {lane.id} in column {column + 1}", "lanes", index, "cells", column
    for column, text in enumerate(part.columns):
        meaning = f"head of column {column + 1} beside the lanes"
        yield _name_mark_stem(facts, "column", column), text, meaning, "columns", column
    for index, (span, start) in enumerate(zip(part.spans, facts.stems, strict=True)):
        if span.label:
            yield f"{start} text", span.label, f"label in the {span.phase} spans", "spans", index, "label"
            yield f"{start} short", span.short, f"short label in the {span.phase} spans", "spans", index, "short"
    for index, (span, name) in enumerate(zip(part.spans, facts.names, strict=True)):
        if span.second and span.second.label:
            meaning = f"label in the second part of {name}"
            yield f"{name} second text", span.second.label, meaning, "spans", index, "second", "label"
    for index, (bubble, start) in enumerate(zip(part.bubbles, facts.bubble_stems, strict=True)):
        yield f"{start} text", bubble.label, "label in the bubbles", "bubbles", index, "label"
    yield from _texts_of_marks(facts)
    yield f"{WITHOUT_ID}timelinetitle {mark}", part.title, "title of the timeline", "title"


_ROWS = ("group", "column")  # marks next to the lanes, which several panels may have in common


def _name_mark_stem(facts: TimelineFacts, kind: str, index: int, identifier: str | None = None) -> str:
    """Return the stem of the label of a mark: from its id, or its index in its list."""
    if identifier:
        return f"{identifier} {kind} label"
    return f"{'' if kind in _ROWS else WITHOUT_ID}{kind} {index + 1} label {facts.mark}"


def _texts_of_marks(facts: TimelineFacts) -> Iterator[Said]:
    """Yield every label of the marks of a timeline."""
    part, mark = facts.part, facts.mark
    for kind in types_on(part):
        marks = [(index, one) for index, one in enumerate(getattr(part, kind.field)) if isinstance(one, kind.model)]
        for field, stem, meaning in kind.texts:
            for index, one in marks:
                at = (kind.field, index, field)
                name = _name_mark_stem(facts, stem, index, getattr(one, "id", None))
                yield name, getattr(one, field), f"{meaning} {index + 1}", *at
    if part.axis:
        text = axis_text(part.axis)
        home = ("axis", "label") if text == part.axis.label else ()
        yield f"timelabel {mark}", text, "label of the time arrow", *home
        for index, tick in enumerate(part.axis.ticks if isinstance(part.axis.ticks, list) else ()):
            yield (
                _name_mark_stem(facts, "tick", index),
                tick.label,
                f"label at tick {index + 1}",
                "axis",
                "ticks",
                index,
                "label",
            )
    yield f"{WITHOUT_ID}summarylabel {mark}", part.summary, "label at the start of the time axis", "summary"


KIND: LayoutKind[Timeline] = Timelines()
