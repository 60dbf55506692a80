"""Space-time diagrams, as one of the kinds of what a panel may hold."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.attempt import Need, Plan
from tikzgen.layout.chart import part_mark
from tikzgen.layout.drawn_kinds import Charts, Kind, Linked
from tikzgen.layout.labels import Slot
from tikzgen.layout.scene import Piece
from tikzgen.layout.spacetime.place_spacetime import spacetime
from tikzgen.layout.spacetime.spacetime_needs import spacing
from tikzgen.layout.spacetime.weave import life_stem, message_stem, weave_of
from tikzgen.model.content import Path
from tikzgen.model.figure import Panel
from tikzgen.model.spacetime import SpaceTime

__all__ = ["KIND"]


class SpaceTimes(Kind[SpaceTime]):
    """Lifelines over time, and the messages between them."""

    styles = ("life name", "life head", "life line", "crashed line", "crash sign", "reply arrow", "lost arrow")

    def slots(self, charts: Charts, panel: Panel, part: SpaceTime, at: Path) -> Iterator[Slot]:
        mark = part_mark(panel, part)
        for index, lifeline in enumerate(part.lifelines):
            meaning = f"label of lifeline {lifeline.id}"
            yield Slot(
                panel.id, life_stem(part, index, mark), lifeline.label, meaning, (*at, "lifelines", index, "label")
            )
        for index, (message, name) in enumerate(zip(part.messages, part.names(), strict=True)):
            meaning = f"text at message {name}"
            yield Slot(
                panel.id, message_stem(part, index, mark), message.label, meaning, (*at, "messages", index, "label")
            )
        yield Slot(panel.id, f"spacetimelabel{mark}", part.time, "label of the arrow of time", (*at, "time"))

    def needs(self, plan: Plan, panel: Panel, index: int, part: SpaceTime) -> dict[str, Need]:
        return spacing(plan, weave_of(plan.figure, panel, part))

    def place(self, plan: Plan, panel: Panel, index: int, part: SpaceTime, linked: Linked) -> Piece:
        return spacetime(plan, weave_of(plan.figure, panel, part))

    def length(self, plan: Plan, panel: Panel, index: int, part: SpaceTime) -> float | None:
        return weave_of(plan.figure, panel, part).end if part.direction == "right" else None


KIND: Kind[SpaceTime] = SpaceTimes()
