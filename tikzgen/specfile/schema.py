"""The JSON Schema of a spec, and the texts that document its fields; a commented spec to start from."""

from __future__ import annotations

import ast
import inspect
import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

from tikzgen.base.record import NOTHING
from tikzgen.base.shipped import template_folder
from tikzgen.icons import discover
from tikzgen.model.base import Part, shortest
from tikzgen.model.figure import Figure
from tikzgen.model.look import FLOW_KINDS, PHASES
from tikzgen.model.options import Options
from tikzgen.recipe.recipe_names import NAMES, NEEDS, recipe
from tikzgen.recipe.recipe_names import recipe as model_of
from tikzgen.specfile.extends import EXTENDS

MODELINE = "# yaml-language-server: $schema=tikzgen.schema.json"
_ELSEWHERE = ("recipe", "overrides", "reading")  # at the beginning, at the end, and never written by hand
_PLAIN = re.compile(r"[A-Za-z(][A-Za-z0-9 /()_.,+-]*")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off"}


def starter(name: str, facts: Mapping[str, Any] = NOTHING, remarks: Sequence[str] = ()) -> str:
    """The text of a commented spec for a recipe; shared options stand at the end, commented out.

    `facts` are those that are not as by default, `remarks` what else the comment at its beginning says.
    """
    model = recipe(name)
    lines = [MODELINE, f"# {first_line(model)}", *(f"# {line}".rstrip() for line in remarks), f"recipe: {name}"]
    instance = model(**{**NEEDS.get(name, {}), **facts})
    docs = field_docs(model)
    own = [field for field in model.model_fields if field not in Options.model_fields and field not in _ELSEWHERE]
    # what makes the recipe comes first, what it shares with others after it, its texts last
    own.sort(key=lambda field: (field == "labels", field not in model.__annotations__))
    for field in ("title", *own):
        value = getattr(instance, field)
        if value != "":
            lines += ["", *_field(field, value, docs[field], "")]
    lines += ["", "# What every figure takes:"]
    for field in ("palette", "width", "font", "spacing", "meta", "overrides"):
        lines.append(f"# {field}: {_flow(getattr(instance, field))}  # {' '.join(docs[field].split())}")
    return "\n".join(lines) + "\n"


def _field(name: str, value: Any, doc: str, pad: str) -> Iterator[str]:
    yield from (f"{pad}# {line}" for line in doc.splitlines() or [""])
    if isinstance(value, Part) and name not in ("workers",):
        yield f"{pad}{name}:"
        docs = field_docs(type(value))
        for field in type(value).model_fields:
            yield from _field(field, getattr(value, field), docs[field], pad + "  ")
    else:
        yield f"{pad}{name}: {_flow(value)}"


def _flow(value: Any) -> str:
    """A value in YAML's flow style, strings quoted only where they must be."""
    if isinstance(value, Part):
        data = shortest(value)
        return str(data["count"]) if set(data) == {"count"} else _flow(data)
    value = shortest(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) and value.lower() not in _WORDS and "," not in value else _quoted(value)
    return json.dumps(value)


def _quoted(text: str) -> str:
    """Single quotes leave backslashes alone, which maths is full of; a line break needs double ones."""
    return json.dumps(text, ensure_ascii=False) if "\n" in text else "'" + text.replace("'", "''") + "'"


def first_line(model: type[BaseModel]) -> str:
    """The first sentence of a model's docstring."""
    return inspect.getdoc(model).splitlines()[0] if model.__doc__ else model.__name__  # type: ignore[union-attr]


@cache
def _own_docs(model: type[BaseModel]) -> dict[str, str]:
    body = ast.parse(textwrap.dedent(inspect.getsource(model))).body[0]
    assert isinstance(body, ast.ClassDef)
    found: dict[str, str] = {}
    name = ""
    for statement in body.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = statement.target.id
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and name:
            found[name] = inspect.cleandoc(str(statement.value.value))
            name = ""
        else:
            name = ""
    return found


def field_docs(model: type[BaseModel]) -> dict[str, str]:
    """The meaning of every field of a model, its own and its parents', in the order of the fields."""
    docs: dict[str, str] = {}
    for parent in reversed(model.__mro__):
        if issubclass(parent, BaseModel) and parent is not BaseModel:
            docs.update(_own_docs(parent))
    return {name: docs.get(name, "") for name in model.model_fields}


DIALECT = "https://json-schema.org/draft/2020-12/schema"
_POINTER = {"type": "string", "description": "The schema that editors complete this file by; tikzgen ignores it."}


# What a field may name beyond what a figure defines itself: editors offer it.
_EXAMPLES: dict[str, Callable[[], Iterable[str]]] = {
    "icon": discover,
    "kind": lambda: FLOW_KINDS,
    "phase": lambda: PHASES,
}


class _Generator(GenerateJsonSchema):
    """Pydantic's generator, with the strings after the fields as descriptions and without made-up titles."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

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
        return shortest(dft)

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        found = super().tagged_union_schema(schema)
        found.pop("discriminator", None)  # a word of OpenAPI's
        if isinstance(schema["discriminator"], str):
            found["required"] = [schema["discriminator"]]
        return found


_SHARED = {
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
    "description": "A spec, or several, as seen from here: what this one does not say is taken over from there.",
}
# What names neither of these takes one of them over; the rest of it is not known here.
_EXTENDING = {
    "type": "object",
    "required": [EXTENDS],
    "properties": {EXTENDS: _SHARED},
    "not": {"anyOf": [{"required": ["recipe"]}, {"required": ["panels"]}]},
}


def json_schema(*models: type[BaseModel], name: str, title: str = "", extending: bool = False) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a description that is one of `models`; `name` becomes its `$id`.

    Where there are several models, those with a field of one single value, such as `recipe`, need that field. Those
    that are `extending` may take over what stands in other files.
    """
    references, found = models_json_schema([(model, "validation") for model in models], schema_generator=_Generator)
    definitions: dict[str, Any] = found["$defs"]
    choices = [references[model, "validation"] for model in models]
    for choice in choices:
        root = definitions[choice["$ref"].rpartition("/")[2]]
        root["properties"] = {"$schema": _POINTER, **({EXTENDS: _SHARED} if extending else {}), **root["properties"]}
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


def schema_text(*models: type[BaseModel], name: str, title: str = "", extending: bool = False) -> str:
    """The JSON Schema as the text of a file."""
    schema = json_schema(*models, name=name, title=title, extending=extending)
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


@cache
def spec_schema_text(recipe: str | None = None) -> str:
    """The JSON Schema of every description that `tikzgen render` reads, or of one recipe's."""
    if recipe is not None:
        return schema_text(
            model_of(recipe), name=f"spec:{recipe}", title=f"A {recipe} figure for tikzgen", extending=True
        )
    models = [model_of(name) for name in NAMES]
    return schema_text(*models, Figure, name="spec", title="A figure for tikzgen", extending=True)


STARTS = ("figure", "topology", "timeline", "sequence")


def start(name: str) -> str:
    """The text of one of `STARTS`, with comments."""
    return (template_folder() / "new" / f"{name}.yaml").read_text(encoding="utf-8")
