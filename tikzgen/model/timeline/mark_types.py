"""The built-in types of marks, with their labels and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from tikzgen.base.plain_words import count_of, join_words, list_names
from tikzgen.model.content import FreeNote
from tikzgen.model.sentences import Sentence, number
from tikzgen.model.timeline.mark_table import MarkType
from tikzgen.model.timeline.timeline_marks import (
    Barrier,
    Brace,
    Bubble,
    Dependency,
    Dimension,
    Event,
    Frame,
    LaneGroup,
    Remark,
    Strip,
)
from tikzgen.model.timeline.timeline_parts import TimelineParts
from tikzgen.text.spoken_labels import label_to_unicode


def _at_times(marks: Sequence[Barrier | Event]) -> str:
    return list_names([f"{label_to_unicode(one.label)} at {number(one.time)}".strip() for one in marks])


class BarrierType(MarkType):
    """Lines across lanes."""

    model, field, noun = Barrier, "barriers", "a barrier"
    texts = (("label", "barrier", "label of barrier"),)
    telling_order = 4

    def sentences(self, marks: Sequence[Barrier], timeline: TimelineParts) -> Iterator[Sentence]:
        if marks:
            yield Sentence(1, f"{count_of(len(marks), 'barrier')}: {_at_times(marks)}")


class EventType(MarkType):
    """Events: markers at a time."""

    model, field, noun = Event, "events", "an event"
    texts = (("label", "event", "label of event"),)
    telling_order = 5

    def sentences(self, marks: Sequence[Event], timeline: TimelineParts) -> Iterator[Sentence]:
        if marks:
            yield Sentence(1, f"{count_of(len(marks), 'event')}: {_at_times(marks)}")


class BraceType(MarkType):
    """Periods with a name."""

    model, field, noun = Brace, "braces", "a brace"
    texts = (("label", "brace", "label at brace"),)
    telling_order = 2

    def sentences(self, marks: Sequence[Brace], timeline: TimelineParts) -> Iterator[Sentence]:
        if labels := [text for one in marks if (text := label_to_unicode(one.label))]:
            yield Sentence(1, f"Braces mark {list_names(labels)}")


class DimensionType(MarkType):
    """Periods with a measure."""

    model, field, noun = Dimension, "dimensions", "a dimension"
    texts = (("label", "dimension", "label at dimension"),)
    telling_order = 3
    happens_on_lane = False

    def sentences(self, marks: Sequence[Dimension], timeline: TimelineParts) -> Iterator[Sentence]:
        if labels := [text for one in marks if (text := label_to_unicode(one.label))]:
            yield Sentence(1, f"Measured: {list_names(labels)}")


class RemarkType(MarkType):
    """Notes on spans. Their sentence also has the free notes."""

    model, field, noun = Remark, "remarks", "a remark"
    texts = (("text", "remark", "remark"),)
    telling_order = 7

    def sentences(self, marks: Sequence[Remark], timeline: TimelineParts) -> Iterator[Sentence]:
        said = [*(one.text for one in marks), *(one.text for one in timeline.notes)]
        if notes := [text for one in said if (text := label_to_unicode(one))]:
            yield Sentence(2, f"Notes: {list_names(notes)}")


class NoteType(MarkType):
    """Free notes; the sentence of remarks has them."""

    model, field, noun = FreeNote, "notes", "a note"
    texts = (("text", "note", "note"),)


class GroupType(MarkType):
    """Brackets before lanes that belong together."""

    model, field, noun = LaneGroup, "groups", "a group"
    texts = (("label", "group", "label of lane group"),)
    telling_order = 8

    def sentences(self, marks: Sequence[LaneGroup], timeline: TimelineParts) -> Iterator[Sentence]:
        labels = [text for group in marks if (text := label_to_unicode(group.label))]
        if len(labels) > 1:
            yield Sentence(3, f"Lanes grouped as {list_names(labels)}")


class DependencyType(MarkType):
    """Arrows between spans."""

    model, field, noun = Dependency, "dependencies", "a dependency"
    texts = (("label", "dependency", "label at dependency"),)
    telling_order = 6

    def sentences(self, marks: Sequence[Dependency], timeline: TimelineParts) -> Iterator[Sentence]:
        if marks:
            messages = sum(one.kind == "message" for one in marks)
            arrows = [count_of(messages, "message")] if messages else []
            if other := len(marks) - messages:
                arrows.append(f"{other} {'dependency' if other == 1 else 'dependencies'}")
            yield Sentence(2, f"Arrows: {join_words(arrows)}")
        if timeline.critical:
            yield Sentence(2, f"The critical path of {count_of(len(timeline.critical), 'span')} is drawn heavily")


class StripType(MarkType):
    """Step curves under lanes."""

    model, field, noun = Strip, "strips", "a strip"
    texts = (
        ("label", "strip", "label of strip"),
        ("cap_label", "cap", "label at the limit of strip"),
    )
    telling_order = 1

    def iterate_end_times(self, mark: Strip) -> Iterator[Fraction]:
        yield from (level.end for level in mark.levels)

    def sentences(self, marks: Sequence[Strip], timeline: TimelineParts) -> Iterator[Sentence]:
        for strip in marks:
            peak = number(max(level.value for level in timeline.levels(strip)))
            limit = f", limit {number(strip.cap)}" if strip.cap is not None else ""
            yield Sentence(1, f"Curve of {label_to_unicode(strip.label) or 'levels'}: peak {peak}{limit}")


class FrameType(MarkType):
    """Boxes behind the spans of a period.

    They show idle time, whose share another sentence states.
    """

    model, field, noun = Frame, "frames", "a frame"


class BubbleType(MarkType):
    """Idle time, drawn as cells.

    Another sentence states its share. Macros for labels of bubbles are defined elsewhere.
    """

    model, field, noun = Bubble, "bubbles", "a bubble"
