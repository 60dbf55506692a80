"""Fields whose value is a name in a table: an open set, which installed packages can extend."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import PydanticKnownError, core_schema

from tikzgen.base.extensions import Table

OPEN_SET = "The examples are the built-in names. Installed packages may add others."
"""The comment on such a field in the JSON schema."""


class NameIn:
    """Annotation of a string field that names an entry of a table.

    The JSON schema is a string with the built-in names as examples.
    """

    def __init__(self, table: Table[Any]) -> None:
        self.table = table

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._check)

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": "string", "examples": list(self.table.built_in), "$comment": OPEN_SET}

    def _check(self, value: Any) -> str:
        if isinstance(value, str) and value in self.table:
            return value
        *others, last = map(repr, self.table.list_entry_names())
        raise PydanticKnownError("literal_error", {"expected": f"{', '.join(others)} or {last}"})


def packages_used(value: Any) -> frozenset[str]:
    """Return the installed packages whose entries a figure names in fields of tables."""
    return frozenset(_packages_in(value)) if Table.has_loaded_packages else frozenset()


def _packages_in(value: Any) -> Iterator[str]:
    if isinstance(value, BaseModel):
        for name, table in _tables_of(type(value)).items():
            if (entry := getattr(value, name)) is not None and (package := table.package_of(entry)):
                yield package
        for inner in value.__dict__.values():
            yield from _packages_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _packages_in(inner)


@cache
def _tables_of(model: type[BaseModel]) -> dict[str, Table[Any]]:
    """Return the table of each field of a model that names a table entry, by field name."""
    found = {}
    for name, field in model.model_fields.items():
        for mark in (*field.metadata, *_marks_in(field.annotation)):
            if isinstance(mark, NameIn):
                found[name] = mark.table
    return found


def _marks_in(annotation: Any) -> Iterator[Any]:
    yield from getattr(annotation, "__metadata__", ())
    for inner in get_args(annotation):
        yield from _marks_in(inner)
