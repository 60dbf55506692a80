"""Space-time diagrams, as one of the kinds of what a panel may hold."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.attempt import Need, Plan
from tikzgen.layout.chart import part_mark
from tikzgen.layout.drawn_kinds import Charts, Kind, Linked
from tikzgen.layout.labels import Slot
from tikzgen.layout.scene import Piece
from tikzgen.layout.spacetime.cuts import cut_stem, separator_stem
from tikzgen.layout.spacetime.life_marks import activation_stem, arrow_stem, event_stem, note_stem
from tikzgen.layout.spacetime.place_spacetime import spacetime
from tikzgen.layout.spacetime.regions import case_stem, guard_stem, region_stem
from tikzgen.layout.spacetime.spacetime_needs import spacing
from tikzgen.layout.spacetime.weave import foot_stem, life_stem, message_stem, weave_of
from tikzgen.model.content import Path
from tikzgen.model.figure import Panel
from tikzgen.model.spacetime import SpaceTime


class SpaceTimes(Kind[SpaceTime]):
    """Lifelines over time, and the messages between them."""

    styles = (
        *("life name", "life head", "life line", "crashed line", "crash sign", "restart sign", "active"),
        *("reply arrow", "async arrow", "lost arrow", "happened before"),
        *("cut line", "inconsistent cut", "clock tick", "separator"),
        *("region", "filled region", "region tab", "region case", "life note"),
    )

    def slots(self, charts: Charts, panel: Panel, part: SpaceTime, at: Path) -> Iterator[Slot]:
        mark = part_mark(panel, part)
        for stem, text, meaning, path in _texts(part, mark):
            yield Slot(panel.id, stem, text, meaning, (*at, *path))

    def needs(self, plan: Plan, panel: Panel, index: int, part: SpaceTime) -> dict[str, Need]:
        return spacing(plan, weave_of(plan.figure, panel, part))

    def place(self, plan: Plan, panel: Panel, index: int, part: SpaceTime, linked: Linked) -> Piece:
        return spacetime(plan, weave_of(plan.figure, panel, part))

    def length(self, plan: Plan, panel: Panel, index: int, part: SpaceTime) -> float | None:
        return weave_of(plan.figure, panel, part).end if part.direction == "right" else None


def _texts(part: SpaceTime, mark: str) -> Iterator[tuple[str, str, str, Path]]:
    """The stem of each text's macro, the text, what it means, and the path of its field."""
    for index, lifeline in enumerate(part.lifelines):
        at: Path = ("lifelines", index)
        yield life_stem(part, index, mark), lifeline.label, f"label of lifeline {lifeline.id}", (*at, "label")
        yield foot_stem(part, index, mark), lifeline.foot, f"text at the end of lifeline {lifeline.id}", (*at, "foot")
    for index, (message, name) in enumerate(zip(part.messages, part.names(), strict=True)):
        yield message_stem(part, index, mark), message.label, f"text at message {name}", ("messages", index, "label")
    for index, one in enumerate(part.activations):
        meaning = f"text while {one.lifeline} is busy"
        yield activation_stem(index, mark), one.label, meaning, ("activations", index, "label")
    for index, (event, name) in enumerate(zip(part.events, part.event_names(), strict=True)):
        yield event_stem(mark, index, event), event.label, f"text at event {name}", ("events", index, "label")
    for index, arrow in enumerate(part.happened_before):
        meaning = f"text at the arrow from {arrow.source} to {arrow.target}"
        yield arrow_stem(index, mark), arrow.label, meaning, ("happened_before", index, "label")
    for index, cut in enumerate(part.cuts):
        yield cut_stem(index, mark), cut.label, f"text at cut {index + 1}", ("cuts", index, "label")
    for index, region in enumerate(part.regions):
        at = ("regions", index)
        yield region_stem(index, mark), region.label, f"tab of region {index + 1}", (*at, "label")
        yield guard_stem(index, mark), region.guard, f"guard of region {index + 1}", (*at, "guard")
        for place, case in enumerate(region.cases):
            meaning = f"guard of case {place + 2} of region {index + 1}"
            yield case_stem(index, place, mark), case.guard, meaning, (*at, "cases", place, "guard")
    for index, separator in enumerate(part.separators):
        meaning = f"text at separator {index + 1}"
        yield separator_stem(index, mark), separator.label, meaning, ("separators", index, "label")
    for index, note in enumerate(part.notes):
        yield note_stem(index, mark), note.text, f"note {index + 1}", ("notes", index, "text")
    yield f"spacetimelabel{mark}", part.time, "label of the arrow of time", ("time",)


KIND: Kind[SpaceTime] = SpaceTimes()
