"""Which field of a description each text macro of its figure comes from: the figure's texts know it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tikzgen.base.record import Record, replace
from tikzgen.layout.cell_texts import definition
from tikzgen.layout.chart import charts
from tikzgen.layout.macros import collect
from tikzgen.model.figure import Figure
from tikzgen.model.operations.text_fields import Path, at_path
from tikzgen.text import typeset

__all__ = ["MacroField", "macro_fields"]


class MacroField(Record):
    """A macro's fields: `places` in the figure that is drawn, `fact` in its recipe, None where it has none of its own.

    `source` is what the file says of its `text`.
    """

    macro: str
    text: str
    source: str
    places: tuple[Path, ...]
    fact: Path | None


def macro_fields(drawn: Figure) -> Mapping[str, MacroField]:
    """The text macros of a figure by name, with the fields that hold their texts."""
    labels = collect(drawn, charts(drawn))
    found: dict[str, MacroField] = {}
    for key, macro in labels.macros.items():
        slot = labels.slots[key]
        before = found[macro].places if macro in found else ()
        places = (*before, *(path for path in labels.homes[key] if path))
        facts = {getattr(at_path(drawn, path), "field", None) or None for path in places}
        source = definition(slot.text) if slot.numbered else typeset(slot.text).source
        found[macro] = MacroField(macro, slot.text, source, places, facts.pop() if len(facts) == 1 else None)
    # what several macros are made of is no one's own: to change one of them is to change it alone
    shared = Counter(each.fact for each in found.values())
    return {macro: replace(each, fact=None) if shared[each.fact] > 1 else each for macro, each in found.items()}
