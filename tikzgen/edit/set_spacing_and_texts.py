"""Changes of parameters by macro, and of labels by node, in the field that states them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from tikzgen.base.errors import EditRefused, quote
from tikzgen.base.record import Record, replace
from tikzgen.base.suggest import find_similar_name
from tikzgen.edit.own_figure import Said, overridden, with_changed_parts
from tikzgen.layout.scene import collect
from tikzgen.layout.time.cell_texts import make_macro_body
from tikzgen.layout.time.timeline_facts import facts_of_timelines
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Options
from tikzgen.model.looks import Spacing
from tikzgen.model.operations import (
    ChangeSpacing,
    Path,
    RenameNode,
    Set,
    at_path,
    iterate_entries,
    place_of_text,
    read_operation,
    with_value_at,
)
from tikzgen.text import TextRefused, typeset_label


class MacroField(Record):
    """Fields of a macro: `places` in the drawn figure, and `fact` in its recipe, None without one.

    `source` is the TeX of its `text`.
    """

    macro: str
    text: str
    source: str
    places: tuple[Path, ...]
    fact: Path | None


def macro_fields(drawn: FigureModel) -> Mapping[str, MacroField]:
    """Return the label macros of a figure by name, with the fields that contain the labels."""
    labels = collect(drawn, facts_of_timelines(drawn))
    found: dict[str, MacroField] = {}
    for slot in labels.slots:
        macro = slot.macro
        before = found[macro].places if macro in found else ()
        places = (*before, *filter(None, slot.homes))
        facts = {getattr(at_path(drawn, path), "field", None) or None for path in places}
        source = make_macro_body(slot.text) if slot.numbered else typeset_label(slot.text).source
        found[macro] = MacroField(macro, slot.text, source, places, facts.pop() if len(facts) == 1 else None)
    # a field that several macros share belongs to none of them: a change of one must not change the others
    shared = Counter(each.fact for each in found.values())
    return {macro: replace(each, fact=None) if shared[each.fact] > 1 else each for macro, each in found.items()}


SAYINGS: Mapping[str, tuple[Path, str | None]] = {
    "description": (("meta", "description"), ""),
    "language": (("language",), None),
}
"""Text for readers who cannot see the figure: the field of each name, and its value for an empty string."""


def set_parameter(said: Said, operation: Set) -> Options:
    """Set a parameter by its macro: a distance in cm, or a label; or the description or the language."""
    parameter, value = operation.parameter.removeprefix("\\"), operation.value
    if parameter in SAYINGS:
        path, nothing = SAYINGS[parameter]
        made: Options = with_value_at(said.options, path, str(value) or nothing)
        return made
    if parameter in Spacing.model_fields:
        try:
            return _set_spacing(said, parameter, float(value))
        except ValueError:
            raise EditRefused(
                "no-number", f"{quote(value)} is not a number of cm", nearest=f"set {parameter}=2.5"
            ) from None
    known = macro_fields(said.drawn_figure)
    if parameter not in known:
        names = [*known, *Spacing.model_fields, *SAYINGS]
        near = find_similar_name(parameter, names)
        hint = f"set {near}=…" if near else "the parameters are " + ", ".join(names)
        raise EditRefused("no-parameter", f"unknown parameter {quote(parameter)}", nearest=hint)
    return _set_label(said, known[parameter], value if isinstance(value, str) else f"{value:g}")


def change_spacing(said: Said, operation: ChangeSpacing) -> Options:
    """Set one distance, in cm."""
    if operation.parameter not in Spacing.model_fields:
        known = ", ".join(Spacing.model_fields)
        message = f"unknown distance {quote(operation.parameter)}"
        raise EditRefused("no-parameter", message, nearest=f"the distances are {known}")
    return _set_spacing(said, operation.parameter, operation.value)


def _set_spacing(said: Said, parameter: str, value: float) -> Options:
    made: Options = with_value_at(said.options, ("spacing", parameter), int(value) if value.is_integer() else value)
    return made


def rename_node(said: Said, operation: RenameNode) -> Options:
    """Set the label of a node, lane, frame or flow; the id stays."""
    wanted = _labels_of(said, operation.node)
    for field in macro_fields(said.drawn_figure).values() if wanted else ():
        if wanted & set(field.places):
            return _set_label(said, field, operation.label)
    return with_changed_parts(said, operation)


def _labels_of(said: Said, node: str) -> set[Path]:
    """Return the paths of the labels of elements with an id, in the drawn figure."""
    return {
        ("panels", number, "content", place, field, index, "label")
        for number, panel in enumerate(said.drawn_figure.panels)
        for place, content in enumerate(panel.content)
        for field, index, entry in iterate_entries(content)
        if getattr(entry, "id", None) == node
    }


def _set_label(said: Said, field: MacroField, value: str) -> Options:
    if value == field.text and type(value) is type(field.text):
        return said.options
    if not field.places:
        raise EditRefused(
            "no-field", f"\\{field.macro} is computed from other parameters", nearest="change these, or edit the file"
        )
    if field.fact is not None or said.recipe is None:
        made = said.options
        for path in field.places if field.fact is None else (field.fact,):
            made = with_value_at(made, path, value)
        return made
    return _one_by_one(said, field, value) or _overridden(said, field, value)


def _overridden(said: Said, field: MacroField, value: str) -> Options:
    """Return the recipe with an override for a label that none of its parameters states."""
    assert said.recipe is not None, "a figure of a recipe"
    node = getattr(at_path(said.drawn_figure, field.places[0][:-1]), "id", None) or ""
    if node and _labels_of(said, node) == set(field.places):
        return overridden(said, said.recipe, read_operation("rename-node", {"node": node, "label": value}))
    places = [place_of_text(said.drawn_figure, path) for path in field.places]
    return overridden(said, said.recipe, read_operation("set-text", {"at": places, "text": value}))


def _one_by_one(said: Said, field: MacroField, value: str) -> Options | None:
    """Return the recipe with separate labels for all drawn workers, one of them new; None if unsupported."""
    if "workers" not in getattr(type(getattr(said.recipe, "labels", None)), "model_fields", {}):
        return None
    places = [path for path in field.places if getattr(at_path(said.drawn_figure, path[:-1]), "kind", "") == "worker"]
    if not places or places[0][-1] != "label":
        return None
    nodes = at_path(said.drawn_figure, places[0][:-2])
    texts = [value if at == places[0][-2] else one.label for at, one in enumerate(nodes) if one.kind == "worker"]
    made: Options = with_value_at(said.options, ("labels", "workers"), texts)
    return made


def read_label(source: str) -> Any:
    """Return the text of TeX source: plain if it is equivalent, raw otherwise."""
    try:
        return source if typeset_label(source).source == source else {"tex": source}
    except TextRefused:
        return {"tex": source}
