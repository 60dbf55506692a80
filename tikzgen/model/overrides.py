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


MOST_OVERRIDES_COUNT = 200
"""Each override goes through the whole figure."""


class EditableRecipe(Recipe):
    """A recipe whose figure may be changed without giving up its facts."""

    overrides: list[Override] = Field(default_factory=empty, max_length=MOST_OVERRIDES_COUNT)
    """What the figure shows otherwise, as operations of `tikzgen edit`, which adds them here."""

    @property
    def changed_parts(self) -> bool:
        """Whether its figure has other parts than the facts say, so that what is computed from them is not its own."""
        return any(override.makes_parts for override in self.overrides)

    def to_figure(self, *, strict: bool = True) -> FigureModel:
        """Expand to a figure with the overrides; unused overrides are an error if `strict`, else ignored."""
        figure = self.with_fields().expand()
        return _overridden(figure, self.overrides, strict=strict) if self.overrides else figure

    def without_lost_parts(self) -> Self:
        """Return the recipe without overrides and slide names for parts that it no longer draws."""
        figure = self.model_copy(update={"slides": None}).with_fields().expand()
        known, overrides = figure.refs(), []
        for override in self.overrides:
            with suppress(EditRefused):
                figure = override.change(figure)
                overrides.append(override)
        slides = self.slides and self.slides.with_names(lambda name: name if name.partition("@")[0] in known else None)
        return self.model_copy(update={"overrides": overrides, "slides": slides})


def _overridden(figure: FigureModel, overrides: Sequence[Operation], *, strict: bool) -> FigureModel:
    """A figure with the overrides made; `SpecError` at the one that it does not allow."""
    for index, override in enumerate(overrides):
        try:
            figure = override.change(figure)
        except EditRefused as refused:
            if strict:
                raise SpecError([Problem(refused.message, f"overrides[{index}]", hint=refused.nearest)]) from None
    return validate_again(figure)


def validate_again(figure: FigureModel) -> FigureModel:
    """Validate a figure whose parts were put together anew, by every rule of the model."""

    def validate_part(part: Any, **changes: Any) -> Any:
        return type(part).model_validate({**part.__dict__, **changes})

    try:
        panels: list[Panel] = [
            validate_part(panel, content=[validate_part(part) for part in panel.content]) for panel in figure.panels
        ]
        made: FigureModel = validate_part(figure, panels=panels)
    except ValidationError:
        return type(figure).model_validate(shortest(figure))  # which says where in the figure it is
    return made
