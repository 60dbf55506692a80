"""From a figure to a scene: what stands where, in symbolic lengths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import get_args

from tikzgen.errors import Problem, SpecError
from tikzgen.icons import Icon
from tikzgen.layout.cells import definition
from tikzgen.layout.chart import charts
from tikzgen.layout.curves import curves
from tikzgen.layout.fit import fit
from tikzgen.layout.labels import Labels, collect
from tikzgen.layout.length import number
from tikzgen.layout.plan import Need
from tikzgen.layout.scene import (
    Bar,
    Box,
    Caption,
    Edge,
    Fit,
    IconPicture,
    Item,
    Key,
    Label,
    Mark,
    Mass,
    Note,
    Parameter,
    Path,
    Scene,
    Scope,
    Steps,
)
from tikzgen.layout.shapes import icon_macro
from tikzgen.layout.styles import styles
from tikzgen.model.entities import Entity
from tikzgen.model.figure import Figure
from tikzgen.model.look import PALETTES
from tikzgen.model.topology import Topology
from tikzgen.model.widths import has_large_type
from tikzgen.text import typeset

__all__ = ["layout"]


def layout(figure: Figure, icons: Mapping[str, Icon]) -> Scene:
    """Lay out a figure; `icons` holds at least those that it names. `SpecError` where it cannot fit its width."""
    known = charts(figure)
    labels = collect(figure, known)
    plan, page, needs = fit(figure, labels, known, icons)
    _refuse_size(page.extent.width(plan.values), page.extent.height(plan.values))
    used = set(_macros(page.items))
    parameters = [*_distances(needs, plan.values), *_texts(labels, used)]
    set_texts = [typeset(slot.text) for key, slot in labels.slots.items() if labels.macros[key] in used]
    plain, libraries = styles(figure, page.items, plan.values)
    named = (*curves(page.items), *plain)
    _refuse_names(page.items, {style.name for style in named})
    return Scene(
        parameters=tuple(parameters),
        palette=PALETTES[figure.palette],
        palette_name=figure.palette,
        styles=named,
        icons=tuple(_icons(figure, icons)),
        items=page.items,
        extent=page.extent,
        libraries=libraries,
        packages=tuple(sorted({name for text in set_texts for name in text.packages})),
        cjk=any(text.cjk for text in set_texts),
        family=figure.font.family,
        size=plan.size,
        fixed=has_large_type(figure.width) if figure.font.fixed is None else figure.font.fixed,
        notes=tuple(_notes(page.items)),
    )


_LARGEST = 570  # cm: TeX's largest dimension is 16383.99998 pt, which is 575.8 cm


def _refuse_size(width: float, height: float) -> None:
    """Nothing is larger than what TeX can measure."""
    for size, what, distances in ((width, "wide", "colsep, timeunit"), (height, "high", "rowsep, laneheight")):
        if size > _LARGEST:
            message = f"the figure would be {size:.0f} cm {what}, and TeX measures no more than {_LARGEST} cm"
            hint = f"draw fewer parts (workers: {{count: …, show: 3}}) or set smaller distances (spacing: {distances})"
            raise SpecError([Problem(message, hint=hint)])


def _refuse_names(items: Sequence[Item], styles: set[str]) -> None:
    """No name stands twice, nor is it a style's, but for the template's own `data`, whose contract fixes both."""
    seen: set[str] = set()
    for name in _names(items):
        if name in styles - {"data"}:
            raise SpecError([Problem(f'the id "{name}" is the name of a style in this figure', hint=_OTHER)])
        if name in seen:
            raise SpecError([Problem(f'two things in this figure would be called "{name}"', hint=_OTHER)])
        seen.add(name)


_OTHER = "choose another id"


def _names(items: Sequence[Item]) -> Iterator[str]:
    """Every name of a node or a point, in the order of the file."""
    for item in items:
        match item:
            case Scope():
                yield from _names(item.items)
            case Box() | Bar() | Mark() | Steps():
                yield item.name
            case Mass():
                yield from _names(item.points)
            case Fit():
                yield from (name for name in (item.name, item.label_name) if name)
            case Caption() | Path() | Label() if item.name:
                yield item.name
            case Edge():
                yield from (name for _, name in item.points)
            case Key():
                yield from (f"legend-{entry.name}{end}" for entry in item.entries for end in ("", "-text"))


def _notes(items: Sequence[Item]) -> Iterator[str]:
    """What the reader of the description should know of the drawing."""
    for item in items:
        if isinstance(item, Scope):
            yield from _notes(item.items)
        elif isinstance(item, Mass):
            yield from item.notes
        elif isinstance(item, Note) and item.text.startswith(_NOTE):
            yield item.text.removeprefix(_NOTE)


_NOTE = "note: "


def _distances(needs: Mapping[str, Need], values: Mapping[str, float]) -> Iterator[Parameter]:
    for name, need in needs.items():
        yield Parameter(name, number(values[name], 7), need.meaning, "length-cm")


def _texts(labels: Labels, used: set[str]) -> Iterator[Parameter]:
    """The texts in the order of the file, the title last."""
    ordered = sorted(labels.slots.items(), key=lambda entry: entry[1].stem == "titlelabel")
    seen: set[str] = set()
    for key, slot in ordered:
        macro = labels.macros[key]
        if macro in used and macro not in seen:
            seen.add(macro)
            if slot.numbered:
                yield Parameter(macro, definition(slot.text), slot.meaning, "text-of-number")
            else:
                yield Parameter(macro, typeset(slot.text).source, slot.meaning, "text")


# The fields of each kind of items that hold macros.
_SPEAKING: dict[type, tuple[str, ...]] = {
    kind: tuple(field.name for field in fields(kind) if field.name in ("text", "label", "rule", "cap_text"))
    for kind in get_args(Item)
}


def _macros(items: Sequence[Item]) -> Iterator[str]:
    """Every macro name that the items mention."""
    for item in items:
        if isinstance(item, Scope):
            yield from _macros(item.items)
        elif isinstance(item, Key):
            yield from (entry.text for entry in item.entries)
        else:
            for field in _SPEAKING[type(item)]:
                value = getattr(item, field)
                yield from (value,) if isinstance(value, str) else value
            if isinstance(item, Bar) and item.second:
                yield item.second.text


def _icons(figure: Figure, icons: Mapping[str, Icon]) -> Iterator[IconPicture]:
    seen: set[str] = set()
    for panel in figure.panels:
        for content in panel.content:
            for node in content.nodes if isinstance(content, Topology) else ():
                if isinstance(node, Entity) and node.icon and (macro := icon_macro(node)) not in seen:
                    seen.add(macro)
                    yield IconPicture(macro, node.icon, node.color or icons[node.icon].color)
