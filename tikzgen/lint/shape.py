"""Whether metadata have the shape that their JSON Schema asks for, in words with a way out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tikzgen.base.suggest import suggestion
from tikzgen.specfile.document import format_path

if TYPE_CHECKING:
    from jsonschema import ValidationError  # type: ignore[import-untyped]

__all__ = ["METADATA", "misshapen"]

Steps = tuple[str | int, ...]

METADATA: dict[str, Any] = json.loads(Path(__file__).with_name("metadata.schema.json").read_bytes())
"""The shape of `fig.meta.json`: what OpenTikZ's catalogue takes is valid here, and the other way round."""

_WORDS = {"object": "a mapping", "array": "a list", "string": "a text", "boolean": "true or false"}


def misshapen(data: Any) -> list[tuple[Steps, str, str]]:
    """What is wrong with metadata: the steps to it, what, and the way out; nothing where they are valid."""
    from jsonschema import Draft202012Validator

    errors = Draft202012Validator(METADATA).iter_errors(data)
    return list(dict.fromkeys(told for error in errors for told in _told(error)))


def _told(error: ValidationError) -> Iterator[tuple[Steps, str, str]]:
    steps, asked, data = tuple(error.absolute_path), error.validator_value, error.instance
    where = _spelt(steps)
    match error.validator:
        case "type":
            yield steps, f"{where} is no {_WORDS[asked].removeprefix('a ')}", f"make it {_WORDS[asked]}"
        case "enum":
            yield steps, f"{where} is {json.dumps(data)}", f"it may be {', '.join(asked)}"
        case "minLength":
            yield steps, f"{where} is empty", "say something"
        case "pattern" if data:
            yield steps, f"{where} is {json.dumps(data)}", "use small letters, digits and single hyphens"
        case "minItems":
            yield steps, f"{where} is empty", "list at least one"
        case "uniqueItems":
            for index, entry in enumerate(data):
                if entry in data[:index]:
                    yield (*steps, index), f"{json.dumps(entry)} stands twice in {where}", "remove one"
        case "required":
            for name in asked:
                if name not in data:
                    yield steps, f"{_spelt((*steps, name))} is missing", "add it"
        case "additionalProperties":
            known = error.schema["properties"]
            for name in data:
                if name not in known:
                    hint = suggestion(name, list(known), "the fields are")
                    yield (*steps, name), f"{_spelt((*steps, name))} is no field that the schema knows", hint


def _spelt(steps: Steps) -> str:
    """A field's name as people write it: `edit_contract.styles[0]`."""
    return f'the field "{format_path(steps)}"' if steps else "the file"
