"""What the contract says of space-time diagrams: names, what a hand does, what every edit must keep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.contract.kind_words import KindWords
from tikzgen.layout.scene import Scene
from tikzgen.model.figure import Figure
from tikzgen.model.spacetime import SpaceTime

__all__ = ["WORDS"]

_ADD = "add a lifeline at the end: its node at the next coordinate, and a line as long as the others"
_REMOVE = "take out its node, its line, and every message from it or to it"


class SpaceTimeWords(KindWords[SpaceTime]):
    """Lifelines, and messages between them."""

    def naming(self, figure: Figure, scene: Scene, parts: Sequence[SpaceTime]) -> Iterator[str]:
        lifelines = "".join(f"({one.id})" for part in parts for one in part.lifelines)
        yield f"Lifelines are nodes: {lifelines}"
        sent = "Messages are points on their arrows, <lifeline>-m<k>, counted from 1 along the lifeline that sends them"
        several = any(len(one.targets) > 1 for part in parts for one in part.messages)
        to_each = "; one to several has a point on each, <lifeline>-m<k>-<target>" if several else ""
        ending = _crashes(parts) or any(one.lost for part in parts for one in part.messages)
        ends = "; where one is lost stands <its point>-lost, where a lifeline fails <lifeline>-crash" if ending else ""
        yield sent + to_each + ends

    def by_hand(self, figure: Figure, scene: Scene, parts: Sequence[SpaceTime]) -> dict[str, str]:
        return {"add_lane": _ADD, "remove_lane": _REMOVE}

    def invariants(self, figure: Figure, scene: Scene, parts: Sequence[SpaceTime]) -> Iterator[str]:
        yield "no message is received before it is sent"
        if _crashes(parts):
            yield "a lifeline that has failed sends and receives nothing afterwards"


def _crashes(parts: Sequence[SpaceTime]) -> bool:
    return any(one.crash is not None for part in parts for one in part.lifelines)


WORDS: KindWords[SpaceTime] = SpaceTimeWords()
