"""Edits by the form: one field at a time, written completely or not at all, never over other changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tikzgen.base.errors import TikzgenError, quote
from tikzgen.base.folders import lock_folder
from tikzgen.base.record import Record
from tikzgen.base.write_files import write_files
from tikzgen.edit.open_figure import open_figure
from tikzgen.edit.operation_calls import OperationOutcome
from tikzgen.edit.pulled_spec import rewritten
from tikzgen.edit.session import Session
from tikzgen.emit.render_figure import make_description, render
from tikzgen.lint.read_valid import validate_document
from tikzgen.model.operations import read_operation
from tikzgen.model.part import shorten_description
from tikzgen.serve.watch.form_fields import FACT, Field, fields_of
from tikzgen.spec.document import Document
from tikzgen.spec.load_figure import expand_recipe
from tikzgen.spec.parse_text import parse
from tikzgen.spec.settings.set_values import apply
from tikzgen.spec.source import decode
from tikzgen.texfile import as_in, compute_digest, read_source


class FieldChange(Record):
    """A change of a field by its `key`: the value `was` that the page showed, and the new `value`."""

    key: str
    was: str
    value: str


class _Refused(TikzgenError):
    """Error for a form that is out of date, or for an invalid value."""


def edit(path: Path, request: FieldChange, *, allow_invalid: bool) -> bool:
    """Set a field in its file; return whether the file was written.

    Raise `TikzgenError`, without a write, if the value is invalid, if the field changed after the page showed it, or
    if the file changes simultaneously.
    """
    with lock_folder(path):
        read = compute_digest(read_source(path))  # read first, to detect any later change
        field = _find_field(path, request, allow_invalid)
        if request.value == request.was:
            return False
        if path.suffix.lower() == ".tex":
            return _edit_figure(path, field, request.value, read)
        return _edit_spec(path, field, request.value, read, allow_invalid)


def _find_field(path: Path, request: FieldChange, allow_invalid: bool) -> Field:
    """Return the field as the file has it now; raise `_Refused` if it changed or is fixed."""
    known = fields_of(path, allow_invalid=allow_invalid)
    field = next((each for each in known if each.key == request.key), None)
    if field is None:
        raise _Refused("the field no longer exists in the file")
    if field.value != request.was:
        raise _Refused(f"this was changed in the file: it is {quote(field.value)} now", hint="look again, then set it")
    if field.fixed:
        raise _Refused(field.fixed)
    return field


def _edit_figure(path: Path, field: Field, value: str, read: str) -> bool:
    """Set a parameter by the operation `set`, which keeps manual edits and the contract."""
    editing = open_figure(path)
    if editing.digest != read:
        raise _Refused("the file changed in the meantime", hint="look again, then set it")
    outcome = editing.attempt("set", {"parameter": field.name, "value": value})
    _take(outcome)
    editing.save()
    return outcome.status == "applied"


def _edit_spec(path: Path, field: Field, value: str, read: str, allow_invalid: bool) -> bool:
    data = path.read_bytes()
    text = decode(data, str(path))
    document = parse(text, str(path))
    if field.key.startswith(f"{FACT}:"):
        change = _with_fact(document, field, value, allow_invalid)
    else:
        change = _with_parameter(document, field, value, allow_invalid)
    new = rewritten(text, str(path), *change)
    return write_files({path: as_in(data, new)}, expect={path: read})


Change = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]
"""Contents of a spec before and after a change, in the same form, and the shortest form of the new contents."""


def _with_fact(document: Document, field: Field, value: str, allow_invalid: bool) -> Change:
    """Set a field as `--set` does; an empty value removes an optional field from the file."""
    try:
        if value.strip() or not field.unset:
            changed = apply(document, [f"{field.name}={value.strip()}"])
        else:
            changed = Document(document.name, _without_entry(document.data, field.name.split(".")), document.places)
        meant = description_of(changed, allow_invalid)[0]
    except TikzgenError as error:
        raise _Refused(_first_problem(error, field)) from None
    return shorten_description(document.data), shorten_description(changed.data), meant


def _with_parameter(document: Document, field: Field, value: str, allow_invalid: bool) -> Change:
    """Set a parameter as `tikzgen edit … set` does on the figure of the spec."""
    before, drawn = description_of(document, allow_invalid)
    session = Session(drawn, document.name)
    given: Any = {"tex": value} if field.kind == "tex" else value
    _take(session.apply(read_operation("set", {"parameter": field.name, "value": given})))
    after = session.description
    if "allow_invalid" not in document.data:
        after.pop("allow_invalid", None)
    return _as_integer(before), _as_integer(after), after


def description_of(document: Document, allow_invalid: bool) -> tuple[dict[str, Any], str]:
    """Return a spec in its shortest form, and its figure's TeX; raise the errors that prevent a drawing."""
    figure = expand_recipe(*validate_document(document, (), allow_invalid=allow_invalid))
    said = make_description(figure)
    if "allow_invalid" not in document.data:
        said.pop("allow_invalid", None)
    return said, render(figure).tex


def _as_integer(value: Any) -> Any:
    """Return a value with integers in place of floats such as 5.0, recursively."""
    if isinstance(value, dict):
        return {key: _as_integer(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_as_integer(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _without_entry(data: dict[str, Any], path: list[str]) -> dict[str, Any]:
    first, *rest = path
    if not rest:
        return {key: value for key, value in data.items() if key != first}
    inner = data.get(first)
    return {**data, first: _without_entry(inner, rest)} if isinstance(inner, dict) else data


def _first_problem(error: TikzgenError, field: Field) -> str:
    """Return the first problem without its location, because the page shows it at the field."""
    problems = getattr(error, "problems", ())
    if not problems:
        return str(error).splitlines()[0]
    first = problems[0][1] if isinstance(problems[0], tuple) else problems[0]
    inside = f"{first.path}: " if first.path not in ("", field.name) else ""
    return f"{inside}{first.message}" + (f" ({first.hint})" if first.hint else "")


def _take(outcome: OperationOutcome) -> None:
    """Raise an error if an operation was rejected."""
    if outcome.status == "refused":
        raise _Refused(outcome.message, hint=outcome.ways_out)
