"""Changes of a figure: made to its parts, or kept as overrides beside the facts of the recipe that it comes from."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from typing import Any

from tikzgen.edit.outcome import EditRefused
from tikzgen.edit.spec_data import Data, figure_of_data, is_recipe
from tikzgen.model.base import shortest
from tikzgen.model.changes import CHANGES

__all__ = ["changed"]

# What an override is about: a second one about the same takes the place of the first.
_ABOUT = {"rename-node": ("node",), "set-text": ("at",), "recolor": ("what",), "swap-icon": ("node",)}
_UNDOES = {
    "add-worker": "remove-worker",
    "add-lane": "remove-lane",
    "add-flow": "remove-flow",
    "rename-id": "rename-id",
}
_UNDONE_BY = {**_UNDOES, **{undo: do for do, undo in _UNDOES.items()}}


def changed(data: Data, name: str, do: str, *, found: bool = False, **arguments: Any) -> Data:
    """The description with a change; `EditRefused` where the figure does not allow it.

    What it changes was `found` already, where the caller looked it up.
    """
    if not is_recipe(data):
        return CHANGES[do](deepcopy(data), **arguments)
    if not found:
        CHANGES[do](shortest(figure_of_data(data, name).model_copy()), **arguments)  # refuses what cannot be
    new = {"do": do, **arguments}
    kept = list(data.get("overrides", ()))
    same = [at for at, old in enumerate(kept) if do in _ABOUT and _about(old) == _about(new)]
    without = None
    if same:
        without = _with(data, [*kept[: same[-1]], *kept[same[-1] + 1 :]])
        kept[same[-1]] = new
    else:
        if kept and _UNDONE_BY.get(do) == kept[-1]["do"]:
            without = _with(data, kept[:-1])
        kept.append(new)
    result = _with(data, kept)
    with suppress(EditRefused):
        if without is not None and figure_of_data(without, name) == figure_of_data(result, name):
            return without
    return result


def _about(override: Data) -> tuple[Any, ...]:
    return (override["do"], *(override.get(field) for field in _ABOUT.get(override["do"], ())))


def _with(data: Data, overrides: list[Data]) -> Data:
    rest = {field: value for field, value in data.items() if field not in ("overrides", "tikzgen")}
    record = {"tikzgen": data["tikzgen"]} if "tikzgen" in data else {}
    return {**rest, **({"overrides": overrides} if overrides else {}), **record}
