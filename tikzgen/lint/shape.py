"""Whether data have the shape that a JSON Schema asks for, as far as the schema of metadata needs it.

It knows `type`, `enum`, `pattern`, `minLength`, `minItems`, `uniqueItems`, `items`, `required`, `properties` and
`additionalProperties`; a schema with another assertion is refused, so that nothing is passed over in silence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tikzgen.base.suggest import suggestion

__all__ = ["KNOWN", "METADATA", "misshapen"]

Steps = tuple[str | int, ...]

_TYPES = {"object": dict, "array": list, "string": str, "boolean": bool}
_WORDS = {"object": "a mapping", "array": "a list", "string": "a text", "boolean": "true or false"}
_NOTES = {"$schema", "$id", "title", "description"}
KNOWN = _NOTES | {"type", "enum", "pattern", "minLength", "minItems", "uniqueItems", "items", "required", "properties"}
KNOWN |= {"additionalProperties"}


def _record(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    fields = {**required, **(optional or {})}
    return {"type": "object", "additionalProperties": False, "required": list(required), "properties": fields}


def _list(entry: dict[str, Any], least: int = 0, unique: bool = True) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "array", "items": entry}
    return found | ({"minItems": least} if least else {}) | ({"uniqueItems": True} if unique else {})


_TEXT = {"type": "string", "minLength": 1}
_NAME = {"type": "string", "minLength": 1, "pattern": "^[a-z0-9]+(?:-[a-z0-9]+)*$"}
_TEXTS = _list(_TEXT)
_PARAMETER = _record({"name": _TEXT, "meaning": _TEXT}, {"type": _TEXT, "default": _TEXT, "invariant": _TEXT})
_CONTRACT = _record(
    {
        "parameters": _list(_PARAMETER, least=1, unique=False),
        "node_naming": _TEXT,
        "styles": _list(_TEXT, least=1),
        "operations": _list(_record({"id": _NAME, "summary": _TEXT}), least=1, unique=False),
        "invariants": _list(_TEXT, least=1),
    }
)
METADATA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "What stands beside a figure",
    **_record(
        {
            "id": _NAME,
            "name": _TEXT,
            "type": {"type": "string", "enum": ["icon", "template", "example", "skill"]},
            "domain": _list(_TEXT, least=1),
            "tags": _TEXTS,
            "author": _TEXT,
            "license": _TEXT,
            "requires": _TEXTS,
            "preview": _TEXT,
        },
        {
            "venue": _TEXTS,
            "description": {"type": "string"},
            "featured": {"type": "boolean"},
            "composed_of": _TEXTS,
            "edit_contract": _CONTRACT,
        },
    ),
}
"""The shape of `fig.meta.json`: what OpenTikZ's catalogue takes is valid here, and the other way round."""


def misshapen(data: Any, schema: dict[str, Any], steps: Steps = ()) -> Iterator[tuple[Steps, str, str]]:
    """What is wrong with data: the steps to it, what, and the way out; nothing where they are valid."""
    if unknown := sorted(set(schema) - KNOWN):
        raise ValueError(f"the schema asks for {', '.join(unknown)}")
    where = _spelt(steps)
    kind = schema.get("type")
    if kind and not isinstance(data, _TYPES[kind]):
        yield steps, f"{where} is no {_WORDS[kind].removeprefix('a ')}", f"make it {_WORDS[kind]}"
        return
    if "enum" in schema and data not in schema["enum"]:
        yield steps, f"{where} is {json.dumps(data)}", f"it may be {', '.join(schema['enum'])}"
    if isinstance(data, str):
        if len(data) < schema.get("minLength", 0):
            yield steps, f"{where} is empty", "say something"
        elif "pattern" in schema and not re.search(schema["pattern"], data):
            yield steps, f"{where} is {json.dumps(data)}", "use small letters, digits and single hyphens"
    elif isinstance(data, list):
        yield from _in_list(data, schema, steps)
    elif isinstance(data, dict):
        yield from _in_mapping(data, schema, steps)


def _in_list(data: list[Any], schema: dict[str, Any], steps: Steps) -> Iterator[tuple[Steps, str, str]]:
    if len(data) < schema.get("minItems", 0):
        yield steps, f"{_spelt(steps)} is empty", "list at least one"
    for index, entry in enumerate(data):
        if schema.get("uniqueItems") and entry in data[:index]:
            yield (*steps, index), f"{json.dumps(entry)} stands twice in {_spelt(steps)}", "remove one"
        if "items" in schema:
            yield from misshapen(entry, schema["items"], (*steps, index))


def _in_mapping(data: dict[str, Any], schema: dict[str, Any], steps: Steps) -> Iterator[tuple[Steps, str, str]]:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in data:
            yield steps, f"{_spelt((*steps, name))} is missing", "add it"
    for name, value in data.items():
        if name in known:
            yield from misshapen(value, known[name], (*steps, name))
        elif schema.get("additionalProperties") is False:
            hint = suggestion(name, list(known), "the fields are")
            yield (*steps, name), f"{_spelt((*steps, name))} is no field that the schema knows", hint


def _spelt(steps: Steps) -> str:
    """A field's name as people write it: `edit_contract.styles[0]`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return f'the field "{text.removeprefix(".")}"' if text else "the file"
