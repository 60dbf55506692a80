"""Ends of edges at parts of nodes."""

from __future__ import annotations

from tikzgen.base.record import Record


class PortSpan(Record):
    """Possible ends of an edge at a part of a node: sides, and cm along them from the node's anchor."""

    sides: tuple[int, ...]
    low: float
    high: float

    @property
    def middle(self) -> float:
        """Middle of the interval."""
        return (self.low + self.high) / 2
