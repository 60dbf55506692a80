"""Scene of a placed figure: the contents of the file. Errors report sizes and names that TeX rejects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tikzgen.base.errors import Problem, SpecError, quote
from tikzgen.layout.attempt import Labels, LayoutAttempt, Slot
from tikzgen.layout.page.fit_width import Attempt, stated_distance
from tikzgen.layout.scene.fates import fates_of, notes_on
from tikzgen.layout.scene.items import Item, LegendItem, with_nested
from tikzgen.layout.scene.number_words import icon_macro
from tikzgen.layout.scene.scene import Floor, IconPicture, Parameter, Scene
from tikzgen.layout.scene.tikz_styles_used import collect_tikz_styles
from tikzgen.layout.symbolic_lengths import number
from tikzgen.layout.time.cell_texts import make_macro_body
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import has_large_type
from tikzgen.model.topology import Entity, Topology
from tikzgen.text import LOANS, typeset_label

# Parameters of a scene: distances with their lower bounds, and labels.


def make_distance_parameters(found: Attempt, floors: Mapping[str, Floor]) -> Iterator[Parameter]:
    """Yield the distances as the author states them, or as the layout chose them."""
    for name, need in found.needs.items():
        stated = stated_distance(found.plan.figure, name)
        value = found.plan.values[name] if stated is None else stated
        yield Parameter(name, number(value, 7), need.meaning, "length-cm", floors.get(name))


def make_label_parameters(labels: Labels, used: set[str]) -> Iterator[Parameter]:
    """Yield the label parameters in the order of the file, the title last."""
    ordered = sorted(labels.slots, key=lambda slot: slot.stem == "titlelabel")
    first: dict[str, Slot] = {}
    for slot in ordered:
        first.setdefault(slot.macro, slot)
    for slot in (slot for macro, slot in first.items() if macro in used):
        if slot.numbered:
            yield Parameter(slot.macro, make_macro_body(slot.text), slot.meaning, "text-of-number")
        else:
            yield Parameter(slot.macro, typeset_label(slot.text).source, slot.meaning, "text")


def scene_of(found: Attempt, asked: FigureModel, floors: Mapping[str, Floor]) -> Scene:
    """Return the scene of a placed figure; `asked` is the figure before dots replaced parts of it."""
    plan, page = found.plan, found.page
    figure, labels = plan.figure, plan.labels
    every = list(with_nested(page.items))
    used = {macro for item in every for macro in item.iterate_macros()}
    parameters = [*make_distance_parameters(found, floors), *make_label_parameters(labels, used)]
    set_texts = [typeset_label(slot.text) for slot in labels.slots if slot.macro in used]
    set_texts += [
        typeset_label(text) for text in dict.fromkeys(each for item in every for each in item.iterate_written_texts())
    ]
    named, libraries = collect_tikz_styles(figure, page.items)
    hatched = any(style.name == "hatch lines" for style in named)
    _refuse_size(found.width, found.height, hatched=hatched)
    _refuse_names(every, {style.name for style in named})
    entries = {entry.text for item in every if isinstance(item, LegendItem) for entry in item.entries}
    fates = tuple(fates_of(plan, used, entries, asked))
    return Scene(
        figure=figure,
        parameters=tuple(parameters),
        palette=figure.colors(figure.palette),
        palette_name=figure.palette,
        styles=named,
        icons=tuple(_make_icon_pictures(plan)),
        items=page.items,
        extent=page.extent,
        below=page.below,
        libraries=libraries,
        packages=tuple(sorted({name for text in set_texts for name in text.packages})),
        cjk=any(text.cjk for text in set_texts),
        borrowed=tuple(loan for name, loan in LOANS.items() if any(name in text.borrowed for text in set_texts)),
        family=figure.font.family,
        size=plan.size,
        fixed=has_large_type(figure.width) if figure.font.fixed is None else figure.font.fixed,
        notes=(*dict.fromkeys(remark for item in every for remark in item.iterate_remarks()), *notes_on(fates)),
        fates=fates,
        measured=tuple(plan.sizes.iterate_used_sizes()),
    )


_LARGEST_LENGTH_CM = 570  # cm: TeX's largest dimension is 16383.99998 pt, which is 575.8 cm


def _refuse_size(width: float, height: float, *, hatched: bool) -> None:
    """Raise `SpecError` if the figure is larger than TeX can measure.

    The stroke of a hatch is as wide as the width plus the height of its span, so that sum has the same limit.
    """
    if hatched and width <= _LARGEST_LENGTH_CM and height <= _LARGEST_LENGTH_CM < width + height:
        sizes = f"width {width:.0f} cm plus height {height:.0f} cm"
        message = f"{sizes} exceeds {_LARGEST_LENGTH_CM} cm, the limit of TeX for hatches"
        raise _too_large(message, "colsep, rowsep, timeunit")
    for size, what, names in ((width, "wide", "colsep, timeunit"), (height, "high", "rowsep, laneheight")):
        if size > _LARGEST_LENGTH_CM:
            message = f"the figure would be {size:.0f} cm {what}, and TeX measures no more than {_LARGEST_LENGTH_CM} cm"
            raise _too_large(message, names)


def _too_large(message: str, distances: str) -> SpecError:
    hint = f"draw fewer parts (workers: {{count: …, show: 3}}) or set smaller distances (spacing: {distances})"
    return SpecError([Problem(message, hint=hint)])


def _refuse_names(items: Sequence[Item], styles: set[str]) -> None:
    """Raise `SpecError` if two items have one name, or a name equals a style.

    The name `data` may equal a style: the contract of the template requires both.
    """
    seen: set[str] = set()
    for name in (name for item in items for name in item.iterate_names()):
        if name in styles - {"data"}:
            raise SpecError([Problem(f"the id {quote(name)} is the name of a style in this figure", hint=_ID_HINT)])
        if name in seen:
            raise SpecError([Problem(f"two parts of this figure would have the name {quote(name)}", hint=_ID_HINT)])
        seen.add(name)


_ID_HINT = "choose another id"


def _make_icon_pictures(plan: LayoutAttempt) -> Iterator[IconPicture]:
    seen: set[str] = set()
    factor = plan.figure.style.icons * plan.icon_share
    scale = "" if factor == 1 else number(factor)
    for node in (node for _, _, part in plan.figure.parts(Topology) for node in part.nodes):
        if isinstance(node, Entity) and node.icon and (macro := icon_macro(node.icon, node.color)) not in seen:
            seen.add(macro)
            yield IconPicture(macro, node.icon, node.color or plan.icons[node.icon].color, scale)
