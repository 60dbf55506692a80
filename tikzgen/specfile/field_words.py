"""The fields of a model for people: type with choices, default and meaning, each in a few words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from tikzgen.base.record import Record, replace
from tikzgen.model.base import Part, shortest
from tikzgen.model.options import Options
from tikzgen.specfile.schema import field_docs

# What unions are called that stand for one idea.
_IDEAS = {"text or number or raw TeX": "text", "int or number or text": "time", "number or text or null": "width"}
_KINDS = {"string": "text", "integer": "int", "number": "number", "boolean": "bool", "null": "null"}


class FieldFacts(Record):
    """What is known of a field; `default` is empty where it has to be given, `name` is dotted inside a part."""

    name: str
    type: str
    default: str
    meaning: str


def fields_in_order(model: type[Options]) -> Iterator[tuple[str, Any]]:
    """The fields that a caller gives to a recipe: its own first, then what every figure takes."""
    fields = model.model_fields
    apart = {*Options.model_fields, "recipe", "reading", "overrides"}
    own = [name for name in fields if name not in apart]
    above = {name for parent in model.__mro__[1:] for name in getattr(parent, "model_fields", ())}
    own.sort(key=lambda name: (name == "labels", name in above))
    for name in (*own, *Options.model_fields, "overrides"):
        if name in fields:
            yield name, fields[name]


def field_facts(model: type[Options]) -> Iterator[FieldFacts]:
    """The fields of a recipe in that order; those of a part that is its own, such as `labels`, one by one."""
    known, own = facts_by_field(model), model.model_fields.keys() - Options.model_fields.keys()
    for name, info in fields_in_order(model):
        kind = info.annotation
        if isinstance(kind, type) and known[name].type == kind.__name__ and issubclass(kind, Part) and name in own:
            yield from (replace(fact, name=f"{name}.{fact.name}") for fact in facts_by_field(kind).values())
        else:
            yield known[name]


def facts_by_field(model: type[BaseModel]) -> dict[str, FieldFacts]:
    """What is known of each field, by the name that it has in the model."""
    schema, docs, found = model.model_json_schema()["properties"], field_docs(model), {}
    for name, info in model.model_fields.items():
        said = info.alias or name
        kind = type_words(schema[said]) if name != "overrides" else "list of operations"
        default = "" if info.is_required() else spelt_default(info.get_default(call_default_factory=True))
        found[name] = FieldFacts(said, kind, default, " ".join(docs[name].split()))
    return found


def spelt_default(value: Any) -> str:
    """A default as a spec has it."""
    return json.dumps(shortest(value), ensure_ascii=False)


def type_words(schema: dict[str, Any], mark: str = "") -> str:
    """A JSON Schema in a few words: `int or Crowd`, `list of text`; of choices, all. Names stand between marks."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2].rpartition("__")[2]  # two models may have one name
        return f"{mark}{name}{mark}"
    if "const" in schema or "enum" in schema:
        return ", ".join(f"{mark}{each}{mark}" for each in schema.get("enum", [schema.get("const")]))
    for key in ("anyOf", "oneOf"):
        if key in schema:
            words = " or ".join(dict.fromkeys(type_words(each, mark) for each in schema[key]))
            for union, word in _IDEAS.items():
                words = re.sub(rf"^{union}(?= or |$)", word, words)
            return words
    kind: str = schema.get("type", "any")
    if kind == "array":
        return f"list of {type_words(schema.get('items', {}), mark)}"
    if kind == "object":
        return "raw TeX" if "tex" in schema.get("properties", {}) else "mapping"
    return _KINDS.get(kind, kind)
