"""Operations on a third-party figure, one at a time: each completely, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tikzgen.base.errors import EditRefused
from tikzgen.base.read_files import read_bounded
from tikzgen.edit.foreign.count_members import add_worker, remove_worker
from tikzgen.edit.foreign.foreign_figure import SpanReplacements, Subject
from tikzgen.edit.foreign.keep_contract import guard, keep_at_last, kept_in_step, refuse_several_figures
from tikzgen.edit.foreign.node_names import rename_id
from tikzgen.edit.foreign.parts import add_flow, add_group, add_node, remove_flow, set_node
from tikzgen.edit.foreign.values import change_spacing, palette, recolor, rename_node, set_parameter, swap_icon
from tikzgen.edit.operation_calls import OperationOutcome
from tikzgen.edit.run_calls import reject
from tikzgen.edit.session import EditedFiles
from tikzgen.emit.contract_for_programs import Contract, find_contract
from tikzgen.lint.inventory import Metadata, metadata_of, take
from tikzgen.model.operations import Operation
from tikzgen.texfile import apply, decode, encode, scan

_ACTS = (rename_node, rename_id, add_worker, remove_worker, change_spacing, swap_icon, recolor, palette)
_ACTS_ON_PARTS = (add_flow, remove_flow, add_node, set_node, add_group)
ACTS: dict[str, Callable[..., SpanReplacements]] = {
    "set": set_parameter,
    **{each.__name__.replace("_", "-"): each for each in (*_ACTS, *_ACTS_ON_PARTS)},
}


class ForeignSession:
    """A third-party figure, open for operations; `text` has the file's line ends and byte order mark."""

    exact = True  # the returned text has the line ends of the file

    def __init__(
        self, text: str, name: str, contract: Contract | None, why: str = "", path: Path | None = None
    ) -> None:
        self._name = name
        self._path = path
        self._contract = contract
        self._why = why
        self._metadata = metadata_of(path) if path else Metadata.parse_file("", None)
        self._subject = self._before = self._read_subject(text)

    @classmethod
    def of(cls, text: str, path: Path, why: str = "") -> ForeignSession:
        """Open a figure with its metadata and its contract, next to it or shipped with tikzgen.

        `why` is the reason why the figure does not count as tikzgen's own.
        """
        found = find_contract(path, scan(text))
        return cls(text, str(path), found[1] if found else None, why, path)

    def freeze(self) -> OperationOutcome:
        """Return an outcome without effect: a third-party figure has no recipe."""
        return OperationOutcome("freeze", "noop", "unchanged", "the figure comes from no recipe")

    def apply_all(self, operations: Sequence[Operation]) -> list[OperationOutcome]:
        """Do operations one at a time; each must keep the contract."""
        return [self.apply(operation) for operation in operations]

    def apply(self, operation: Operation) -> OperationOutcome:
        """Run one operation, or return the reason against it; a rejected operation changes nothing."""
        name = operation.do
        if name not in ACTS:
            message = f"the figure {self._why or 'is not one that tikzgen wrote'}, and only its own figures allow this"
            return OperationOutcome(name, "refused", "not-own", message, nearest=", ".join(ACTS))
        try:
            change = ACTS[name](self._subject, **operation.given_arguments())
            refuse_several_figures(self._subject.facts, change.replacements)
            edited = apply(self._subject.facts.text, change.replacements)
            if not edited.replacements:
                return OperationOutcome(name, "noop", "unchanged", "the figure says so already")
            after = self._read_subject(edited.text)
            guard(self._subject, after, change)
        except EditRefused as refused:
            return reject(operation, refused)
        self._subject = after
        return OperationOutcome(name, "applied", message=change.message)

    def result(self, prefer: object = None) -> EditedFiles:
        """Return the text with all changes, otherwise byte-identical; `prefer` has no effect without a merge.

        Raise `EditRefused` if lists that belong together have different lengths after all operations.
        """
        keep_at_last(self._before, self._subject)
        return EditedFiles(self._subject.facts.text, {})

    def metadata_text(self, path: Path) -> str:
        """Return the metadata file of the figure, with its current parameters."""
        before, after = (
            {each.name: each.value for each in one.inventory.parameters} for one in (self._before, self._subject)
        )
        figure = self._subject.inventory
        meanings = {each.label: f"label of the flow from {each.source} to {each.target}" for each in figure.flows}
        meanings |= {macro: f"label of {node.name}" for node in figure.nodes for macro in node.labels}
        data = read_bounded(path)
        metadata = Metadata.parse_file(str(path), data)
        return decode(data) if metadata.data is None else kept_in_step(metadata, before, after, meanings)

    def _read_subject(self, text: str) -> Subject:
        facts = scan(text)
        figure = take(encode(text), self._name, self._path, facts=facts, metadata=self._metadata)
        return Subject(self._name, facts, figure, self._metadata, self._contract)
