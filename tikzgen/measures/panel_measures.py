"""The measures of one panel."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from tikzgen.base.record import Record
from tikzgen.measures.known_measures import CATALOGUE, Value
from tikzgen.schedule.exact import spell

__all__ = ["PanelMeasures"]


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
