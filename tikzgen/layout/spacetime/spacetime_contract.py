"""Edit contract of space-time diagrams: names, instructions for manual edits, and invariants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.layout.layout_kinds import LayoutKind
from tikzgen.layout.scene.scene import Scene
from tikzgen.model.figure import FigureModel
from tikzgen.model.spacetime import SpaceTime

_ADD = "add a lifeline at the end: its node at the next coordinate, and a line of the same length as the others"
_REMOVE = "remove its node, its line, and every message from it or to it"


class SpaceTimeContract(LayoutKind[SpaceTime]):
    """Edit contract of a space-time diagram: lifelines, and messages between them."""

    def naming_scheme(self, figure: FigureModel, scene: Scene, parts: Sequence[SpaceTime]) -> Iterator[str]:
        lives = [one for part in parts for one in part.lifelines]
        lifelines = "".join(f"({one.id})" for one in lives)
        yield f"Lifelines are nodes: {lifelines}"
        sent = "Messages are points on their arrows, <lifeline>-m<k>, counted from 1 along the lifeline that sends them"
        several = any(len(one.targets) > 1 for part in parts for one in part.messages)
        to_each = "; a message to several has a point on each arrow, <lifeline>-m<k>-<target>" if several else ""
        ending = _has_crashes(parts) or any(one.lost for part in parts for one in part.messages)
        ends = "; a lost message ends at <its point>-lost, a failed lifeline at <lifeline>-crash" if ending else ""
        back = ", a restart is <lifeline>-restart" if any(one.restart is not None for one in lives) else ""
        feet = "; a text at a lifeline's end is <lifeline>-foot" if any(one.foot for one in lives) else ""
        events = "; events are nodes, <lifeline>-e<k>" if any(part.events for part in parts) else ""
        yield sent + to_each + ends + back + feet + events

    def by_hand(self, figure: FigureModel, scene: Scene, parts: Sequence[SpaceTime]) -> dict[str, str]:
        return {"add_lane": _ADD, "remove_lane": _REMOVE}

    def invariants(self, figure: FigureModel, scene: Scene, parts: Sequence[SpaceTime]) -> Iterator[str]:
        yield "no message is received before it is sent"
        if _has_crashes(parts):
            yield "a lifeline that has failed sends and receives nothing afterwards"
        if any(part.regions for part in parts):
            yield "regions are nested or disjoint, over adjacent lifelines"
        if any(part.clocks for part in parts):
            yield "clocks follow from the messages: an operation computes them again"
        if any(part.activations for part in parts):
            yield "a bar ends before its lifeline fails, and no two bars of a lifeline overlap"
        if any(part.cuts for part in parts):
            yield "a cut contains the sending of every message that it contains as received, unless it is inconsistent"


def _has_crashes(parts: Sequence[SpaceTime]) -> bool:
    return any(one.crash is not None for part in parts for one in part.lifelines)
