"""TG208: a colour that is not from the palette."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.checks.registry import Broken, Rule
from tikzgen.checks.subjects import Subject
from tikzgen.checks.written import Written

__all__ = ["RULE"]

_HINT = "use a palette colour or a tint of one"


def _look(subject: Subject) -> Iterator[Broken]:
    if not isinstance(subject, Written):
        return
    for literal in subject.facts.color_literals:
        message = f"the colour {literal.value} stands outside the palette block"
        yield Broken(subject.place(literal.span.start), message, _HINT)
    for use in subject.facts.color_uses:
        mixed = subject.facts.text[: use.span.start].endswith("!")
        if use.stock and not (mixed and use.name in ("black", "white")):
            yield Broken(subject.place(use.span.start), f"{use.name} is no colour of the palette", _HINT)


RULE = Rule("TG208", "stray-color", "colours come from the palette block, by name", _look)
