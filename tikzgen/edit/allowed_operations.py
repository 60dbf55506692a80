"""Operations that a figure allows, with possible names, for tikzgen's own and third-party figures."""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from typing import Any

from pydantic import BaseModel

from tikzgen.edit.own_figure import figure_of_data
from tikzgen.edit.set_spacing_and_texts import SAYINGS
from tikzgen.lint.inventory import Inventory
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import HUES, discover_icons
from tikzgen.model.operations import Names, Operation, SetSchedule, names_of
from tikzgen.spec.errors.field_docs import field_docs


def names_in(figure: Inventory) -> Names:
    """Return the names that operations accept: parameters of the file, and elements of the figure."""
    found = {
        "parameters": [*(each.name[1:] for each in figure.parameters), *(SAYINGS if figure.own else ())],
        "lengths": [each.name[1:] for each in figure.parameters if each.type == "length-cm"],
        "icons": list(discover_icons()) if figure.own else list(figure.icons),
    }
    own = names_of(figure_inside(figure)) if figure.description is not None else _of_others(figure)
    return {**own, **{kind: tuple(dict.fromkeys(names)) for kind, names in found.items()}}


def figure_inside(figure: Inventory) -> FigureModel:
    """Return the figure of the embedded description."""
    return figure.figure or figure_of_data(figure.description or {}, figure.file)


def _of_others(figure: Inventory) -> dict[str, tuple[str, ...]]:
    """Return the names that the source alone shows."""
    nodes = [each for each in figure.nodes if each.kind != "coordinate"]
    families = [family for family in figure.families if family.kind == "worker"]
    members = {name for family in families for name in family.members}
    spare = not families or any(len(family.members) > family.least for family in families)
    ends = [(flow.source, flow.target) for flow in figure.flows if flow.style != "link"]
    named = _once(each.name for each in nodes)
    return {
        "nodes": named,
        "pairs": named if len(named) > 1 else (),
        "unframed": named,
        "named": _once(each.name for each in figure.nodes),
        "labelled": _once(each.name for each in nodes if each.label or any("label" in one for one in each.labels)),
        "workers": _once(each.name for each in nodes if each.name in members),
        "spare_workers": _once(each.name for each in nodes if each.name in members and spare),
        "with_icon": _once(each.name for each in figure.nodes if each.icon),
        "colored": _once(each.name for each in figure.styles if set(each.colors) & set(HUES)),
        "recolored": _once(each.name for each in figure.styles if set(each.colors) & set(HUES)),
        "flow_sources": _once(source for source, _ in ends if source in named),
        "flow_targets": _once(target for _, target in ends if target in named),
    }


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def reasons(operation: type[Operation], figure: Inventory, names: Names) -> tuple[str, ...]:
    """Return the reasons why the figure does not allow an operation now; empty if it does."""
    found = list(operation.list_reasons_against(names))
    if not figure.own:
        why = figure.origin.trouble or "the figure carries no description of tikzgen's"
        if operation.of_others == "never":
            return (why,)
        if operation.of_others == "by contract" and not figure.contract:
            found.append(f"{why}, and there is no .contract.json next to it")
        if in_prose := figure.contract_prose.get(operation.operation_name()):
            found.append(in_prose)
        missing = [name for name in HUES if name not in {color.name for color in figure.colors}]
        if operation.operation_name() == "palette" and missing:
            found.append(f"the figure does not define {', '.join(missing)}")
    return tuple(found)


@cache
def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema()


def schema(operation: type[Operation], names: Names | None = None, figure: Inventory | None = None) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the arguments, limited to the names and schedule of a figure."""
    found = deepcopy(_schema(operation))
    properties, docs = found["properties"], field_docs(operation)
    del properties["do"]
    found["required"] = [name for name in found.get("required", ()) if name != "do"]
    if operation is SetSchedule and figure is not None and figure.own:
        found |= _facts(figure, properties)
        docs = {**docs, **{name: field["description"] for name, field in properties.items()}}
    for name, field in properties.items():
        field.pop("title", None)
        field["description"] = docs[name]
        known = (names or {}).get(operation.names.get(name, ""), ())
        if known:
            _choose(field, known)
    found.pop("title", None)
    found.pop("description", None)
    if not found["required"]:
        del found["required"]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}


def _choose(field: dict[str, Any], known: tuple[str, ...]) -> None:
    """Restrict a field to one or several of the known names, or to its default or null."""
    options = field.get("anyOf", ())
    if field.get("type") == "array" or any(each.get("type") == "array" for each in options):
        one = {"enum": list(known)}
        several = {"type": "array", "items": one, "minItems": 1}
        free = [{"type": "null"}] if any(each.get("type") == "null" for each in options) else [one]
        for key in ("type", "items", "minItems"):
            field.pop(key, None)
        field["anyOf"] = [*free, several]
        return
    field.pop("anyOf", None)
    field.pop("pattern", None)
    field["enum"] = [*known, *([field["default"]] if field.get("default", "…") in ("", None) else [])]
    if "null" in [each.get("type") for each in options] and None not in field["enum"]:
        field["enum"].append(None)


def _facts(figure: Inventory, properties: dict[str, Any]) -> dict[str, Any]:
    """Add the schedule parameters of a figure's recipe to `properties`; return other keys of the schema."""
    origin = figure_inside(figure).origin
    assert origin is not None, "a recipe has facts"
    whole, docs = _schema(type(origin)), field_docs(type(origin))
    for name in origin.schedule_facts:
        properties[name] = {**whole["properties"][name], "description": docs[name]}
    used = set(re.findall(r"#/\$defs/(\w+)", str(properties)))
    defs = {name: part for name, part in whole.get("$defs", {}).items() if name in used}
    return {"additionalProperties": False, **({"$defs": defs} if defs else {})}
