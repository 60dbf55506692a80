"""What a figure's schedules come to: panel by panel, for programs, for people and for a paper's text."""

from __future__ import annotations

from fractions import Fraction

from tikzgen.base.record import Record
from tikzgen.measures.panel_measures import PanelMeasures
from tikzgen.measures.paper_macros import macros
from tikzgen.measures.table import table
from tikzgen.schedule.exact import spell

__all__ = ["Report"]


class Report(Record):
    """The measures of a figure called `figure`: one entry for each panel that has a timeline."""

    figure: str
    panels: tuple[PanelMeasures, ...]

    @property
    def speed_ups(self) -> tuple[Fraction, ...]:
        """For each panel, how many times faster it is than the first one; none where a panel takes no time."""
        if len(self.panels) < 2 or any(not panel.makespan for panel in self.panels):
            return ()
        return tuple(self.panels[0].makespan / panel.makespan for panel in self.panels)

    def as_json(self) -> dict[str, object]:
        """One panel's measures at the top; of several, a list under `panels`.

        The `speed_up` of each panel is over the first one; that of the last also stands beside the list.
        """
        if len(self.panels) == 1:
            return self.panels[0].as_json()
        ratios = self.speed_ups
        panels = [{"panel": panel.panel, **panel.as_json()} for panel in self.panels]
        for panel, ratio in zip(panels, ratios, strict=False):
            panel["speed_up"] = spell(ratio)
        return {"panels": panels, "speed_up": spell(ratios[-1]) if ratios else None}

    def as_text(self) -> str:
        """A table for people: every measure by its full name, exact and rounded."""
        return table(self.figure, self.panels, self.speed_ups)

    def as_tex(self, source: str = "") -> str:
        r"""Macros for a paper's preamble: `\pipelineMakespan`; `source` names the spec in a comment.

        Raises `TikzgenError` where two panels would have the same macros.
        """
        return macros(self.figure, self.panels, self.speed_ups, source)
