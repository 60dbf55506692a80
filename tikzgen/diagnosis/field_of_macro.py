"""From a macro or a node of a rendered figure to the field of the description that it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tikzgen.layout.name_macros import collect
from tikzgen.layout.timeline_facts import facts_of_timelines
from tikzgen.model.base import Part
from tikzgen.model.content import Content
from tikzgen.model.spacing import SPACING
from tikzgen.text import Tex, typeset
from tikzgen.text.label_text import holds_text

if TYPE_CHECKING:
    from tikzgen.diagnosis.suspects import Suspect
    from tikzgen.model.figure import Figure


Path = tuple[str | int, ...]


def home_of(suspect: Suspect, figure: Figure) -> Path | None:
    """The field of the description, the recipe's where a recipe made the figure; nothing where there is none."""
    name = suspect.name.removeprefix("\\")
    if suspect.kind == "macro":
        return ("spacing", name) if name in SPACING else _short(_text(name, figure), figure)
    if suspect.kind == "package":
        return _short(_needing(name, figure), figure)
    if suspect.kind == "node" and figure.origin is None:
        return next((path for node, path in _nodes(figure) if node == name), None)
    return None


def home_of_text(text: str, figure: Figure) -> Path | None:
    """The field that says a text of the figure: the whole of it, or, of a text put together of several, a part."""
    slots = [slot for slot in collect(figure, facts_of_timelines(figure)).slots.values() if slot.path]
    raw = isinstance(text, Tex)
    same = (slot for slot in slots if slot.text == text and isinstance(slot.text, Tex) is raw)
    parts = (slot for slot in slots if isinstance(slot.text, Tex) and slot.text in text)
    wholes = (slot for slot in slots if text in slot.text)
    return next((_short(slot.path, figure) for found in (same, parts, wholes) for slot in found), None)


def _text(macro: str, figure: Figure) -> Path | None:
    """Where the text of a macro stands in the figure."""
    slots = collect(figure, facts_of_timelines(figure)).slots.values()
    return next((path for slot in slots if slot.macro == macro for path in slot.homes if path), None)


def _needing(package: str, figure: Figure) -> Path | None:
    """The first text that a package, or a font of Chinese, is loaded for."""
    cjk = re.match(r"(?i)cjk|xecjk|luatexja|ctex|c70|gbsn|fandol|haranoaji", package) is not None
    for slot in collect(figure, facts_of_timelines(figure)).slots.values():
        needs = typeset(slot.text)
        if slot.path and (package in needs.packages or (cjk and needs.cjk)):
            return slot.path
    return None


def _short(path: Path | None, figure: Figure) -> Path | None:
    """The recipe's field for a text of the figure: the one that says it all, else the most of it.

    The path as it is where no recipe made the figure.
    """
    if path is None or figure.origin is None:
        return path
    value: Any = figure
    for step in path:
        value = value[step] if isinstance(step, int) or isinstance(value, Mapping) else getattr(value, step)
    said = [(home, _FILLED.sub(".+", re.escape(text)), text) for home, text in _texts(figure.origin)]
    whole = [home for home, pattern, _ in said if re.fullmatch(pattern, str(value), re.DOTALL)]
    parts = [(home, text) for home, pattern, text in said if re.search(pattern, str(value), re.DOTALL)]
    return whole[0] if whole else max(parts, key=lambda part: len(part[1]), default=(None, ""))[0]


_FILLED = re.compile(r"\\\{\w+\\\}")  # what stands for a number in a text, as `re.escape` spells it


def _texts(value: Any, path: Path = (), *, is_label: bool = False) -> Iterator[tuple[Path, str]]:
    """The texts in a part of a description, each with the way to it; empty ones say nothing."""
    if isinstance(value, Part):
        for name, field in type(value).model_fields.items():
            yield from _texts(getattr(value, name), (*path, name), is_label=holds_text(field))
    elif isinstance(value, list | dict):
        for step, each in enumerate(value) if isinstance(value, list) else value.items():
            yield from _texts(each, (*path, step), is_label=is_label)
    elif isinstance(value, str) and value and is_label:
        yield path, value


def _nodes(figure: Figure) -> Iterator[tuple[str, Path]]:
    """The names of nodes with the places of what they show."""
    for number, index, content in figure.parts(Content):
        before = f"{figure.panels[number].id}-" if len(figure.panels) > 1 else ""
        yield from ((before + name, ("panels", number, "content", index, *steps)) for name, steps in content.named())
