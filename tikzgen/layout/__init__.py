"""From a figure to a scene: what stands where, in symbolic lengths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import ceil

from tikzgen.base.errors import Problem, SpecError, quoted
from tikzgen.base.record import replace
from tikzgen.icons import Icon, wanted, with_plugins
from tikzgen.layout.cell_texts import definition
from tikzgen.layout.items import Item, with_nested
from tikzgen.layout.label_sizes import Sizes
from tikzgen.layout.lengths import number, param
from tikzgen.layout.number_words import icon_macro
from tikzgen.layout.page.figure_forms import forms
from tikzgen.layout.page.fit_width import densities, first_plan, fit
from tikzgen.layout.page.refuse_width import refused
from tikzgen.layout.page.stretch_to_width import Attempt
from tikzgen.layout.plan import Labels, Need, Plan, Slot
from tikzgen.layout.scene import IconPicture, Least, Parameter, Scene
from tikzgen.layout.tikz_styles_used import styles
from tikzgen.model.content import Content
from tikzgen.model.entities import Dots, Entity, Worker
from tikzgen.model.figure import Figure
from tikzgen.model.topology import Topology
from tikzgen.model.widths import has_large_type, width_in_cm
from tikzgen.plane.units import TALLEST
from tikzgen.text import typeset
from tikzgen.text.characters import LOANS

__all__ = ["drawn", "layout"]


def layout(figure: Figure, icons: Mapping[str, Icon], sizes: Sizes | None = None) -> Scene:
    """Lay out a figure, in the first of its forms that fits its width, a compact one if need be; `SpecError` where none
    does.

    `icons` holds at least those that it names. `sizes` are those of the figure, where the caller wants to know which
    texts were asked for.
    """
    sizes = sizes or Sizes(figure.measured)
    usual, unfit = None, []
    short: tuple[Figure, Attempt] | None = None
    for compact, form in ((compact, form) for compact in densities(figure) for form in forms(figure)):
        usual = usual or form
        start = first_plan(form, icons, sizes, compact=compact)
        found = fit(start)
        if isinstance(found, float):
            unfit.append((start, found))
        elif short is None and _is_short(found):
            short = form, found
        elif short is None or found.height <= max(_LOW, short[1].height):
            return _told(usual, form, found)
    if usual is not None and short is not None:
        return _told(usual, *short)
    raise refused(*min(unfit, key=lambda found: found[1]))


_BARS = 0.5  # of the width: less time than this in a row of panels is better in a column
_LOW = 14.0  # cm of height that the column may take, or as much as the row


def _is_short(found: Attempt) -> bool:
    """Whether labels leave little to the lanes of panels side by side, which might stand one below the other."""
    figure, plan = found.plan.figure, found.plan
    if figure.width is None or figure.arrange != "auto" or figure.abreast < 2 or len(figure.panels) != figure.abreast:
        return False
    if not plan.timelines or not all(facts.right for facts in plan.timelines.values()):
        return False
    long = sum(float(facts.end) for facts in plan.timelines.values()) * plan.values["timeunit"]
    return len(plan.timelines) == len(figure.panels) and long < _BARS * width_in_cm(figure.width)


def _told(usual: Figure, form: Figure, found: Attempt) -> Scene:
    """The scene of a form, with what is to be told of it."""
    scene = _scene(found)
    return replace(scene, notes=(*scene.notes, *_elided(usual, form), *_tall(found), *_farther(found)))


def _tall(found: Attempt) -> Iterator[str]:
    """That a figure is taller than a page's text, where nobody asked for a height."""
    if found.height > TALLEST and found.plan.figure.height is None:
        yield f"it is {found.height:.1f} cm tall, and a page's text {TALLEST:g} cm: set a height, or draw fewer parts"


def _farther(found: Attempt) -> Iterator[str]:
    """Which distances are longer than the author says, because nothing is to overlap."""
    for name, value in found.plan.values.items():
        said: float | None = getattr(found.plan.figure.spacing, name)
        if said is not None and said < value:
            yield f"{name} is {value:g} cm: with {said:g} cm parts of the figure would overlap"


def drawn(figure: Figure) -> Figure:
    """The form in which a figure is drawn: the first that fits its width; the usual one where none does."""
    usual, *others = islice(forms(figure), 2)
    if figure.width is None or not others:
        return usual
    try:
        return layout(figure, wanted(figure, with_plugins(figure, ()))).figure
    except SpecError:
        return usual


def _scene(found: Attempt) -> Scene:
    plan, page = found.plan, found.page
    figure, labels = plan.figure, plan.labels
    every = list(with_nested(page.items))
    used = {macro for item in every for macro in item.macros()}
    parameters = [*_distances(found.needs, plan.values), *_texts(labels, used)]
    set_texts = [typeset(slot.text) for slot in labels.slots.values() if slot.macro in used]
    named, libraries = styles(figure, page.items)
    hatched = any(style.name == "hatch lines" for style in named)
    _refuse_size(found.width, found.height, hatched=hatched)
    _refuse_names(every, {style.name for style in named})
    return Scene(
        figure=figure,
        parameters=tuple(parameters),
        least=tuple(_least(found)),
        palette=figure.style.colors(figure.palette),
        palette_name=figure.palette,
        styles=named,
        icons=tuple(_icons(plan)),
        items=page.items,
        extent=page.extent,
        libraries=libraries,
        packages=tuple(sorted({name for text in set_texts for name in text.packages})),
        cjk=any(text.cjk for text in set_texts),
        borrowed=tuple(loan for name, loan in LOANS.items() if any(name in text.borrowed for text in set_texts)),
        family=figure.font.family,
        size=plan.size,
        fixed=has_large_type(figure.width) if figure.font.fixed is None else figure.font.fixed,
        notes=tuple(dict.fromkeys(remark for item in every for remark in item.remarks())),
        measured=tuple(plan.sizes.used()),
    )


