"""What the form does to a file: one field, written whole or not at all, and never over what somebody else changed."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tikzgen.errors import TikzgenError
from tikzgen.watch.fields import FACT, Field
from tikzgen.watch.looking import fields_of

if TYPE_CHECKING:
    from tikzgen.edit.outcome import Outcome

__all__ = ["Request", "edit"]


@dataclass(frozen=True, slots=True)
class Request:
    """A field by its `key`, the value `was` that the page showed, and the `value` that it is to have."""

    key: str
    was: str
    value: str


class _Refused(TikzgenError):
    """The form is out of date, or asks for what cannot be."""


def edit(path: Path, request: Request, *, allow_invalid: bool = False) -> bool:
    """Give a field another value in its file; whether that took a write.

    Raises `TikzgenError`, with nothing written, where the value is refused, where the field has changed in the file
    since the page showed it, and where the file changes at the same time.
    """
    field = _field(path, request, allow_invalid)
    if request.value == request.was:
        return False
    if path.suffix.lower() == ".tex":
        return _edit_figure(path, field, request.value)
    return _edit_spec(path, field, request.value, allow_invalid)


def _field(path: Path, request: Request, allow_invalid: bool) -> Field:
    """The field as the file has it now."""
    known = fields_of(path, allow_invalid=allow_invalid)
    field = next((each for each in known if each.key == request.key), None)
    if field is None:
        raise _Refused("the file has no such field any more")
    if field.value != request.was:
        raise _Refused(f'this was changed in the file: it is "{field.value}" now', hint="look again, then set it")
    if field.fixed:
        raise _Refused(field.fixed)
    return field


def _edit_figure(path: Path, field: Field, value: str) -> bool:
    """By the operation `set`: hand edits stay, and what would break the contract is refused."""
    from tikzgen.edit.opened import open_figure

    editing = open_figure(path)
    outcome = editing.attempt("set", {"parameter": field.name, "value": value})
    _take(outcome)
    editing.save()
    return outcome.status == "applied"


def _edit_spec(path: Path, field: Field, value: str, allow_invalid: bool) -> bool:
    from tikzgen.files import replace_unchanged
    from tikzgen.loading import loads
    from tikzgen.rendering.capsule import description
    from tikzgen.spec.source import decode
    from tikzgen.watch.writing import encoded, rewritten

    data = path.read_bytes()
    text = decode(data, str(path))
    before = description(loads(text, name=str(path)))
    if field.key.startswith(f"{FACT}:"):
        after = _with_fact(path, field, value, allow_invalid)
    else:
        after = _with_parameter(_described(path, (), allow_invalid)[1], field, value, str(path))
    if "allow_invalid" not in before:
        after = {key: each for key, each in after.items() if key != "allow_invalid"}
    new = rewritten(text, str(path), before, after)
    return replace_unchanged(path, encoded(new, data), sha256(data).hexdigest())


def _described(path: Path, settings: tuple[str, ...], allow_invalid: bool) -> tuple[dict[str, Any], str]:
    """What a spec says in its shortest form, and its figure's TeX: what cannot be drawn is refused."""
    from tikzgen.checks.valid import read_valid
    from tikzgen.loading import expanded
    from tikzgen.rendering.capsule import description

    figure = expanded(*read_valid(path, settings, allow_invalid=allow_invalid))
    tex = figure.tex()
    return description(figure), tex


def _with_fact(path: Path, field: Field, value: str, allow_invalid: bool) -> dict[str, Any]:
    """As with `--set`; nothing at all is what the field is by default, where that is no text."""
    setting = f"{field.name}={value.strip() or ('null' if field.unset else '')}"
    try:
        return _described(path, (setting,), allow_invalid)[0]
    except TikzgenError as error:
        raise _Refused(_said(error, field)) from None


def _said(error: TikzgenError, field: Field) -> str:
    """The first problem, without the place: the field is before one's eyes."""
    problems = getattr(error, "problems", ())
    if not problems:
        return str(error).splitlines()[0]
    first = problems[0][1] if isinstance(problems[0], tuple) else problems[0]
    inside = f"{first.path}: " if first.path not in ("", field.name) else ""
    return f"{inside}{first.message}" + (f" ({first.hint})" if first.hint else "")


def _with_parameter(drawn: str, field: Field, value: str, name: str) -> dict[str, Any]:
    """As `tikzgen edit … set` does it on the figure of the spec."""
    from tikzgen.edit.session import Session

    session = Session(drawn, name)
    given: Any = {"tex": value} if field.kind == "tex" else value
    outcome = session.apply("set", {"parameter": field.name, "value": given})
    _take(outcome)
    return session.description


def _take(outcome: Outcome) -> None:
    """Go on with an outcome, unless it is a refusal."""
    if outcome.status in ("refused", "failed"):
        ways = [f"invariant: {outcome.invariant}"] if outcome.invariant else []
        ways += [f"try: {outcome.nearest}"] if outcome.nearest else []
        raise _Refused(outcome.message, hint="; ".join(ways))
