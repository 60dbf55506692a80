"""Descriptions as plain data: the recipe's short form, the figure's long form, and back to a figure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tikzgen.edit.outcome import EditRefused

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure, Recipe

__all__ = ["Data", "contents", "drawn_of_data", "figure_of_data", "is_recipe", "recipe_of", "spelt_out"]

Data = dict[str, Any]


def is_recipe(data: Data) -> bool:
    """Whether the description is a recipe's few facts."""
    return "recipe" in data


def recipe_of(data: Data) -> Recipe:
    """The recipe of a description, read."""
    from tikzgen.recipe import recipe

    facts = {key: value for key, value in data.items() if key not in ("tikzgen", "$schema")}
    return recipe(data["recipe"]).model_validate(facts)


def figure_of_data(data: Data, name: str) -> Figure:
    """The figure of a description; `EditRefused` where it breaks a rule of the model."""
    from tikzgen.errors import SpecError
    from tikzgen.loading import figure_of
    from tikzgen.spec.document import Document, Places

    try:
        return figure_of(Document(name, data, Places(name, "the result")))
    except SpecError as error:
        problem = error.problems[0]
        where = f"{problem.path}: " if problem.path else ""
        raise EditRefused("model", where + problem.message, nearest=problem.hint) from None


def drawn_of_data(data: Data, name: str) -> Figure:
    """The figure of a description in the form that is drawn at its width, as its file records it."""
    from tikzgen.layout import drawn
    from tikzgen.layout.forms import formed
    from tikzgen.rendering.identity import identity_of

    figure, identity = figure_of_data(data, name), identity_of(data)
    recorded = formed(figure, identity.form) if identity is not None and identity.version else None
    return drawn(figure) if recorded is None else recorded


def spelt_out(data: Data, name: str) -> Data:
    """The long form: a recipe's figure with all its panels, as a person may go on changing it; a figure as it is."""
    if not is_recipe(data):
        return data
    from tikzgen.model.base import shortest

    figure = drawn_of_data(data, name)
    found: Data = shortest(figure.model_copy())
    return found


def contents(data: Data, kind: str) -> Iterator[tuple[int, int, Data]]:
    """Every topology or timeline of a long form, with the places of its panel and of itself."""
    for panel, one in enumerate(data.get("panels", ())):
        parts = one["content"]
        for index, content in enumerate(parts if isinstance(parts, list) else [parts]):
            if content.get("type") == kind:
                yield panel, index, content
