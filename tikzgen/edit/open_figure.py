"""A figure's file, open for operations: read once, changed in memory, written once, undone on request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import unified_diff
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from tikzgen.base.errors import EditRefused, PartRefused, quote, read_error, shorten_for_message
from tikzgen.base.folders import lock_folder
from tikzgen.base.read_files import read_bounded
from tikzgen.base.suggest import suggest_known_names
from tikzgen.base.write_files import write_files
from tikzgen.compile.draw import make_mimebundle
from tikzgen.edit.history import remember
from tikzgen.edit.merge import MergeConflict, Prefer, Sides
from tikzgen.edit.operation_calls import OperationCall, OperationOutcome, reject_arguments
from tikzgen.edit.session import EditedFiles, Session, merged_metadata, merged_text
from tikzgen.emit.figure_files import meta_path
from tikzgen.emit.refuse_overwriting import refuse_undoing
from tikzgen.model.figure import FigureModel
from tikzgen.model.operations import OPERATIONS, Operation, read_operation
from tikzgen.spec.embedded_spec import extract_spec, omit_record
from tikzgen.spec.source import refuse_spec
from tikzgen.texfile import as_in, compute_digest, decode, encode, read_source, read_tex

_NOT_OWN = ("no-spec", "spec-unreadable", "other-version", "own-templates")


class _Session(Protocol):
    """Interface of open files, tikzgen's own and third-party."""

    exact: bool

    def apply_all(self, operations: Sequence[Operation]) -> list[OperationOutcome]: ...

    def freeze(self) -> OperationOutcome: ...

    def result(self, prefer: Prefer = None) -> EditedFiles: ...

    def metadata_text(self, path: Path) -> str: ...


class Editing:
    """An open figure: `tikzgen.edit.open("fig.tex").add_worker().save()`.

    Every operation of `tikzgen show` is a method, with `_` for `-`. It returns the object, so that calls can be
    chained. It raises `EditRefused` if the operation is rejected. `outcomes` has the result of each operation.
    """

    def __init__(self, path: Path, data: bytes, *, freeze: bool = False) -> None:
        self.path = path
        self.digest = compute_digest(data)
        self.outcomes: list[OperationOutcome] = []
        self._before = data
        self._session = _session(data, path)
        if freeze:
            self.outcomes.append(self._session.freeze())

    def apply(self, name: str, /, *values: Any, **arguments: Any) -> Editing:
        """Run one operation by its id; raise `EditRefused` with the reason and an accepted alternative."""
        outcome = self.attempt(name, {**_name_arguments(name, values), **arguments})
        if outcome.status == "refused":
            message = f"{outcome.operation}: {outcome.message}"
            raise EditRefused(outcome.code, message, invariant=outcome.invariant, nearest=outcome.nearest)
        return self

    def attempt(self, name: str, arguments: Mapping[str, Any]) -> OperationOutcome:
        """Run one operation and return its outcome; a rejected one leaves the figure unchanged."""
        return self.attempt_all([OperationCall(name, dict(arguments))])[0]

    def attempt_all(self, calls: Iterable[OperationCall]) -> list[OperationOutcome]:
        """Run several operations, of which only the result must keep the rules; return the outcome of each."""
        read = [_read_call(call) for call in calls]
        done = iter(self._session.apply_all([each for each in read if not isinstance(each, OperationOutcome)]))
        outcomes = [each if isinstance(each, OperationOutcome) else next(done) for each in read]
        self.outcomes += outcomes
        return outcomes

    def __getattr__(self, name: str) -> Callable[..., Editing]:
        identifier = name.replace("_", "-")
        if identifier not in OPERATIONS:
            raise AttributeError(f"unknown operation {identifier}")
        return partial(self.apply, identifier)

    def before(self) -> str:
        """Return the text as it was read."""
        return decode(self._before)

    def text(self, prefer: Prefer = None) -> str:
        """Return the text that `save` would write; raise `MergeConflict` if manual edits conflict."""
        edited = self._session.result(prefer)
        if edited.conflicts:
            raise MergeConflict(str(self.path), edited.conflicts)
        return edited.tex

    def data(self, prefer: Prefer = None) -> bytes:
        """Return the bytes that `save` would write, with the line ends of the file."""
        if not any(outcome.status == "applied" for outcome in self.outcomes):
            return self._before
        text = self.text(prefer)
        return encode(text) if self._session.exact else as_in(self._before, text)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Show the figure in a notebook as `save` would write it; raise `MergeConflict` on a conflict."""
        return make_mimebundle(decode(self.data()))

    def diff(self, prefer: Prefer = None, *, record: bool = True) -> str:
        """Return the changes of `save` as a unified diff, with or without tikzgen's record of its lines."""
        texts = self.before(), decode(self.data(prefer))
        before, after = ((text if record else omit_record(text)).splitlines(keepends=True) for text in texts)
        return "".join(unified_diff(before, after, f"a/{self.path.name}", f"b/{self.path.name}"))

    def save(self, prefer: Prefer = None) -> Path:
        """Write the figure and its metadata, both or none; `FileRefused` if the file changed since it was opened."""
        data = self.data(prefer)
        if data == self._before:
            return self.path
        changes = {self.path: (self._before, data)}
        beside = meta_path(self.path)
        with lock_folder(self.path):
            if beside.exists():
                changes[beside] = (_read_metadata(beside), self._session.metadata_text(beside).encode())
            _write(changes)
            remember(self.path, changes)
        self._before, self.digest = data, compute_digest(data)
        return self.path


