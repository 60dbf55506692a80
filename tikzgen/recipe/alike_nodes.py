"""Protocols in which nodes do alike: of many, a few have lifelines, and dots stand for the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import ClassVar

from pydantic import Field

from tikzgen.recipe.alike_devices import few_of
from tikzgen.recipe.exchanged import Exchanged
from tikzgen.schedule.protocols.message_network import Network


class AlikeNodes(Exchanged):
    """What recipes of protocols share whose nodes differ little, the last ones of all that there are."""

    alike: ClassVar[str]
    """The field that says how many there are."""
    _most: ClassVar[int] = 8

    show: int | None = Field(default=None, ge=1, le=64)
    """How many that do alike have lifelines; the others are dots. Null draws all, or a few of many. Who says, hears or
    ends otherwise than most is always drawn."""

    def hidden(self, run: Network, feet: Mapping[int, str]) -> Collection[int]:
        """Those that have no lifeline: each says, hears and ends as most do."""
        count, last = getattr(self, self.alike), len(self.ids())
        few = few_of(count, self.show, self._most)
        if few is None:
            return ()
        crowd = range(last - count, last)
        does: dict[int, list[object]] = {node: [feet.get(node)] for node in crowd}
        for letter in run.letters:
            for node in {letter.source, letter.target} & does.keys():
                does[node].append((letter.says, letter.lost, letter.source == node))
        ((usual, _),) = Counter(tuple(told) for told in does.values()).most_common(1)
        drawn = {crowd[place] for place in few}
        return [node for node in crowd if node not in drawn and tuple(does[node]) == usual]
