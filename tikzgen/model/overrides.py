"""What a recipe's figure shows otherwise than its facts say: operations that are done to it, one after the other.

They are done again whenever the recipe's figure is made: so a figure that was edited goes on following its facts.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError

from tikzgen.base.errors import EditRefused, Problem, SpecError
from tikzgen.model.content import Tagged
from tikzgen.model.figure import FigureModel, Recipe
from tikzgen.model.operations.operation_model import Operation
from tikzgen.model.operations.operations_table import OVERRIDES
from tikzgen.model.panel_parts import Panel
from tikzgen.model.part import empty, shortest

Override = Annotated[Operation, Tagged("do", OVERRIDES)]


MOST_OVERRIDES = 200
"""Each override goes through the whole figure."""


class EditableRecipe(Recipe):
    """A recipe whose figure may be changed without giving up its facts."""

    overrides: list[Override] = Field(default_factory=empty, max_length=MOST_OVERRIDES)
    """What the figure shows otherwise, as operations of `tikzgen edit`, which adds them here."""

    @property
    def changed_parts(self) -> bool:
        """Whether its figure has other parts than the facts say, so that what is computed from them is not its own."""
        return any(override.makes_parts for override in self.overrides)

    def expanded(self, *, strict: bool = True) -> FigureModel:
        """The figure with the overrides; those that find nothing to change are left out, unless `strict`."""
        figure = self.with_fields().expand()
        return _overridden(figure, self.overrides, strict=strict) if self.overrides else figure

    def fitting(self) -> Self:
        """The recipe without what it says of parts that it no longer draws: overrides that find nothing to change, and
        names in slides."""
        figure = self.model_copy(update={"slides": None}).with_fields().expand()
        known, overrides = figure.refs(), []
        for override in self.overrides:
            with suppress(EditRefused):
                figure = override.change(figure)
                overrides.append(override)
        slides = self.slides and self.slides.naming(lambda name: name if name.partition("@")[0] in known else None)
        return self.model_copy(update={"overrides": overrides, "slides": slides})


def _overridden(figure: FigureModel, overrides: Sequence[Operation], *, strict: bool) -> FigureModel:
    """A figure with the overrides made; `SpecError` at the one that it does not allow."""
    for index, override in enumerate(overrides):
        try:
            figure = override.change(figure)
        except EditRefused as refused:
            if strict:
                raise SpecError([Problem(refused.message, f"overrides[{index}]", hint=refused.nearest)]) from None
    return checked(figure)


def checked(figure: FigureModel) -> FigureModel:
    """A figure whose parts were put together anew, with every rule of the model tried."""

    def tried(part: Any, **changes: Any) -> Any:
        return type(part).model_validate({**part.__dict__, **changes})

    try:
        panels: list[Panel] = [tried(panel, content=[tried(part) for part in panel.content]) for panel in figure.panels]
        made: FigureModel = tried(figure, panels=panels)
    except ValidationError:
        return type(figure).model_validate(shortest(figure))  # which says where in the figure it is
    return made
