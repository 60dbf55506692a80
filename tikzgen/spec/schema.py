"""JSON Schema of a spec, and its fields in readable form: type with choices, default and meaning."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

from tikzgen.base.record import Record, replace
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Options
from tikzgen.model.looks import BUILT_IN_PHASES, FLOW_KINDS, discover_icons
from tikzgen.model.open_names import OPEN_SET
from tikzgen.model.part import Part, shorten_description
from tikzgen.recipe.recipe_names import RECIPES
from tikzgen.spec.errors.field_docs import field_docs
from tikzgen.spec.extends import EXTENDS

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_POINTER = {"type": "string", "description": "The schema that editors complete this file by; tikzgen ignores it."}


# Values beyond the values that a figure defines, as completions for editors.
_EXAMPLES: dict[str, Callable[[], Iterable[str]]] = {
    "icon": discover_icons,
    "kind": lambda: FLOW_KINDS,
    "phase": lambda: BUILT_IN_PHASES,
}


class _Generator(GenerateJsonSchema):
    """Pydantic's generator, with field documentation as descriptions and without generated titles."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def normalize_name(self, name: str) -> str:
        """Use the public name of `FigureModel`."""
        return super().normalize_name(name).replace("FigureModel", "Figure")

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        found = super().model_schema(schema)
        docs = field_docs(schema["cls"])
        for name, field in schema["cls"].model_fields.items():
            part = found.get("properties", {}).get(field.alias or name)
            said = [docs[name], part.get("description", "")] if part is not None else []
            if text := " ".join(filter(None, said)):
                part["description"] = text
            if name in _EXAMPLES and part and not {"const", "enum"} & part.keys():
                part["examples"] = list(_EXAMPLES[name]())
        return found

    def encode_default(self, dft: Any) -> Any:
        return shorten_description(dft)

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        found = super().tagged_union_schema(schema)
        found.pop("discriminator", None)  # a keyword of OpenAPI
        if isinstance(schema["discriminator"], str):
            found["required"] = [schema["discriminator"]]
        return found


_EXTENDS_SCHEMA = {
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
    "description": "A spec, or several, as seen from here: what this one does not say is taken over from there.",
}
# A spec without recipe and panels inherits one of them. Its other fields are not checked here.
_EXTENDING = {
    "type": "object",
    "required": [EXTENDS],
    "properties": {EXTENDS: _EXTENDS_SCHEMA},
    "not": {"anyOf": [{"required": ["recipe"]}, {"required": ["panels"]}]},
}


def json_schema(*models: type[BaseModel], name: str, title: str = "", extending: bool) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a description that is one of `models`; `name` becomes its `$id`.

    If there are several models, a field with one constant value, such as `recipe`, is required. `extending` models may
    inherit from other files.
    """
    references, found = models_json_schema([(model, "validation") for model in models], schema_generator=_Generator)
    definitions: dict[str, Any] = found["$defs"]
    choices = [references[model, "validation"] for model in models]
    for choice in choices:
        root = definitions[choice["$ref"].rpartition("/")[2]]
        root["properties"] = {
            "$schema": _POINTER,
            **({EXTENDS: _EXTENDS_SCHEMA} if extending else {}),
            **root["properties"],
        }
        fixed = [field for field, part in root["properties"].items() if "const" in part]
        if len(models) > 1 and fixed:
            root["required"] = sorted({*fixed, *root.get("required", [])})
    return {
        "$schema": DIALECT,
        "$id": f"urn:tikzgen:{name}",
        "title": title or name,
        **(choices[0] if len(choices) == 1 else {"anyOf": [*choices, *([_EXTENDING] if extending else [])]}),
        "$defs": dict(sorted(definitions.items())),
    }


def schema_text(*models: type[BaseModel], name: str, title: str = "", extending: bool) -> str:
    """Return the JSON Schema as the text of a file."""
    schema = json_schema(*models, name=name, title=title, extending=extending)
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


@cache
def spec_schema_text(recipe: str | None = None) -> str:
    """Return the JSON Schema of every description that `tikzgen render` reads, or of one recipe."""
    if recipe is not None:
        return schema_text(
            RECIPES[recipe], name=f"spec:{recipe}", title=f"A {recipe} figure for tikzgen", extending=True
        )
    models = [RECIPES[name] for name in RECIPES]
    return schema_text(*models, FigureModel, name="spec", title="A figure for tikzgen", extending=True)


# Short names of common unions.
_IDEAS = {"text or number or raw TeX": "text", "int or number or text": "time", "number or text or null": "width"}
_KINDS = {"string": "text", "integer": "int", "number": "number", "boolean": "bool", "null": "null"}


class FieldFacts(Record):
    """Description of a field; a required field has an empty `default`; `name` is dotted inside a part.

    `short_type` names choices instead of listing them. Only fields of a recipe have a `group`.
    """

    name: str
    type: str
    short_type: str
    default: str
    meaning: str
    group: str = ""


_OTHER_GROUP = "parameters"  # own fields of a recipe that does not group them


def group_of(model: type[Options], field: str) -> str:
    """Return the group of a recipe's field; the most specific `field_groups` overrides `field_group`."""
    parents = [parent for parent in model.__mro__ if issubclass(parent, Options)]
    for parent in parents:
        for words in parent.__dict__.get("field_groups", ()):
            name, _, fields = words.partition(": ")
            if field in fields.split():
                return str(name)
    origin = next(parent for parent in reversed(parents) if field in parent.model_fields)
    return str(origin.__dict__.get("field_group", _OTHER_GROUP))


