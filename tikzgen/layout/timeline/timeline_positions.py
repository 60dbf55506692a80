"""A timeline in one attempt at a layout: its lanes on paper."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import inf

from tikzgen.base.record import as_dict
from tikzgen.layout.attempt import LayoutAttempt, Numbers
from tikzgen.layout.constants import INNER, SIZES
from tikzgen.layout.symbolic_lengths import Length, SymbolicBox, param
from tikzgen.layout.time.part_with_time import PartWithTime, Side
from tikzgen.layout.time.timeline_facts import TimelineFacts
from tikzgen.layout.timeline.timeline_items import CellText
from tikzgen.model.looks import width_in_cm

_SHARE = 1 / 3  # of the width that the labels of lanes take at most; panels side by side share the first
_LEAST_SHARE = 1 / 6


class TimelineOnPaper(TimelineFacts, PartWithTime):
    """What is known of a timeline, with the attempt that it is part of."""

    plan: LayoutAttempt

    @property
    def numbers(self) -> Numbers:
        """How the numbers in its cells are set."""
        return self.plan.numbers[self.key]

    @property
    def pitch(self) -> float:
        return self.plan.values["laneheight"] + self.plan.values["lanesep"]

    @property
    def lanes_room(self) -> float:
        """What the label of a lane may take of the figure's width, in cm."""
        figure = self.plan.figure
        if figure.width is None:
            return inf
        narrow = _LEAST_SHARE if self.plan.pressed else max(_LEAST_SHARE, _SHARE / figure.abreast)
        return width_in_cm(figure.width) * (narrow if self.plan.limit else _SHARE)

    @cached_property
    def lanes_size(self) -> float:
        """The size in pt of all labels of lanes in the figure: the largest at which each has room, or the smallest."""
        room = self.lanes_room - 2 * INNER
        beside = [facts.part for facts in self.plan.timelines.values() if facts.right]
        labels = {lane.label for part in beside for lane in part.lanes}
        labels |= {strip.label for part in beside for strip in part.strips}
        return min((self.plan.largest_size(label, room) or SIZES[-1] for label in labels), default=self.plan.size)

    @cached_property
    def chosen_labels(self) -> dict[tuple[int, bool], CellText]:
        """The labels that fit into spans and their second halves, by index, as far as they were sought."""
        return {}

    def line(self, row: float) -> Length:
        return (param("laneheight") + param("lanesep")) * row

    def edge(self, side: Side) -> float:
        """The row at which what stands before or after the lanes begins."""
        return -0.5 if side == "before" else self.rows - 0.5

    def over_lanes(self, lanes: Sequence[str], start: Fraction, stop: Fraction) -> SymbolicBox:
        """The paper of a period over lanes that lie next to each other."""
        middle, many = self.middle(lanes)
        half = (self.line(many - 1) + param("laneheight")) * 0.5
        row = self.line(middle)
        return self.extent(self.moment(start), self.moment(stop), row - half, row + half)


def on_paper(plan: LayoutAttempt, facts: TimelineFacts) -> TimelineOnPaper:
    """A timeline as it is in this attempt."""
    return TimelineOnPaper(**as_dict(facts), plan=plan)
