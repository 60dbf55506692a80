"""Space-time diagrams as a kind of panel content."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.attempt import WITHOUT_ID, DistanceNeed, LayoutAttempt
from tikzgen.layout.layout_kinds import FactsByPlace, LayoutKind, Linked, Said
from tikzgen.layout.scene.number_words import part_mark
from tikzgen.layout.scene.scene import PlacedPart
from tikzgen.layout.spacetime.facts_and_message_ways import facts_of
from tikzgen.layout.spacetime.place_spacetime import place_spacetime
from tikzgen.layout.spacetime.spacetime_contract import SpaceTimeContract
from tikzgen.layout.spacetime.spacetime_needs import distances_of_spacetime
from tikzgen.model.panel_parts import Panel
from tikzgen.model.spacetime import SpaceTime


class SpaceTimes(SpaceTimeContract):
    """Layout of a space-time diagram: lifelines over time, and the messages between them."""

    styles = (
        *("life name", "life head", "life line", "crashed line", "crash sign", "restart sign", "active"),
        *("reply arrow", "async arrow", "lost arrow", "happened before"),
        *("cut line", "inconsistent cut", "clock tick", "separator"),
        *("region", "filled region", "region tab", "region case"),
    )

    def texts(self, timelines: FactsByPlace, panel: Panel, index: int, part: SpaceTime) -> Iterator[Said]:
        mark = part_mark(panel, part)
        for stem, text, meaning, *path in _iterate_spacetime_labels(part):
            yield f"{stem} {mark}", text, meaning, *path

    def needs(self, plan: LayoutAttempt, panel: Panel, index: int, part: SpaceTime) -> dict[str, DistanceNeed]:
        return distances_of_spacetime(facts_of(plan, panel, index, part))

    def place_part(self, plan: LayoutAttempt, panel: Panel, index: int, part: SpaceTime, linked: Linked) -> PlacedPart:
        return place_spacetime(facts_of(plan, panel, index, part))

    def length(self, plan: LayoutAttempt, panel: Panel, index: int, part: SpaceTime) -> float | None:
        facts = facts_of(plan, panel, index, part)
        return facts.end if facts.right else None


def _iterate_spacetime_labels(part: SpaceTime) -> Iterator[Said]:
    """Yield the labels of the only diagram of a panel."""
    for index, lifeline in enumerate(part.lifelines):
        at, stem = ("lifelines", index), lifeline.id
        yield f"{stem} label", lifeline.label, f"label of lifeline {lifeline.id}", *at, "label"
        yield f"{stem} foot", lifeline.foot, f"label at the end of lifeline {lifeline.id}", *at, "foot"
    for index, (message, name) in enumerate(zip(part.messages, part.names(), strict=True)):
        stem = message.id or f"{WITHOUT_ID}message {index + 1}"
        yield f"{stem} label", message.label, f"label at message {name}", "messages", index, "label"
    for index, one in enumerate(part.activations):
        stem, meaning = f"{WITHOUT_ID}activation {index + 1} label", f"label while {one.lifeline} is busy"
        yield stem, one.label, meaning, "activations", index, "label"
    for index, (event, name) in enumerate(zip(part.events, part.event_names(), strict=True)):
        stem = event.id or f"{WITHOUT_ID}happening {index + 1}"
        yield f"{stem} label", event.label, f"label at event {name}", "events", index, "label"
    for index, arrow in enumerate(part.happened_before):
        meaning = f"label at the arrow from {arrow.source} to {arrow.target}"
        yield f"{WITHOUT_ID}before {index + 1} label", arrow.label, meaning, "happened_before", index, "label"
    for index, cut in enumerate(part.cuts):
        yield f"{WITHOUT_ID}cut {index + 1} label", cut.label, f"label at cut {index + 1}", "cuts", index, "label"
    for index, region in enumerate(part.regions):
        at, stem, which = ("regions", index), f"{WITHOUT_ID}region {index + 1}", f"region {index + 1}"
        yield f"{stem} label", region.label, f"tab of {which}", *at, "label"
        yield f"{stem} guard", region.guard, f"guard of {which}", *at, "guard"
        for place, case in enumerate(region.cases):
            meaning = f"guard of case {place + 2} of {which}"
            yield f"{stem} case {place + 1}", case.guard, meaning, *at, "cases", place, "guard"
    for index, separator in enumerate(part.separators):
        stem, meaning = f"{WITHOUT_ID}separator {index + 1} label", f"label at separator {index + 1}"
        yield stem, separator.label, meaning, "separators", index, "label"
    for index, note in enumerate(part.notes):
        yield f"{WITHOUT_ID}lifenote {index + 1}", note.text, f"note {index + 1}", "notes", index, "text"
    yield "spacetimelabel", part.time, "label of the arrow of time", "time"


KIND: LayoutKind[SpaceTime] = SpaceTimes()
