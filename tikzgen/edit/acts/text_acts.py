"""Texts and distances by the name of their parameter, and labels by the node that wears them."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tikzgen.base.errors import quoted
from tikzgen.edit.choices import SAYINGS
from tikzgen.edit.macro_fields import Field, fields, put
from tikzgen.edit.outcome import EditRefused
from tikzgen.edit.overriding import changed
from tikzgen.edit.spec_data import Data, drawn_of_data, is_recipe, recipe_of, spelt_out
from tikzgen.model.base import shortest
from tikzgen.model.changes.label_changes import place_of_text
from tikzgen.model.changes.plain_figure import contents

__all__ = ["rename_node", "set_parameter"]


def set_parameter(data: Data, name: str, *, parameter: str, value: Any) -> Data:
    """A parameter of the file by its macro's name: a distance in cm, or a text; or what the file says of itself."""
    from tikzgen.edit.acts.look_acts import change_spacing
    from tikzgen.model.figure import Spacing

    parameter = parameter.removeprefix("\\")
    if parameter in SAYINGS:
        path, nothing = SAYINGS[parameter]
        return put(data, path, str(value) or nothing)
    if parameter in Spacing.model_fields:
        try:
            return change_spacing(data, name, parameter=parameter, value=_cm(value))
        except ValueError:
            raise EditRefused(
                "no-number", f"{quoted(value)} is no number of cm", nearest=f"set {parameter}=2.5"
            ) from None
    known = fields(data, drawn_of_data(data, name), name, only=parameter)
    if parameter not in known:
        near = _nearest(parameter, [*known, *Spacing.model_fields, *SAYINGS])
        raise EditRefused("no-parameter", f"there is no parameter {quoted(parameter)}", nearest=near)
    return _relabelled(data, name, known[parameter], value)


def rename_node(data: Data, name: str, *, node: str, label: Any) -> Data:
    """The label of a node, lane, frame or flow; its id stays."""
    drawn = drawn_of_data(data, name)
    long = shortest(drawn.model_copy())
    known = fields(data, drawn, name)
    wanted = _labels_of(long, node)
    for field in known.values():
        if wanted & set(field.long):
            return _relabelled(data, name, field, label)
    return changed(data, name, "rename-node", node=node, label=label)


def _labels_of(long: Data, node: str) -> set[tuple[str | int, ...]]:
    """The paths of the labels of all that has an id."""
    return {
        ("panels", panel, "content", place, field, index, "label")
        for kind, names in (("topology", ("nodes", "groups", "flows")), ("timeline", ("lanes", "groups")))
        for panel, place, part in contents(long, kind)
        for field in names
        for index, one in enumerate(part.get(field, ()))
        if one.get("id") == node
    }


def _relabelled(data: Data, name: str, field: Field, value: Any) -> Data:
    if value == field.text:
        return data
    if not field.long:
        raise EditRefused("no-field", f"\\{field.macro} is put together from other facts", nearest="edit the file")
    if field.short is not None:
        return put(_with_defaults(data, name, field.short), field.short, value)
    if is_recipe(data):
        return _overridden(data, name, field, value)
    long = deepcopy(data)
    for path in field.long:
        long = put(_looked(long, name, path), path, value)
    return long


def _overridden(data: Data, name: str, field: Field, value: Any) -> Data:
    """A text that is in no field of the recipe: one worker's in its list of labels, else an override."""
    each = _one_by_one(data, name, field, value)
    if each is not None:
        return each
    long = shortest(drawn_of_data(data, name).model_copy())
    owner = _at(long, field.long[0][:-1])
    node = owner.get("id", "") if isinstance(owner, dict) else ""
    if node and _labels_of(long, node) == set(field.long):
        return changed(data, name, "rename-node", found=True, node=node, label=value)
    return changed(
        data, name, "set-text", found=True, at=[place_of_text(long, path) for path in field.long], text=value
    )


def _with_defaults(data: Data, name: str, path: tuple[str | int, ...]) -> Data:
    """A field inside a list, or a mapping by name, that is as by default: that is written out whole first."""
    from tikzgen.model.base import shortest

    there: Any = data
    value: Any = recipe_of(data)
    for at, step in enumerate(path):
        if isinstance(value, (list, dict)):
            return data if there is not None else put(data, path[:at], shortest(value))
        there = there.get(step) if isinstance(there, dict) else None
        value = getattr(value, str(step))
    return data


def _one_by_one(data: Data, name: str, field: Field, value: Any) -> Data | None:
    """Where a recipe takes labels one by one beside its numbered one: all that are drawn, with the new one."""
    from tikzgen.recipe import recipe

    model = recipe(data["recipe"])
    labels = model.model_fields.get("labels")
    if labels is None or "workers" not in getattr(labels.annotation, "model_fields", {}):
        return None
    long = spelt_out(data, name)
    workers = [
        ("panels", panel, "content", place, "nodes", index)
        for panel, place, part in contents(long, "topology")
        for index, node in enumerate(part["nodes"])
        if node.get("kind") == "worker"
    ]
    texts = [_at(long, (*path, "label")) for path in workers]
    for index, path in enumerate(workers):
        if (*path, "label") in field.long:
            texts[index] = value
            return put(data, ("labels", "workers"), texts)
    return None


def _looked(long: Data, name: str, path: tuple[str | int, ...]) -> Data:
    """A built-in phase is written out before its label changes."""
    if path[0] != "phases" or path[1] in long.get("phases", {}):
        return long
    from tikzgen.model.base import shortest
    from tikzgen.model.look import PHASES

    return put(long, path[:2], shortest(PHASES[str(path[1])]))


def _at(data: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        data = data[step] if isinstance(step, int) else data.get(step, "") if isinstance(data, dict) else ""
    return data


def _nearest(name: str, known: list[str]) -> str:
    from tikzgen.base.suggest import nearest

    near = nearest(name, known)
    return f"set {near}=…" if near else "the parameters are " + ", ".join(known)


def _cm(value: Any) -> float:
    """A number of cm, whole where it is."""
    number = float(value)
    return int(number) if number.is_integer() else number
