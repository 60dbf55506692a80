"""TG209: a palette colour with a value of its own."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.findings import Fix
from tikzgen.lint.paletteblock import hex_of, variant
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written
from tikzgen.model.palettes import PALETTES
from tikzgen.texfile.edits import Replacement

__all__ = ["RULE"]


def _look(subject: Written) -> Iterator[Broken]:
    if not subject.facts.colors:
        return
    name = variant(subject.facts)
    right = PALETTES[name]
    # paper and ink are names that others may have given to colours of their own
    strict = any(color.name.startswith("ot") and color.name in right for color in subject.facts.colors)
    for color in subject.facts.colors:
        wanted = right.get(color.name) if strict else None
        if wanted is None or hex_of(color.model, color.value) == wanted:
            continue
        message = f"{color.name} is {color.value}, in the {name} palette it is {wanted}"
        fix = None
        if color.model == "HTML":
            fix = Fix((Replacement(color.value_span, color.value_span.of(subject.facts.text), wanted),))
        yield Broken(subject.place(color.value_span.start), message, f"set it to {wanted}", fix)


_SUMMARY = "palette colours have the values of one palette, the light or the dark one"
RULE = Rule("TG209", "palette-drift", _SUMMARY, Written, _look, fixes="sets the palette's value")
