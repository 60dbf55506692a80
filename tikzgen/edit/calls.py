"""Operations as people type them, and as programs send them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tikzgen.base.errors import TikzgenError, quoted
from tikzgen.base.suggest import suggestion
from tikzgen.edit.operations import OPERATIONS, operation
from tikzgen.specfile.scalars import plain

__all__ = ["Call", "from_json", "from_words", "read_calls"]


class Call(NamedTuple):
    """An operation with its arguments."""

    operation: str
    arguments: dict[str, Any]


def from_words(words: Sequence[str]) -> Iterator[Call]:
    """Read `add-worker + set rowsep=2 + rename-node w1="Node A"`; a word `+` begins the next operation."""
    rest = list(words)
    while rest:
        stop = rest.index("+") if "+" in rest else len(rest)
        if not stop:
            raise TikzgenError("an operation is missing beside +", hint="add-worker + set rowsep=2")
        yield _call(rest[0], rest[1:stop])
        rest = rest[stop + 1 :]


def _call(name: str, words: Sequence[str]) -> Call:
    known = operation(name)
    if known is None:
        hint = suggestion(name, [each.id for each in OPERATIONS], "the operations are")
        raise TikzgenError(f"there is no operation {quoted(name)}", hint=hint)
    fields = list(known.arguments.model_fields)
    open_ended = known.arguments.model_config.get("extra") == "allow"
    found: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        free = [field for field in fields if field not in found]
        if equals and (key in fields or open_ended):
            found[key] = _value(value) if open_ended else _null(value)
        elif equals and len(free) >= 2 and not found:
            found[free[0]], found[free[1]] = key, _null(value)
        elif not equals and free:
            found[free[0]] = _null(word)
        else:
            takes = ", ".join(fields) or "no arguments"
            raise TikzgenError(f"{name} cannot take {quoted(word)}", hint=f"it takes {takes}")
    return Call(name, found)


def _null(value: str) -> str | None:
    return None if value == "null" else value


def _value(value: str) -> Any:
    try:
        return plain(value)
    except ValueError:
        return value


def from_json(text: str) -> Iterator[Call]:
    """Read `[{"operation": "set", "parameter": "rowsep", "value": 2}, …]`, or one such object."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TikzgenError(f"<stdin>: no JSON: {error}") from None
    yield from read_calls(data if isinstance(data, list) else [data])


def read_calls(entries: Sequence[Any]) -> Iterator[Call]:
    """Read operations that a program sends: mappings that name their `operation`, with its arguments beside it."""
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("operation"), str):
            raise TikzgenError("every entry names its operation", hint='{"operation": "add-worker"}')
        arguments = entry.get("arguments")
        rest = {key: value for key, value in entry.items() if key not in ("operation", "arguments")}
        yield Call(entry["operation"], {**(arguments if isinstance(arguments, dict) else {}), **rest})
