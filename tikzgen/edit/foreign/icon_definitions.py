"""An icon of tikzgen's in a figure of others: its picture, and the colours that it needs and the file lacks."""

from __future__ import annotations

import re

from tikzgen.base.errors import quoted
from tikzgen.edit.foreign.pieces import inserted_after
from tikzgen.edit.outcome import EditRefused
from tikzgen.icons import discover
from tikzgen.lint.paletteblock import variant
from tikzgen.model.palettes import PALETTES
from tikzgen.texfile import Facts
from tikzgen.texfile.edits import Replacement
from tikzgen.tikz.environment import fill

__all__ = ["brought_along", "macro_of"]


def macro_of(icon: str) -> str:
    """The macro that draws an icon: `cpu` is drawn by `\\cpupic`."""
    name = icon.removeprefix("\\")
    return f"\\{re.sub('[^A-Za-z]', '', name)}pic" if name in discover() else f"\\{name}"


def brought_along(facts: Facts, icon: str) -> list[Replacement]:
    """The definition of an icon, behind those of the figure's own, and of its colours, behind those of the palette."""
    macros = {picture.macro for picture in facts.pictures if picture.macro}
    drawn = [each for each in facts.definitions if each.name in macros]
    if not drawn or not facts.colors:
        raise EditRefused("no-such-icon", f"the figure has no place for the definition of {quoted(icon)}")
    found = discover()[icon]
    text = fill("icon_definition.tex.j2", macro=macro_of(icon)[1:], icon=icon, color=found.color).rstrip("\n")
    values = PALETTES[variant(facts)]
    known = {color.name for color in facts.colors}
    lacking = [name for name in values if name not in known and re.search(rf"(?<![A-Za-z]){name}(?![A-Za-z])", text)]
    colors = "\n".join(f"\\definecolor{{{name}}}{{HTML}}{{{values[name]}}}%" for name in lacking)
    newline = "\r\n" if "\r\n" in facts.text else "\n"
    pieces = [(facts.colors[-1].span, colors), (drawn[-1].span, text)]
    return [inserted_after(facts, span, new.replace("\n", newline)) for span, new in pieces if new]
