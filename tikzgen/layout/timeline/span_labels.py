"""Labels of spans: the label and type size that fit a span, and labels that move next to the lanes."""

from __future__ import annotations

from tikzgen.base.record import Record, replace
from tikzgen.layout.constants import SIZES
from tikzgen.layout.time.part_with_time import Side
from tikzgen.layout.timeline.timeline_items import NO_CELL_TEXT, CellText
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper
from tikzgen.model.content import Path
from tikzgen.model.timeline import Event, Half, Span
from tikzgen.text import Text

LABEL_MARGIN = 0.06  # cm between a span's label and its border, on each side
WIDEST_LEVEL_LABEL_CM = 2.5  # cm: wider labels do not widen lanes that run down, nor gaps between them
_MOST_LEADER_LINES = 6  # more leader lines would hide spans: then no label moves


def stays_level(facts: TimelineOnPaper, span: Span) -> bool:
    """Return whether a label stays level although time is vertical; False if time is horizontal.

    If time runs down, all labels stay level unless one is too wide. If time runs up, numbers, labels with a short form,
    and labels over several lanes stay level. Other labels run along time.
    """
    if facts.right:
        return False
    narrow = facts.is_upright and facts.widest_label <= WIDEST_LEVEL_LABEL_CM
    return narrow or len(span.lanes) > 1 or bool(span.short) or _has_number(span)


def _has_number(span: Span) -> bool:
    return span.number is not None and not span.label


def is_level(facts: TimelineOnPaper, span: Span) -> bool:
    """Return whether a span's label is level; a label too wide for a thin lane runs along the lane."""
    if not stays_level(facts, span):
        return False
    if len(span.lanes) > 1 or _has_number(span):
        return True
    down = facts.is_upright  # all labels are level, or none
    wide = facts.widest_label if down else facts.plan.measure(span.short, size=SIZES[-1]).width
    return wide + 2 * LABEL_MARGIN <= facts.plan.values["laneheight"] + 1e-6


def _measure_label_room(
    facts: TimelineOnPaper, span: Span, share: float, *, turned: bool = False
) -> tuple[float, float]:
    """Return the room for a label in a share of a span, in cm, along its baseline and across it."""
    thickness, length = cell_size(facts, len(span.lanes), facts.clear(span) * share)
    along, across = (thickness, length) if is_level(facts, span) != turned else (length, thickness)
    return along - 2 * LABEL_MARGIN, across - LABEL_MARGIN


def cell_size(facts: TimelineOnPaper, lanes: int, duration: float) -> tuple[float, float]:
    """Return the thickness of a number of lanes and the length of a duration, in cm."""
    values = facts.plan.values
    return lanes * values["laneheight"] + (lanes - 1) * values["lanesep"], duration * values["timeunit"]


def choose_label(facts: TimelineOnPaper, index: int, half: Half | None = None) -> CellText:
    """Return the label of a span or its half that fits: full, smaller, short, then rotated.

    The choice is stored, because three steps need it: drawing, moving labels out, and keeping clear of labels.
    """
    key = index, half is not None
    if key not in facts.chosen_labels:
        facts.chosen_labels[key] = _choose_label(facts, index, half)
    return facts.chosen_labels[key]


def _choose_label(facts: TimelineOnPaper, index: int, half: Half | None) -> CellText:
    span, at = facts.part.spans[index], ("spans", index)
    if not (half or span).label:
        return NO_CELL_TEXT
    if half:
        return fit_label(facts, (*at, "second"), half.label, "", _measure_label_room(facts, span, float(half.share)))
    label = "" if span.short and span.phase in facts.plan.numbers[facts.key].terse else span.label
    found = fit_label(facts, at, label, span.short, _room_of(facts, span))
    if len(span.lanes) > 1 and not span.second and not found.macro:
        turned = fit_label(facts, at, span.label, "", _measure_label_room(facts, span, 1.0, turned=True))
        found = replace(turned, turned=True) if turned.macro else found
    return found


def terse_phases(facts: TimelineOnPaper) -> frozenset[str]:
    """Return the phases that use short forms, because the label of at least one span does not fit."""
    return frozenset(
        phase
        for phase, spans in facts.short_form_spans.items()
        if any(facts.plan.largest_size(one.label, *_room_of(facts, one)) is None for one in spans)
    )


def _room_of(facts: TimelineOnPaper, span: Span) -> tuple[float, float]:
    """Return the room for the label of a span, or of its first half, in cm."""
    return _measure_label_room(facts, span, 1.0 - float(span.second.share) if span.second else 1.0)


def fit_label(facts: TimelineOnPaper, at: Path, label: Text, short: Text, room: tuple[float, float]) -> CellText:
    """Return the label of a field, or its short form, that fits a width and height in cm."""
    for kind, text in (("label", label), ("short", short)):
        if text and (size := facts.plan.largest_size(text, *room)) is not None:
            return CellText(facts.find_field_macro(*at, kind), facts.plan.spelt_size(size), text)
    return NO_CELL_TEXT


class Moved(Record):
    """A label next to the lanes, with its span."""

    span: Span
    side: Side
    text: Text
    macro: str


def labels_to_move_out(facts: TimelineOnPaper) -> tuple[Moved, ...]:
    """Return the labels to move out, whose leader to the edge of the lanes crosses no other span.

    Return an empty tuple if there are too many.
    """
    found: list[tuple[Span, str]] = []
    for index, span in enumerate(facts.part.spans):
        if span.label and not span.slide and not choose_label(facts, index).macro:
            found.append((span, facts.find_field_macro("spans", index, "label")))
            if len(found) > _MOST_LEADER_LINES:
                return ()
    sides = [(span, side_of_label(facts, span), macro) for span, macro in found]
    return tuple(Moved(span, side, span.label, macro) for span, side, macro in sides if side)


def side_of_event(facts: TimelineOnPaper, event: Event) -> Side:
    """Return the side of an event's label: the side nearer to its lane.

    The label of an event on the time axis is on the side of the lanes.
    """
    place = facts.place[event.lane] if event.lane else facts.rows
    return "before" if place <= (facts.rows - 1) / 2 else "after"


def side_of_label(facts: TimelineOnPaper, span: Span) -> Side | None:
    """Return the nearest side that a line from the span's middle reaches without crossing another span.

    Return None if both sides are obstructed.
    """
    rows = [facts.place[lane] for lane in span.lanes]
    middle = (span.start + span.end) / 2
    above, below = False, bool(facts.strips)
    for other in facts.part.spans:
        if other.start < middle < other.end:
            row = facts.place[other.lanes[0]]
            above |= row < min(rows)
            below |= row > max(rows)
    sides: tuple[Side, Side] = (
        ("before", "after") if sum(rows) / len(rows) <= (facts.rows - 1) / 2 else ("after", "before")
    )
    return next((side for side in sides if not (above if side == "before" else below)), None)
