"""A kind of content of a third party: the bits of a word, side by side."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tikzgen.layout.layout_kinds import LayoutKind
from tikzgen.layout.scene.items import Item
from tikzgen.layout.scene.number_words import part_mark, spell_cardinal
from tikzgen.layout.scene.scene import PlacedPart
from tikzgen.layout.symbolic_lengths import Length, SymbolicBox
from tikzgen.model.content import Content
from tikzgen.model.sentences import Sentence
from tikzgen.text import Text

SIZE = 0.6  # cm


class Bits(Content):
    layout_address = "bits_kind:Layout"
    sentences_address = "bits_kind:describe"

    type: Literal["bits"] = "bits"
    bits: list[Text] = Field(min_length=1, max_length=64)


class BitItem(Item):
    spelling = "bits.bit"
    name: str
    x: float
    text: str
    styles: tuple[str, ...] = ("tone",)


class Layout(LayoutKind[Bits]):
    def texts(self, timelines, panel, index, part):
        for place, bit in enumerate(part.bits):
            yield f"bit{spell_cardinal(place + 1)}{part_mark(panel, part)}", bit, f"bit {place + 1}", "bits", place

    def needs(self, plan, panel, index, part):
        return {}

    def place_part(self, plan, panel, index, part, linked):
        macros = [plan.labels.find_macro(panel.id, stem) for stem, *_ in self.texts({}, panel, index, part)]
        items = [BitItem(plan.name(panel.id, f"bit{k}"), k * SIZE, macro) for k, macro in enumerate(macros)]
        box = SymbolicBox(Length(-SIZE / 2), Length(-SIZE / 2), Length((len(items) - 0.5) * SIZE), Length(SIZE / 2))
        return PlacedPart(tuple(items), box)


def describe(part, figure, known):
    yield Sentence(0, f"A word of {len(part.bits)} bits: {' '.join(map(str, part.bits))}")
