"""Descriptions as plain data: the recipe's short form, the figure's long form, and back to a figure."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tikzgen.edit.outcome import EditRefused
from tikzgen.model.base import shortest
from tikzgen.model.changes.plain_figure import Data

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure, Recipe

__all__ = [
    "Data",
    "drawn_as_recorded",
    "drawn_of_data",
    "fields_of",
    "figure_of_data",
    "frozen",
    "is_recipe",
    "recipe_of",
    "spelt_out",
]


def is_recipe(data: Data) -> bool:
    """Whether the description is a recipe's few facts."""
    return "recipe" in data


def recipe_of(data: Data) -> Recipe:
    """The recipe of a description, read."""
    from tikzgen.recipe import recipe

    facts = {key: value for key, value in data.items() if key not in ("tikzgen", "$schema")}
    return recipe(data["recipe"]).model_validate(facts)


def figure_of_data(data: Data, name: str) -> Figure:
    """The figure of a description; `EditRefused` where it breaks a rule of the model.

    An operation asks for the same few figures again and again, and a schedule takes long to compute: they are kept.
    """
    return _figure(json.dumps(shortest({field: value for field, value in data.items() if field != "tikzgen"})), name)


@lru_cache(maxsize=4)
def _figure(said: str, name: str) -> Figure:
    from tikzgen.base.errors import SpecError
    from tikzgen.loading import figure_of
    from tikzgen.specfile.document import Document, Places

    data = json.loads(said)
    try:
        return figure_of(Document(name, data, Places(name, "the result")))
    except SpecError as error:
        problem = error.problems[0]
        where = f"{problem.path}: " if problem.path else ""
        raise EditRefused("model", where + problem.message, nearest=problem.hint) from None


def drawn_of_data(data: Data, name: str) -> Figure:
    """The figure of a description in the form that is drawn at its width, as its file records it."""
    return drawn_as_recorded(figure_of_data(data, name), data)


def drawn_as_recorded(figure: Figure, data: Data) -> Figure:
    """A figure in the form that is drawn at its width, as the description in its file records it."""
    from tikzgen.layout import drawn
    from tikzgen.layout.page.variants import formed
    from tikzgen.tikz.identity import identity_of

    identity = identity_of(data)
    recorded = formed(figure, identity.form) if identity is not None and identity.version else None
    return drawn(figure) if recorded is None else recorded


def spelt_out(data: Data, name: str) -> Data:
    """The long form: a recipe's figure with all its panels, as a person may go on changing it; a figure as it is."""
    if not is_recipe(data):
        return data
    figure = drawn_of_data(data, name)
    found: Data = shortest(figure.model_copy())
    return found


def frozen(data: Data, name: str) -> Data:
    """The long form in place of a recipe that can no longer say what its figure is to show; a figure as it is.

    What a schedule's recipe measured goes: nobody computes it again.
    """
    if not is_recipe(data):
        return data
    return spelt_out({**data, "bubble_measure": "none"} if "bubble_measure" in fields_of(data) else data, name)


def fields_of(data: Data) -> Any:
    """The fields of a recipe."""
    from tikzgen.recipe import recipe

    return recipe(data["recipe"]).model_fields
