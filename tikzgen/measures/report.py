"""What a figure's schedules come to: panel by panel, for programs, for people and for a paper's text."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from tikzgen.measures.catalogue import CATALOGUE, Value
from tikzgen.record import Record
from tikzgen.schedule.exact import spell

__all__ = ["PanelMeasures", "Report"]


class PanelMeasures(Record):
    """The measures of one panel; `devices` names what the tuples among the `values` have an entry for."""

    panel: str
    devices: tuple[str, ...]
    values: Mapping[str, Value]

    @classmethod
    def of(cls, panel: str, devices: tuple[str, ...], values: Mapping[str, Value]) -> PanelMeasures:
        """With the values in the order in which they are told."""
        ordered = {key: values[key] for key in CATALOGUE if key in values}
        return cls(panel, devices, MappingProxyType(ordered))

    @property
    def makespan(self) -> Fraction:
        """When the last operation ends, in time units."""
        value = self.values["makespan"]
        assert not isinstance(value, tuple)
        return Fraction(value)

    def as_json(self) -> dict[str, object]:
        """The measures by key: integers, strings such as `"3/11"`, or lists of these by device."""
        return {
            key: [spell(each) for each in value] if isinstance(value, tuple) else spell(value)
            for key, value in self.values.items()
        }


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
        from tikzgen.measures.table import table

        return table(self)

    def as_tex(self, source: str = "") -> str:
        r"""Macros for a paper's preamble: `\pipelineMakespan`; `source` names the spec in a comment.

        Raises `TikzgenError` where two panels would have the same macros.
        """
        from tikzgen.measures.macros import macros

        return macros(self, source)