_LARGEST = 570  # cm: TeX's largest dimension is 16383.99998 pt, which is 575.8 cm


def _elided(asked: Figure, form: Figure) -> Iterator[str]:
    """What the form leaves to an ellipsis, so that nobody takes it for all there is."""
    less = max(_workers(asked, index) - _workers(form, index) for index in range(len(form.panels)))
    dotted = any(isinstance(node, Dots) for _, _, part in asked.parts(Topology) for node in part.nodes)
    if less and not dotted:  # else the figure says so itself
        width = width_in_cm(form.width or 0.0)
        who = "1 worker is" if less == 1 else f"{less} workers are"
        lanes = (
            "; their lanes are all drawn" if any(one.type != "topology" for _, _, one in form.parts(Content)) else ""
        )
        yield f"{who} an ellipsis in the topology, so that it fits {width:g} cm{lanes}"


def _workers(figure: Figure, panel: int) -> int:
    parts = [part for place, _, part in figure.parts(Topology) if place == panel]
    return sum(isinstance(node, Worker) for part in parts for node in part.nodes)


def _refuse_size(width: float, height: float, *, hatched: bool) -> None:
    """Nothing is larger than what TeX can measure, nor the stroke of a hatch: as wide as its span and its height."""
    if hatched and width <= _LARGEST and height <= _LARGEST < width + height:
        message = f"the figure would be {width:.0f} cm wide and {height:.0f} cm high, and TeX measures no more than"
        raise _too_large(f"{message} {_LARGEST} cm for both where spans are hatched", "colsep, rowsep, timeunit")
    for size, what, distances in ((width, "wide", "colsep, timeunit"), (height, "high", "rowsep, laneheight")):
        if size > _LARGEST:
            message = f"the figure would be {size:.0f} cm {what}, and TeX measures no more than {_LARGEST} cm"
            raise _too_large(message, distances)


def _too_large(message: str, distances: str) -> SpecError:
    hint = f"draw fewer parts (workers: {{count: …, show: 3}}) or set smaller distances (spacing: {distances})"
    return SpecError([Problem(message, hint=hint)])


def _refuse_names(items: Sequence[Item], styles: set[str]) -> None:
    """No name stands twice, nor is it a style's, but for the template's own `data`, whose contract fixes both."""
    seen: set[str] = set()
    for name in (name for item in items for name in item.names()):
        if name in styles - {"data"}:
            raise SpecError([Problem(f"the id {quoted(name)} is the name of a style in this figure", hint=_OTHER)])
        if name in seen:
            raise SpecError([Problem(f"two things in this figure would be called {quoted(name)}", hint=_OTHER)])
        seen.add(name)


_OTHER = "choose another id"


def _distances(needs: Mapping[str, Need], values: Mapping[str, float]) -> Iterator[Parameter]:
    for name, need in needs.items():
        # how far a vertical distance may shrink is known for the usual figure only
        least = ceil(need.least * 1000 - 1e-6) / 1000 if need.axis == "x" else None
        yield Parameter(name, number(values[name], 7), need.meaning, "length-cm", least)


def _least(found: Attempt) -> Iterator[Least]:
    """What distances are at least: by themselves first, then beside others."""
    values = found.plan.values
    firm = {name: need.firm for name, need in found.needs.items() if need.firm}
    beside: dict[tuple[str, str], float] = {}
    for name, length in found.page.least:
        firm[name] = max(firm.get(name, 0.0), length.constant)
        for other, share in length.terms:
            beside[name, str(other)] = max(beside.get((name, str(other)), 0.0), share)
    for name, cm in firm.items():
        yield Least(f"\\{name}", number(min(ceil(cm * 1000 - 1e-6) / 1000, values[name])))
    for (name, other), share in beside.items():
        yield Least(f"\\{name}", str(param(other, share)))


def _texts(labels: Labels, used: set[str]) -> Iterator[Parameter]:
    """The texts in the order of the file, the title last."""
    ordered = sorted(labels.slots.values(), key=lambda slot: slot.stem == "titlelabel")
    first: dict[str, Slot] = {}
    for slot in ordered:
        first.setdefault(slot.macro, slot)
    for slot in (slot for macro, slot in first.items() if macro in used):
        if slot.numbered:
            yield Parameter(slot.macro, definition(slot.text), slot.meaning, "text-of-number")
        else:
            yield Parameter(slot.macro, typeset(slot.text).source, slot.meaning, "text")


def _icons(plan: Plan) -> Iterator[IconPicture]:
    seen: set[str] = set()
    factor = plan.figure.style.icons * plan.icon_share
    scale = "" if factor == 1 else number(factor)
    for node in (node for _, _, part in plan.figure.parts(Topology) for node in part.nodes):
        if isinstance(node, Entity) and node.icon and (macro := icon_macro(node.icon, node.color)) not in seen:
            seen.add(macro)
            yield IconPicture(macro, node.icon, node.color or plan.icons[node.icon].color, scale)
