"""Operations as users type them and as programs send them, and their outcomes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, get_args, get_origin

from pydantic import ValidationError

from tikzgen.base.errors import PartRefused, TikzgenError, quote, shorten_for_message
from tikzgen.base.record import Record, as_dict, replace
from tikzgen.base.suggest import suggest_known_names
from tikzgen.model.operations import OPERATIONS, Operation
from tikzgen.spec.yaml import parse_scalar

Status = Literal["applied", "noop", "refused", "held"]


class OperationOutcome(Record):
    """Result of one operation.

    `code` is stable for programs. `invariant` is the violated rule of the contract. `nearest` is an acceptable call, if
    there is one.
    """

    operation: str
    status: Status
    code: str = ""
    message: str = ""
    invariant: str = ""
    nearest: str = ""

    @property
    def ways_out(self) -> str:
        """Broken rules and accepted alternatives."""
        found = {"invariant": self.invariant, "try": self.nearest}
        return "; ".join(f"{name}: {text}" for name, text in found.items() if text)

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as plain data, without empty fields."""
        return {name: value for name, value in as_dict(self).items() if value}

    def __str__(self) -> str:
        head = f"{self.operation}: {self.status}" + (f": {self.message}" if self.message else "")
        return head + (f" ({self.ways_out})" if self.ways_out else "")


def reject_arguments(operation: type[Operation], error: ValidationError | PartRefused) -> OperationOutcome:
    """Return the outcome of an operation with invalid arguments."""
    cause = error.cause if isinstance(error, PartRefused) else error
    hint = cause.errors(include_url=False)[0].get("ctx", {}).get("hint")
    nearest = str(hint).partition(";")[0] if hint else _usage(operation)
    return OperationOutcome(operation.operation_name(), "refused", "arguments", _first_error(cause), nearest=nearest)


def _first_error(error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    where = ".".join(map(shorten_for_message, problem["loc"]))
    context, given = problem.get("ctx", {}), problem.get("input")
    if problem["type"] in ("too_short", "too_long"):
        values = context.get("min_length" if problem["type"] == "too_short" else "max_length")
        return f"{where} takes {values} values with a comma between them, not {context.get('actual_length')}"
    if problem["msg"].startswith("Input should be") and isinstance(given, str | int | float):
        return f"{where}: {quote(str(given))} {problem['msg'].removeprefix('Input ')}"
    said = {
        "string_pattern_mismatch": "takes letters, digits and single hyphens, and begins with a letter",
        "missing": "is missing",
        "extra_forbidden": "is not an argument of this operation",
    }
    text = said.get(problem["type"], problem["msg"][:1].lower() + problem["msg"][1:])
    return f"{where} {text}" if problem["type"] in said else f"{where}: {text}" if where else text


def _usage(operation: type[Operation]) -> str:
    """Return the usage of an operation, such as `palette palette=light|dark`."""
    words = [operation.operation_name()]
    for field, facts in operation.list_arguments().items():
        values = "|".join(map(str, get_args(facts.annotation))) if get_origin(facts.annotation) is Literal else "…"
        words.append(f"{field}={values}" if facts.is_required() else f"[{field}={values}]")
    return " ".join(words)


def held_back(outcomes: Iterable[OperationOutcome]) -> list[OperationOutcome]:
    """Return the outcomes, with applied operations as not written due to a rejection or a conflict."""
    refused = next((each for each in outcomes if each.status == "refused"), None)
    why = f"{refused.operation} was rejected" if refused else "it conflicts with manual edits"
    return [
        replace(each, status="held", message=f"not written, because {why}") if each.status == "applied" else each
        for each in outcomes
    ]


class OperationCall(Record):
    """An operation with its arguments."""

    operation: str
    arguments: dict[str, Any]


_ALSO = {"from": "source", "to": "target"}
"""Words that users type for an argument."""


def from_words(words: Sequence[str]) -> Iterator[OperationCall]:
    """Read `add-worker + set rowsep=2 + rename-node w1="Node A"`; a word `+` begins the next operation."""
    rest = list(words)
    while rest:
        stop = rest.index("+") if "+" in rest else len(rest)
        if not stop:
            raise TikzgenError("missing operation next to +", hint="add-worker + set rowsep=2")
        yield _call(rest[0], rest[1:stop])
        rest = rest[stop + 1 :]


def _call(name: str, words: Sequence[str]) -> OperationCall:
    known = OPERATIONS.get(name)
    if known is None:
        hint = suggest_known_names(name, OPERATIONS, "the operations are")
        raise TikzgenError(f"unknown operation {quote(name)}", hint=hint)
    fields = known.list_arguments()
    facts = known.model_config.get("extra") == "allow"
    found: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        key = _ALSO[key] if key in _ALSO and _ALSO[key] in fields and key not in fields else key
        free = [field for field in fields if field not in found]
        if equals and key in fields:
            found[key] = _parse_argument(value, fields[key])
        elif equals and facts:
            found[key] = _fact(value)
        elif equals and len(free) >= 2 and not found:
            found[free[0]], found[free[1]] = key, _parse_argument(value, fields[free[1]])
        elif not equals and facts and not found:
            found["schedule"] = _fact(word)
        elif not equals and free:
            found[free[0]] = _parse_argument(word, fields[free[0]])
        else:
            takes = ", ".join(fields) or "facts of its recipe, such as devices=4" if facts else ", ".join(fields)
            raise TikzgenError(f"{name} cannot take {quote(word)}", hint=f"it takes {takes or 'no arguments'}")
    return OperationCall(name, found)


def _parse_argument(value: str, field: Any) -> Any:
    """Parse a word as an argument: a list at commas if the field is a list, None for `null`."""
    if value == "null":
        return None
    return value.strip("[]").split(",") if _takes_list(field.annotation) else value


def _takes_list(kind: Any) -> bool:
    return get_origin(kind) is list or any(map(_takes_list, get_args(kind)))


def _fact(value: str) -> Any:
    """Parse a word as a recipe parameter: a number, a name, or several values with commas."""
    if "," in value and value[:1] not in "[{":
        return [_fact(each) for each in value.split(",")]
    try:
        return parse_scalar(value)
    except ValueError:
        return value


_ENTRY = '{"operation": "rename-node", "node": "w1", "label": "GPU 0"}'


def from_json(text: str) -> Iterator[OperationCall]:
    """Read `[{"operation": "set", "parameter": "rowsep", "value": 2}, …]`, or one such object."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TikzgenError(f"<stdin>: no JSON: {error}") from None
    yield from read_calls(data if isinstance(data, list) else [data])


def read_calls(entries: Sequence[Any]) -> Iterator[OperationCall]:
    """Read operations from a program: mappings with an `operation` and its arguments.

    Overrides of a spec, with `do` instead of `operation`, are valid as well.
    """
    for entry in entries:
        named = entry.get("operation", entry.get("do")) if isinstance(entry, dict) else None
        if not isinstance(named, str):
            raise TikzgenError("expected an operation with its name and arguments", hint=_ENTRY)
        arguments = entry.get("arguments")
        rest = {key: value for key, value in entry.items() if key not in ("operation", "do", "arguments")}
        yield OperationCall(named, {**(arguments if isinstance(arguments, dict) else {}), **rest})
