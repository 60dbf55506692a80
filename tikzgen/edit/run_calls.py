"""Operations of one call: one after another, or together if only the result keeps the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import ValidationError

from tikzgen.base.errors import EditRefused, PartRefused, quote
from tikzgen.base.record import Record
from tikzgen.base.trust import allow_overlaps
from tikzgen.edit.lift.renamed_names import NO_RENAMING, Renaming, find_renaming, rename_layout
from tikzgen.edit.operation_calls import OperationOutcome, reject_arguments
from tikzgen.edit.own_figure import Said
from tikzgen.edit.run_operation import run_operation
from tikzgen.model.operations import Operation, RenameId, fixed_names


class CallResult(Record):
    """The description after a call, an outcome for each operation, and the changes of names."""

    said: Said
    outcomes: list[OperationOutcome]
    renaming: Renaming

    @property
    def is_refused(self) -> bool:
        """Whether an operation was rejected."""
        return any(each.status == "refused" for each in self.outcomes)


def run_all(said: Said, operations: Sequence[Operation]) -> CallResult:
    """Run operations one after another."""
    outcomes: list[OperationOutcome] = []
    renaming = NO_RENAMING
    for operation in operations:
        try:
            _refuse_fixed_name(said, operation)
            made = run_operation(said, operation)
        except EditRefused as refused:
            outcomes.append(reject(operation, refused))
        except (ValidationError, PartRefused) as error:
            outcomes.append(reject_arguments(type(operation), error))
        else:
            if made is said or made.draws_as(said):
                outcomes.append(OperationOutcome(operation.do, "noop", "unchanged", "the figure says so already"))
                continue
            lost = operation.describe_losses(said.figure, made.figure)
            outcomes.append(OperationOutcome(operation.do, "applied", message=lost))
            if isinstance(operation, RenameId):
                renaming = renaming.followed_by(find_renaming(said.figure, made.figure))
                rename_layout(said.figure, made.figure)
            said = Said(made.figure, made.name)  # it may have another form than the last drawing
    return CallResult(said, outcomes, renaming)


def run_at_once(said: Said, operations: Sequence[Operation]) -> CallResult | None:
    """Run operations of which only the result keeps the rules, such as swapped ids; None if it breaks one."""
    steps = list(_swap_ids(operations))
    with allow_overlaps():
        result = run_all(said, [operation for _, operation in steps])
    if result.is_refused:
        return None
    try:
        made = result.said.validate_again()
    except EditRefused:
        return None
    last = {at: outcome for (at, _), outcome in zip(steps, result.outcomes, strict=True)}
    return CallResult(made, [last[at] for at in range(len(operations))], result.renaming)


def _swap_ids(operations: Sequence[Operation]) -> Iterator[tuple[int, Operation]]:
    """Yield operations with their indices; an id that a later operation frees is assigned after that."""
    waiting: dict[str, tuple[int, RenameId]] = {}
    for at, operation in enumerate(operations):
        if not isinstance(operation, RenameId):
            yield at, operation
            continue
        between = f"between-{at}"
        if any(isinstance(each, RenameId) and each.old == operation.new for each in operations[at + 1 :]):
            waiting[operation.new] = at, RenameId(do="rename-id", old=between, new=operation.new)
            yield at, RenameId(do="rename-id", old=operation.old, new=between)
        else:
            yield at, operation
        if operation.old in waiting:
            yield waiting.pop(operation.old)


def _refuse_fixed_name(said: Said, operation: Operation) -> None:
    """Raise `EditRefused` for a new name of a node that the recipe draws: its contract fixes the name."""
    if isinstance(operation, RenameId) and operation.old != operation.new and operation.old in fixed_names(said.figure):
        message = f"the contract of the recipe fixes the name {quote(operation.old)}"
        kept = "nodes of a recipe keep their names"
        raise EditRefused("fixed-name", message, invariant=kept, nearest=f"rename-node {operation.old}, for its label")


def reject(operation: Operation, refused: EditRefused) -> OperationOutcome:
    return OperationOutcome(operation.do, "refused", refused.code, refused.message, refused.invariant, refused.nearest)
