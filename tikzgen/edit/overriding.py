"""Changes of a figure's parts: done to them, or kept as overrides beside the facts of the recipe they come from."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from tikzgen.base.errors import EditRefused
from tikzgen.edit.own_figure import Said
from tikzgen.model.figure import Options
from tikzgen.model.operations import Operation, read_operation
from tikzgen.model.overrides import EditableRecipe


def changed(said: Said, operation: Operation) -> Options:
    """The description with a change of parts; `EditRefused` where the figure does not allow it."""
    made = operation.change(said.figure)  # refuses what cannot be
    return made if said.recipe is None else overridden(said, said.recipe, operation)


def overridden(said: Said, recipe: EditableRecipe, operation: Operation) -> EditableRecipe:
    """The recipe with a change among its overrides: in place of one about the same, or of one that it takes back."""
    kept = list(recipe.overrides)
    without = None
    same = [at for at, old in enumerate(kept) if operation.about and _about(old) == _about(operation)]
    if same:
        without = _with(recipe, [*kept[: same[-1]], *kept[same[-1] + 1 :]])
        kept[same[-1]] = _joined(kept[same[-1]], operation)
    else:
        if kept and _may_undo(operation, kept[-1]):
            without = _with(recipe, kept[:-1])
        kept.append(operation)
    result = _with(recipe, kept)
    with suppress(EditRefused):
        if without is not None and said.saying(without).draws_as(said.saying(result)):
            return without
    return result


def _may_undo(new: Operation, old: Operation) -> bool:
    return old.do in new.undoes or new.do in old.undoes


def _about(operation: Operation) -> tuple[Any, ...]:
    return (operation.do, *(getattr(operation, field) for field in operation.about))


def _joined(old: Operation, new: Operation) -> Operation:
    """The new one, with what the old one said besides."""
    return read_operation(new.do, {**old.given(), **new.given()})


def _with(recipe: EditableRecipe, overrides: list[Operation]) -> EditableRecipe:
    return recipe.model_copy(update={"overrides": overrides})
