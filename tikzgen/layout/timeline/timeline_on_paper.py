"""A timeline in one attempt at a layout: its lanes on paper."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tikzgen.base.record import as_dict
from tikzgen.layout.lengths import Extent, Length, param
from tikzgen.layout.plan import Numbers, Plan
from tikzgen.layout.timed import Side, Timed
from tikzgen.layout.timeline_facts import TimelineFacts


class TimelineOnPaper(TimelineFacts, Timed):
    """What is known of a timeline, with the attempt that it is part of."""

    plan: Plan

    @property
    def numbers(self) -> Numbers:
        """How the numbers in its cells are set."""
        return self.plan.numbers[self.key]

    @property
    def pitch(self) -> float:
        return self.plan.values["laneheight"] + self.plan.values["lanesep"]

    def line(self, row: float) -> Length:
        return (param("laneheight") + param("lanesep")) * row

    def edge(self, side: Side) -> float:
        """The row at which what stands before or after the lanes begins."""
        return -0.5 if side == "before" else self.rows - 0.5

    def over_lanes(self, lanes: Sequence[str], start: Fraction, stop: Fraction) -> Extent:
        """The paper of a period over lanes that lie next to each other."""
        middle, many = self.middle(lanes)
        half = (self.line(many - 1) + param("laneheight")) * 0.5
        row = self.line(middle)
        return self.extent(self.moment(start), self.moment(stop), row - half, row + half)


def on_paper(plan: Plan, facts: TimelineFacts) -> TimelineOnPaper:
    """A timeline as it is in this attempt."""
    return TimelineOnPaper(**as_dict(facts), plan=plan)
