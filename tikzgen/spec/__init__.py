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
    "parse": "load",
    "read": "load",
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
    from tikzgen.spec.document import Document, Places, format_path
    from tikzgen.spec.explaining import explain
    from tikzgen.spec.load import parse, read
    from tikzgen.spec.schema import json_schema, schema_text, spec_schema_text
    from tikzgen.spec.settings import apply


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
