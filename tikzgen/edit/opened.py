"""A figure's file, open for operations: read once, changed in memory, written once, undone on request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from tikzgen.edit.merge import Conflict, Side
from tikzgen.edit.operations import OPERATIONS, operation
from tikzgen.edit.outcome import EditRefused, Outcome
from tikzgen.errors import FileRefused
from tikzgen.files import replace_unchanged, write_if_changed
from tikzgen.source.text import decode, digest, encode, read_source

__all__ = ["Editing", "MergeConflict", "open_figure", "undo"]


class MergeConflict(EditRefused):
    """Lines that a person changed and that the operations change too; nothing was written."""

    def __init__(self, name: str, conflicts: tuple[Conflict, ...]) -> None:
        self.conflicts = conflicts
        places = ", ".join(str(conflict.line) for conflict in conflicts)
        message = f"{name}: changed by hand where the operations change it too (line {places})"
        super().__init__("conflict", message, nearest="--ours takes tikzgen's lines, --theirs keeps the hand edits")


class _Session(Protocol):
    """What both kinds of file offer: those that tikzgen wrote, and those of others."""

    def apply(self, operation: str, arguments: Mapping[str, Any]) -> Outcome: ...

    def result(self, prefer: Side | None = None) -> Any: ...


class Editing:
    """An open figure: `tikzgen.edit.open("fig.tex").add_worker().save()`.

    Every operation of `tikzgen show` is a method, with `_` for `-`; each gives the object back, so that calls can be
    chained, and raises `EditRefused` where it is refused. `outcomes` tells what became of each.
    """

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        self.digest = digest(data)
        self.outcomes: list[Outcome] = []
        self._before = data
        self._bom = data.startswith(b"\xef\xbb\xbf")
        self._crlf = b"\r\n" in data
        self._session = _session(data, path)

    def apply(self, name: str, /, **arguments: Any) -> Editing:
        """Do one operation by its id; `EditRefused` says why not and what would be accepted."""
        outcome = self.attempt(name, arguments)
        if outcome.status in ("refused", "failed"):
            raise EditRefused(outcome.code, str(outcome), invariant=outcome.invariant, nearest=outcome.nearest)
        return self

    def attempt(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        """Do one operation and tell what became of it; a refusal leaves the figure as it was."""
        known = operation(name)
        if known is None:
            from tikzgen.suggest import suggestion

            hint = suggestion(name, [each.id for each in OPERATIONS], "the operations are")
            outcome = Outcome(name, "refused", "no-operation", f'there is no operation "{name}"', nearest=hint)
        else:
            try:
                checked = known.arguments.model_validate(dict(arguments))
            except ValidationError as error:
                outcome = Outcome(name, "refused", "arguments", _first(error), nearest=_usage(name))
            else:
                given = {field: getattr(checked, field) for field in checked.model_fields_set}
                outcome = self._session.apply(name, {**given, **(checked.model_extra or {})})
        self.outcomes.append(outcome)
        return outcome

    def __getattr__(self, name: str) -> Callable[..., Editing]:
        identifier = name.replace("_", "-")
        if operation(identifier) is None:
            raise AttributeError(f"there is no operation {identifier}")
        return lambda *values, **arguments: self.apply(identifier, **_named(identifier, values), **arguments)

    def before(self) -> str:
        """The text as it was read."""
        return decode(self._before)

    def text(self, prefer: Side | None = None) -> str:
        """The text that `save` would write; `MergeConflict` where hand edits are in the way."""
        edited = self._session.result(prefer)
        if edited.conflicts:
            raise MergeConflict(str(self.path), edited.conflicts)
        text: str = edited.tex
        return text

    def data(self, prefer: Side | None = None) -> bytes:
        """The bytes that `save` would write: with the file's own line ends."""
        if not any(outcome.status == "applied" for outcome in self.outcomes):
            return self._before
        text = self.text(prefer)
        if self._crlf:
            text = text.replace("\n", "\r\n")
        return encode(("\ufeff" if self._bom else "") + text)

    def save(self, prefer: Side | None = None) -> Path:
        """Write the figure and its metadata; `FileRefused` if the file changed since it was opened."""
        from tikzgen.edit.undo import remember
        from tikzgen.rendering.files import meta_path

        data = self.data(prefer)
        if data == self._before:
            return self.path
        metadata = getattr(self._session, "metadata_text", None)
        remember(self.path, self._before, data)
        replace_unchanged(self.path, data, self.digest)
        beside = meta_path(self.path)
        if metadata is not None and beside.exists():
            remember(beside, beside.read_bytes(), text := metadata(beside).encode())
            write_if_changed(beside, text)
        return self.path


def open_figure(path: str | Path) -> Editing:
    """Open a .tex for operations; `FileRefused` if it cannot be read."""
    return Editing(Path(path), read_source(Path(path)))


def undo(path: str | Path) -> Path:
    """Give a figure and its metadata back what they held before the last edit; `FileRefused` where that is unsafe."""
    from tikzgen.edit.undo import forget, restore
    from tikzgen.rendering.files import meta_path

    path = Path(path)
    before = restore(path)
    write_if_changed(path, before)
    forget(path)
    beside = meta_path(path)
    if beside.exists():
        try:
            write_if_changed(beside, restore(beside))
        except FileRefused:
            return path
        forget(beside)
    return path


def _session(data: bytes, path: Path) -> _Session:
    from tikzgen.edit.session import Session

    return Session(decode(data), str(path))


def _named(name: str, values: tuple[Any, ...]) -> dict[str, Any]:
    known = operation(name)
    fields = list(known.arguments.model_fields) if known else []
    if len(values) > len(fields):
        raise TypeError(f"{name} takes {len(fields)} arguments: {', '.join(fields)}")
    return dict(zip(fields, values, strict=False))


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    where = ".".join(map(str, problem["loc"]))
    return f"{where}: {problem['msg'][:1].lower()}{problem['msg'][1:]}" if where else problem["msg"]


def _usage(name: str) -> str:
    known = operation(name)
    fields = known.arguments.model_fields if known else {}
    return " ".join(
        [name, *(f"{field}=…" if field_.is_required() else f"[{field}=…]" for field, field_ in fields.items())]
    )
