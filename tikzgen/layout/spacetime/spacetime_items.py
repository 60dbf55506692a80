"""What a space-time diagram is drawn with besides lines and texts: heads, bars on lifelines, clocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from tikzgen.layout.items import Item
from tikzgen.layout.timeline.timeline_items import Spot


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


class Clock(Item):
    """What a logical clock shows at an event: numbers, which are no text of anybody's; `clear` sets them on paper."""

    spelling: ClassVar[str] = "spacetime.clock"
    look: ClassVar[str] = "number"

    clock: str
    at: Spot
    anchor: str
    size: str
    clear: bool = False

    def uses(self) -> Iterator[str]:
        yield from super().uses()
        if self.clear:
            yield "clear"
