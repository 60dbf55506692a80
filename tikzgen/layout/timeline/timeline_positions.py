"""A timeline in one layout attempt, with the positions of its lanes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import inf

from tikzgen.base.record import as_dict
from tikzgen.layout.attempt import LayoutAttempt, Numbers
from tikzgen.layout.constants import INNER, SIZES
from tikzgen.layout.symbolic_lengths import Length, SymbolicBox, make_length
from tikzgen.layout.time.part_with_time import PartWithTime, Side
from tikzgen.layout.time.timeline_facts import TimelineFacts
from tikzgen.layout.timeline.timeline_items import CellText
from tikzgen.model.looks import width_in_cm
from tikzgen.model.timeline import Span

_SHARE = 1 / 3  # maximum share of the width for lane labels; divided among panels side by side
_LEAST_SHARE = 1 / 6


class TimelineOnPaper(TimelineFacts, PartWithTime):
    """A timeline with its properties and the layout attempt that it is part of."""

    plan: LayoutAttempt

    @property
    def numbers(self) -> Numbers:
        """Style of the numbers in its cells."""
        return self.plan.numbers[self.key]

    @property
    def is_upright(self) -> bool:
        """Whether labels stay level although time is vertical; if time runs up, labels run along time."""
        return self.part.direction == "down"

    def swap_label(self, width: float, height: float) -> tuple[float, float]:
        """Return the size of a label next to the lanes along time and across lanes, in cm."""
        return (height, width) if self.is_upright else (width, height)

    def choose_text_anchor(self, side: Side) -> str:
        """Return the anchor of a label before or after the rows that faces them."""
        if self.is_upright:
            return "east" if side == "before" else "west"
        return self.choose_facing_anchor(side)

    @property
    def pitch(self) -> float:
        return self.plan.values["laneheight"] + self.plan.values["lanesep"]

    @property
    def lanes_room(self) -> float:
        """Room for the label of a lane in the figure's width, in cm; infinite without a width."""
        figure = self.plan.figure
        if figure.width is None:
            return inf
        narrow = _LEAST_SHARE if self.plan.pressed else max(_LEAST_SHARE, _SHARE / figure.abreast)
        return width_in_cm(figure.width) * (narrow if self.plan.limit else _SHARE)

    @cached_property
    def lanes_size(self) -> float:
        """Size in pt of all lane labels in the figure: the largest at which all fit, or the smallest size."""
        room = self.lanes_room - 2 * INNER
        beside = [facts.part for facts in self.plan.timelines.values() if facts.right]
        labels = {lane.label for part in beside for lane in part.lanes}
        labels |= {strip.label for part in beside for strip in part.strips}
        return min((self.plan.largest_size(label, room) or SIZES[-1] for label in labels), default=self.plan.size)

    @cached_property
    def widest_label(self) -> float:
        """Width in cm of the widest label or short form of a span in one lane, in the smallest type."""
        texts = {list_label_choices(span)[-1] for span in self.part.spans if span.label and len(span.lanes) == 1}
        return max((self.plan.measure(text, size=SIZES[-1]).width for text in texts), default=0.0)

    @cached_property
    def chosen_labels(self) -> dict[tuple[int, bool], CellText]:
        """Labels that fit into spans and their second halves, by index, as far as computed."""
        return {}

    def place_row(self, row: float) -> Length:
        return (make_length("laneheight") + make_length("lanesep")) * row

    def find_edge_row(self, side: Side) -> float:
        """Return the row at which content before or after the lanes begins."""
        return -0.5 if side == "before" else self.rows - 0.5

    def over_lanes(self, lanes: Sequence[str], start: Fraction, stop: Fraction) -> SymbolicBox:
        """Return the area of a period over adjacent lanes."""
        middle, many = self.measure_lanes(lanes)
        half = (self.place_row(many - 1) + make_length("laneheight")) * 0.5
        row = self.place_row(middle)
        return self.make_extent(self.place_time(start), self.place_time(stop), row - half, row + half)


def list_label_choices(span: Span) -> list[str]:
    """Return the label of a span and its short form, as far as the span has them."""
    return [text for text in (span.label, span.short) if text]


def on_paper(plan: LayoutAttempt, facts: TimelineFacts) -> TimelineOnPaper:
    """Return a timeline in this attempt."""
    return TimelineOnPaper(**as_dict(facts), plan=plan)
