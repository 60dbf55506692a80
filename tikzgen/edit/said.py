"""What a file says of its figure: a recipe's facts or the parts of a figure, what they make, and in which form."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from tikzgen.base.errors import SpecError
from tikzgen.edit.outcome import EditRefused
from tikzgen.layout import drawn
from tikzgen.layout.page.variants import formed
from tikzgen.loading import figure_of
from tikzgen.model.base import shortest
from tikzgen.model.figure import Figure, Options
from tikzgen.model.overrides import EditableRecipe
from tikzgen.specfile.document import Document, Places

__all__ = ["Said", "figure_of_data"]


class Said:
    """A description, as the model has it; `form` is that in which the file was drawn last, None where nobody knows."""

    def __init__(self, figure: Figure, name: str, form: Mapping[str, Any] | None = None) -> None:
        self.figure = figure
        self.name = name
        self.form = form

    @cached_property
    def options(self) -> Options:
        """The recipe, where the figure comes from one, else the figure."""
        return self.recipe or self.figure

    @cached_property
    def recipe(self) -> EditableRecipe | None:
        """The recipe; None for a figure that was said part by part."""
        origin = self.figure.origin
        return origin if isinstance(origin, EditableRecipe) else None

    @cached_property
    def drawn(self) -> Figure:
        """The figure in the form that is drawn at its width."""
        recorded = formed(self.figure, self.form) if self.form is not None else None
        return drawn(self.figure) if recorded is None else recorded

    def saying(self, options: Options) -> Said:
        """What is said from now on, checked as if it stood in a file; `EditRefused` where it breaks a rule."""
        if options is self.options:
            return self
        return Said(figure_of_data(shortest(options), self.name), self.name, self.form)

    def frozen(self) -> Said:
        """The same with the parts of its figure in place of a recipe that can no longer say what it is to show.

        What a schedule's recipe measured goes: nobody computes it again.
        """
        if self.recipe is None:
            return self
        measured = "bubble_measure" in type(self.recipe).model_fields
        said = self.saying(self.recipe.model_copy(update={"bubble_measure": "none"})) if measured else self
        return Said(figure_of_data(shortest(said.drawn.model_copy()), self.name), self.name)


def figure_of_data(data: Mapping[str, Any], name: str) -> Figure:
    """The figure of a description; `EditRefused` where it breaks a rule of the model."""
    try:
        return figure_of(Document(name, dict(data), Places(name, "the result")))
    except SpecError as error:
        problem = error.problems[0]
        where = f"{problem.path}: " if problem.path else ""
        raise EditRefused("model", where + problem.message, nearest=problem.hint) from None
