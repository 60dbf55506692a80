"""On which side of the lanes the text of an event stands, and the label of a span that has no room for it."""

from __future__ import annotations

from tikzgen.layout.timed import Side
from tikzgen.layout.timeline.timeline_on_paper import TimelineOnPaper
from tikzgen.model.timeline_marks import Event
from tikzgen.model.timeline_parts import Span


def side_of_event(facts: TimelineOnPaper, event: Event) -> Side:
    """Events speak on the side that is nearer to their lane, and on the time arrow towards the lanes."""
    place = facts.place[event.lane] if event.lane else facts.rows
    return "before" if place <= (facts.rows - 1) / 2 else "after"


def side_of_label(facts: TimelineOnPaper, span: Span) -> Side | None:
    """The side that a line from the span's middle reaches without crossing another span, the nearer one first."""
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