def _read_call(call: OperationCall) -> Operation | OperationOutcome:
    """Return the operation of a call, or the outcome of an invalid call."""
    known = OPERATIONS.get(call.operation)
    if known is None:
        hint = suggest_known_names(call.operation, OPERATIONS, "the operations are")
        return OperationOutcome(
            shorten_for_message(call.operation),
            "refused",
            "no-operation",
            f"unknown operation {quote(call.operation)}",
            nearest=hint,
        )
    try:
        return read_operation(call.operation, call.arguments)
    except (ValidationError, PartRefused) as error:
        return reject_arguments(known, error)


def open_figure(path: str | Path, *, freeze: bool = False) -> Editing:
    """Open a .tex for operations, with `freeze` without its recipe; raise `FileRefused` if unreadable."""
    refuse_spec(Path(path))
    return Editing(Path(path), read_source(Path(path)), freeze=freeze)


def merge_into(path: Path, figure: FigureModel, prefer: Prefer = None) -> bool:
    """Write a figure and its metadata onto an earlier version with manual edits, both or none.

    Return whether files changed. Raise `MergeConflict` if both sides changed the same lines, and `EditRefused` if
    tikzgen did not write the file.
    """
    with lock_folder(path):
        data = read_source(path)
        return write_files(_merge_files(path, data, figure, prefer), expect={path: compute_digest(data)})


def find_merge_changes(path: Path, figure: FigureModel, prefer: Prefer = None) -> list[str]:
    """Return the changes that `merge_into` would make to both files, as lines of a unified diff."""
    found: list[str] = []
    for file, merged in _merge_files(path, read_source(path), figure, prefer).items():
        held = read_tex(file) if file.exists() else ""
        found += unified_diff(held.splitlines(True), decode(merged).splitlines(True), str(file), str(file))
    return found


def _merge_files(path: Path, data: bytes, figure: FigureModel, prefer: Prefer) -> dict[Path, bytes]:
    """Return both files of a figure after the merge with its manual edits; `data` is the .tex as it is."""
    beside = meta_path(path)
    edited, own = merged_text(decode(data), str(path), figure, prefer)
    if edited.conflicts:
        raise MergeConflict(str(path), edited.conflicts)
    if (prefer.rest if isinstance(prefer, Sides) else prefer) != "ours":
        refuse_undoing(path, decode(data), edited.tex, "`tikzgen pull` writes it to the spec, --ours discards it")
    metadata = merged_metadata(beside, own, edited.metadata).encode()
    return {path: as_in(data, edited.tex), beside: metadata}


def _write(changes: Mapping[Path, tuple[bytes, bytes]]) -> None:
    """Write files, all or none; `changes` maps each path to its old data, as read, and its new data."""
    write_files(
        {path: new for path, (_, new) in changes.items()},
        expect={path: compute_digest(old) for path, (old, _) in changes.items()},
    )


def _read_metadata(path: Path) -> bytes:
    try:
        return read_bounded(path, plain=True)
    except OSError as error:
        raise read_error(path, error) from None


def _session(data: bytes, path: Path) -> _Session:
    """Return a session for a file that tikzgen wrote, or a session that edits the source of another file."""
    text = decode(data)
    why = "contains no tikzgen spec"
    if extract_spec(text) is not None:
        try:
            return Session(text, str(path))
        except EditRefused as refused:
            if refused.code not in _NOT_OWN:
                raise
            why = refused.message
    from tikzgen.edit.foreign.foreign_session import ForeignSession  # not needed for tikzgen's own figures

    return ForeignSession.of(text, path, why)


def _name_arguments(name: str, values: tuple[Any, ...]) -> dict[str, Any]:
    fields = list(OPERATIONS[name].list_arguments()) if name in OPERATIONS else []
    if len(values) > len(fields):
        message = f"{quote(name)} takes {len(fields)} arguments, not {len(values)}"
        raise EditRefused("arguments", message, nearest=", ".join(fields))
    return dict(zip(fields, values, strict=False))
