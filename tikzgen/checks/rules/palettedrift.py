"""TG209: a palette colour with a value of its own."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.checks.registry import Broken, Rule
from tikzgen.checks.subjects import Subject
from tikzgen.checks.written import Written

__all__ = ["RULE"]


def _look(subject: Subject) -> Iterator[Broken]:
    if not isinstance(subject, Written):
        return
    from tikzgen.model.look import PALETTES

    for color in subject.facts.colors:
        known = [palette[color.name] for palette in PALETTES.values() if color.name in palette]
        if known and color.name.startswith("ot") and color.value.upper() not in known:
            message = f"{color.name} is {color.value}, in the palettes it is {' or '.join(known)}"
            yield Broken(subject.place(color.value_span.start), message, f"set it to {known[0]}")


RULE = Rule("TG209", "palette-drift", "palette colours have the values of the light or the dark palette", _look)
