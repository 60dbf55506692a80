"""Where edges may end at parts of nodes."""

from __future__ import annotations

from tikzgen.base.record import Record


class PortSpan(Record):
    """Where an edge may end at a part of a node: sides, and the interval along them, from the node's anchor (cm)."""

    sides: tuple[int, ...]
    low: float
    high: float

    @property
    def middle(self) -> float:
        """Middle of the interval."""
        return (self.low + self.high) / 2
