"""What a space-time diagram is drawn with besides lines and texts: the heads of its lifelines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from tikzgen.layout.items import Item
from tikzgen.layout.timeline.timeline_items import Spot

__all__ = ["LifelineHead"]


class LifelineHead(Item):
    """The beginning of a lifeline, with its label, which may be `framed`; without a label a mere point.

    `above` and `below` say how far its text reaches from the baseline, in cm; 0 is the usual.
    """

    spelling: ClassVar[str] = "spacetime.head"

    name: str
    text: str
    color: str
    at: Spot
    anchor: str
    framed: bool = False
    above: float = 0.0
    below: float = 0.0

    def uses(self) -> Iterator[str]:
        if self.text:
            yield "life head" if self.framed else "life name"
