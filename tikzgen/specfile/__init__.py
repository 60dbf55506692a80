"""Descriptions in: YAML and JSON with the place of every value, overrides, readable errors; the JSON Schema out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Where each name lives; modules are entered when a name is first used.
_HOMES = {
    "Document": "document",
    "Places": "document",
    "apply": "settings",
    "explain": "explaining",
    "format_path": "document",
    "json_schema": "schema",
    "parse": "parse_text",
    "read": "parse_text",
    "schema_text": "schema",
    "spec_schema_text": "schema",
}

__all__ = [
    "Document",
    "Places",
    "apply",
    "explain",
    "format_path",
    "json_schema",
    "parse",
    "read",
    "schema_text",
    "spec_schema_text",
]

if TYPE_CHECKING:
    from tikzgen.specfile.document import Document, Places, format_path
    from tikzgen.specfile.explaining import explain
    from tikzgen.specfile.parse_text import parse, read
    from tikzgen.specfile.schema import json_schema, schema_text, spec_schema_text
    from tikzgen.specfile.settings import apply


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
