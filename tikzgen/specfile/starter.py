"""A spec to start from: every field of a recipe with its default, and what it means as a comment."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tikzgen.model.base import Part, shortest
from tikzgen.model.figure import Options
from tikzgen.recipe import recipe
from tikzgen.specfile.schema import field_docs, first_line

MODELINE = "# yaml-language-server: $schema=tikzgen.schema.json"
_ELSEWHERE = ("recipe", "overrides")  # at the beginning, and at the end
_PLAIN = re.compile(r"[A-Za-z(][A-Za-z0-9 /()_.,+-]*")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off"}


def starter(name: str) -> str:
    """The text of a commented spec for a recipe; shared options stand at the end, commented out."""
    model = recipe(name)
    lines = [MODELINE, f"# {first_line(model)}", f"recipe: {name}"]
    instance = model()
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
