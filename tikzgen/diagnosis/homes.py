"""From a macro or a node of a rendered figure to the field of the description that it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tikzgen.base.errors import TikzgenError
from tikzgen.diagnosis.signs import signed
from tikzgen.model.content import Content

if TYPE_CHECKING:
    from tikzgen.diagnosis.suspects import Suspect
    from tikzgen.model.figure import Figure

__all__ = ["home_of", "home_of_text"]

Path = tuple[str | int, ...]


def home_of(suspect: Suspect, figure: Figure) -> Path | None:
    """The field of the description, the recipe's where a recipe made the figure; nothing where there is none."""
    name = suspect.name.removeprefix("\\")
    if suspect.kind == "macro":
        from tikzgen.model.ranges import SPACING

        return ("spacing", name) if name in SPACING else _short(_text(name, figure), figure)
    if suspect.kind == "package":
        return _short(_needing(name, figure), figure)
    if suspect.kind == "node" and figure.origin is None:
        return next((path for node, path in _nodes(figure) if node == name), None)
    return None


def home_of_text(text: str, figure: Figure) -> Path | None:
    """The field that says a text of the figure: the whole of it, or, of a text put together of several, a part."""
    from tikzgen.layout.chart import charts
    from tikzgen.layout.macros import collect
    from tikzgen.text import Tex

    slots = [slot for slot in collect(figure, charts(figure)).slots.values() if slot.path]
    raw = isinstance(text, Tex)
    same = (slot for slot in slots if slot.text == text and isinstance(slot.text, Tex) is raw)
    parts = (slot for slot in slots if isinstance(slot.text, Tex) and slot.text in text)
    wholes = (slot for slot in slots if text in slot.text)
    return next((_short(slot.path, figure) for found in (same, parts, wholes) for slot in found), None)


def _text(macro: str, figure: Figure) -> Path | None:
    """Where the text of a macro stands in the figure."""
    from tikzgen.layout.chart import charts
    from tikzgen.layout.macros import collect

    labels = collect(figure, charts(figure))
    keys = [key for key, found in labels.macros.items() if found == macro]
    return next((path for key in keys for path in labels.homes[key] if path), None)


def _needing(package: str, figure: Figure) -> Path | None:
    """The first text that a package, or a font of Chinese, is loaded for."""
    from tikzgen.layout.chart import charts
    from tikzgen.layout.macros import collect
    from tikzgen.text import typeset

    cjk = re.match(r"(?i)cjk|xecjk|luatexja|ctex|c70|gbsn|fandol|haranoaji", package) is not None
    for slot in collect(figure, charts(figure)).slots.values():
        needs = typeset(slot.text)
        if slot.path and (package in needs.packages or (cjk and needs.cjk)):
            return slot.path
    return None


def _short(path: Path | None, figure: Figure) -> Path | None:
    """The recipe's field for a field of the figure; the path as it is where no recipe made the figure."""
    recipe = figure.origin
    if path is None or recipe is None:
        return path
    copy, signs = signed(recipe)
    try:
        value: Any = copy.figure()
        for step in path:
            value = value[step] if isinstance(step, int) or isinstance(value, Mapping) else getattr(value, step)
    except (TikzgenError, LookupError, AttributeError, ValueError):
        return None
    return next((home for sign, home in signs.items() if sign in str(value)), None)


def _nodes(figure: Figure) -> Iterator[tuple[str, Path]]:
    """The names of nodes with the places of what they show."""
    for number, index, content in figure.parts(Content):
        before = f"{figure.panels[number].id}-" if len(figure.panels) > 1 else ""
        yield from ((before + name, ("panels", number, "content", index, *steps)) for name, steps in content.named())
