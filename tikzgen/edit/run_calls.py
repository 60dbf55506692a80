"""Operations of one call: one after another, or at once if only the result keeps the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import ValidationError

from tikzgen.base.errors import EditRefused, PartRefused, quote
from tikzgen.base.trust import allow_overlaps
from tikzgen.edit.operation_calls import OperationOutcome, reject_arguments
from tikzgen.edit.own_figure import Said
from tikzgen.edit.run_operation import run_operation
from tikzgen.model.operations import Operation, RenameId
from tikzgen.model.topology import Topology


def run_all(said: Said, operations: Sequence[Operation]) -> tuple[Said, list[OperationOutcome]]:
    """Do operations one after another; return the description and an outcome for each."""
    outcomes = []
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
            outcomes.append(OperationOutcome(operation.do, "applied"))
            said = Said(made.figure, made.name)  # it may have another form than the last drawing
    return said, outcomes


def run_at_once(said: Said, operations: Sequence[Operation]) -> tuple[Said, list[OperationOutcome]] | None:
    """Do operations whose result alone keeps the rules, such as two spans or two ids that are swapped; else None."""
    steps = list(_swap_ids(operations))
    with allow_overlaps():
        made, outcomes = run_all(said, [operation for _, operation in steps])
    if is_refused(outcomes):
        return None
    try:
        made = made.validate_again()
    except EditRefused:
        return None
    last = {at: outcome for (at, _), outcome in zip(steps, outcomes, strict=True)}
    return made, [last[at] for at in range(len(operations))]


def _swap_ids(operations: Sequence[Operation]) -> Iterator[tuple[int, Operation]]:
    """Yield each operation with its index; an id that a later operation renames is given after that operation."""
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


def is_refused(outcomes: Sequence[OperationOutcome]) -> bool:
    return any(each.status == "refused" for each in outcomes)


def _refuse_fixed_name(said: Said, operation: Operation) -> None:
    """Refuse to rename a node that the recipe draws: the contract of its figures fixes the name."""
    if not isinstance(operation, RenameId) or said.recipe is None or operation.old == operation.new:
        return
    figure = said.recipe.model_copy(update={"overrides": []}).to_figure()
    if any(node.id == operation.old for _, _, part in figure.parts(Topology) for node in part.nodes):
        message = f"the contract of the recipe fixes the name {quote(operation.old)}"
        kept = "nodes of a recipe keep their names"
        raise EditRefused("fixed-name", message, invariant=kept, nearest=f"rename-node {operation.old}, for its label")


def reject(operation: Operation, refused: EditRefused) -> OperationOutcome:
    return OperationOutcome(operation.do, "refused", refused.code, refused.message, refused.invariant, refused.nearest)
