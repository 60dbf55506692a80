"""Styles, colours, and what the file loads."""

from __future__ import annotations

from tikzgen.inventory.inventory_facts import Colour, Requires, Style
from tikzgen.texfile import Facts

__all__ = ["colors", "icons", "requires", "styles"]


def styles(facts: Facts) -> tuple[Style, ...]:
    """The styles of the figure itself; those of the pictures inside its icons are the icons' own affair."""
    found = []
    for style in facts.styles:
        if style.extends or (style.picture is not None and facts.pictures[style.picture].macro):
            continue
        start, end = style.value_span
        names = [use.name for use in facts.color_uses if start <= use.span.start < end]
        place = facts.place(style.span.start)
        value = " ".join(style.value_span.of(facts.text).split())
        found.append(Style(style.name, tuple(dict.fromkeys(names)), value, place.line or 0, place.column or 0))
    return tuple(found)


def colors(facts: Facts) -> tuple[Colour, ...]:
    """The colours that the file defines."""
    found = []
    for color in facts.colors:
        place = facts.place(color.span.start)
        found.append(Colour(color.name, color.model, color.value, place.line or 0, place.column or 0))
    return tuple(found)


def icons(facts: Facts) -> tuple[str, ...]:
    """The macros that hold a picture."""
    return tuple(dict.fromkeys(picture.macro for picture in facts.pictures if picture.macro))


def requires(facts: Facts) -> Requires:
    """The class, the packages and the libraries, each once."""
    found = facts.document_class
    packages, libraries = dict.fromkeys(facts.packages), dict.fromkeys(facts.libraries)
    return Requires(found.name if found else "", tuple(packages), tuple(libraries))