def common_fields(model: type[Options]) -> dict[str, str]:
    """Return the most used fields of a recipe, in order, with the value of an example or an empty string."""
    listed = dict(words.partition(": ")[::2] for words in (*model.common, "width"))
    own = [name for name, _ in fields_in_order(model) if name not in listed and group_of(model, name) == _OTHER_GROUP]
    return dict.fromkeys(own[:_MOST_OWN], "") | listed


_MOST_OWN = 7  # common fields of a recipe that does not list them


def fields_in_order(model: type[Options]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a recipe in order: its own fields, then the fields of every figure."""
    fields = model.model_fields
    apart = {*Options.model_fields, "recipe", "reading", "overrides"}
    own = [name for name in fields if name not in apart]
    above = {name for parent in model.__mro__[1:] for name in getattr(parent, "model_fields", ())}
    own.sort(key=lambda name: (name == "labels", name in above))
    for name in (*own, *Options.model_fields, "overrides"):
        if name in fields:
            yield name, fields[name]


def field_facts(model: type[Options]) -> Iterator[FieldFacts]:
    """Yield the fields of a recipe in that order; fields of parts such as `labels` are listed separately."""
    known, own = facts_by_field(model), model.model_fields.keys() - Options.model_fields.keys()
    for name, info in fields_in_order(model):
        kind = info.annotation
        if isinstance(kind, type) and known[name].type == kind.__name__ and issubclass(kind, Part) and name in own:
            facts = [replace(fact, name=f"{name}.{fact.name}") for fact in facts_by_field(kind).values()]
        else:
            facts = [known[name]]
        yield from (replace(fact, group=group_of(model, name)) for fact in facts)


def facts_by_field(model: type[BaseModel]) -> dict[str, FieldFacts]:
    """Return the description of each field by its name in the model."""
    schema, docs, found = model.model_json_schema()["properties"], field_docs(model), {}
    for name, info in model.model_fields.items():
        said = info.alias or name
        kind = type_words(schema[said]) if name != "overrides" else "list of operations"
        short = " or ".join(_short_types(schema[said])) if name != "overrides" else "list"
        default = "" if info.is_required() else spelt_default(info.get_default(call_default_factory=True))
        found[name] = FieldFacts(said, kind, short, default, " ".join(docs[name].split()))
    return found


def spelt_default(value: Any) -> str:
    """Return a default in the notation of a spec."""
    return json.dumps(shorten_description(value), ensure_ascii=False)


def type_words(schema: dict[str, Any], mark: str = "") -> str:
    """Return a JSON Schema in a few words: `int or Crowd`, `list of text`, or all choices.

    `mark` surrounds names.
    """
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2].rpartition("__")[2]  # two models may have the same name
        return f"{mark}{name}{mark}"
    if "const" in schema or "enum" in schema:
        return ", ".join(f"{mark}{each}{mark}" for each in schema.get("enum", [schema.get("const")]))
    if schema.get("$comment") == OPEN_SET:
        return ", ".join(f"{mark}{each}{mark}" for each in schema["examples"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            kinds = list(dict.fromkeys(type_words(each, mark) for each in schema[key]))
            # The choices of a list are not repeated.
            words = " or ".join("a list of these" if each == f"list of {kinds[0]}" else each for each in kinds)
            for union, word in _IDEAS.items():
                words = re.sub(rf"^{union}(?= or |$)", word, words)
            return words
    kind: str = schema.get("type", "any")
    if kind == "array":
        return f"list of {type_words(schema.get('items', {}), mark)}"
    if kind == "object":
        return "raw TeX" if "tex" in schema.get("properties", {}) else "mapping"
    return _KINDS.get(kind, kind)


_MOST_CHOICES = 6  # more are "name" in the short type


def _short_types(schema: dict[str, Any]) -> list[str]:
    """Return the alternatives of a JSON Schema, in a word each; null is left out."""
    choices = schema.get("enum", schema.get("examples") if schema.get("$comment") == OPEN_SET else None)
    if choices is not None:
        return ["name" if len(choices) > _MOST_CHOICES else "choice"]
    parts = schema.get("anyOf", schema.get("oneOf"))
    if "$ref" in schema:
        words = ["mapping"]
    elif parts is None:
        words = [type_words(schema).partition(" of ")[0]]
    else:
        words = list(dict.fromkeys(word for each in parts for word in _short_types(each)))
        joint = " or ".join(words)
        for union, word in (*_IDEAS.items(), ("number or text", "length")):
            joint = re.sub(rf"^{union}(?= or |$)", word, joint)
        words = joint.split(" or ")
    return [word for word in words if word != "null"]
