"""Overrides of a recipe: operations that are applied in order to the figure that the recipe makes.

tikzgen applies them at each expansion of the recipe, so an edited figure still follows its parameters.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, ValidationError

from tikzgen.base.errors import EditRefused, Problem, SpecError
from tikzgen.model.content import Tagged
from tikzgen.model.figure import FigureModel, Recipe, has_address
from tikzgen.model.operations.operation_model import Operation
from tikzgen.model.operations.operations_table import OVERRIDES
from tikzgen.model.panel_parts import Panel
from tikzgen.model.part import make_empty_list, shorten_description

Override = Annotated[Operation, Tagged("do", OVERRIDES)]


MOST_OVERRIDES_COUNT = 200
"""Limit of overrides, because each override processes the entire figure."""


class EditableRecipe(Recipe):
    """A recipe whose figure can be edited without losing its parameters."""

    field_group = "figure"
    field_groups: ClassVar[tuple[str, ...]] = ("labels: labels icons",)

    overrides: list[Override] = Field(default_factory=make_empty_list, max_length=MOST_OVERRIDES_COUNT)
    """Changes of the recipe's figure, as operations of `tikzgen edit`, which adds them here."""

    @property
    def changed_parts(self) -> bool:
        """Whether an override adds or removes parts, so that measures of the parameters do not apply."""
        return any(override.makes_parts for override in self.overrides)

    def to_figure(self, *, strict: bool = True) -> FigureModel:
        """Expand to a figure with the overrides; unused overrides are an error if `strict`, else ignored."""
        figure = self.with_fields().expand()
        return _apply_overrides(figure, self.overrides, strict=strict) if self.overrides else figure

    def without_lost_parts(self) -> Self:
        """Return the recipe without overrides and slide names for parts that it no longer draws."""
        figure = self.model_copy(update={"slides": None}).with_fields().expand()
        known, overrides = figure.refs(), []
        for override in self.overrides:
            with suppress(EditRefused):
                figure = override.change(figure)
                overrides.append(override)
        slides = self.slides and self.slides.with_names(lambda name: name if has_address(name, known) else None)
        return self.model_copy(update={"overrides": overrides, "slides": slides})


def _apply_overrides(figure: FigureModel, overrides: Sequence[Operation], *, strict: bool) -> FigureModel:
    """Return the figure with the overrides applied; raise `SpecError` for a failed one if `strict`."""
    for index, override in enumerate(overrides):
        try:
            figure = override.change(figure)
        except EditRefused as refused:
            if strict:
                raise SpecError([Problem(refused.message, f"overrides[{index}]", hint=refused.nearest)]) from None
    return validate_again(figure)


def validate_again(figure: FigureModel) -> FigureModel:
    """Validate a figure that was assembled from changed parts, by every rule of the model."""

    def validate_part(part: Any, **changes: Any) -> Any:
        return type(part).model_validate({**part.__dict__, **changes})

    try:
        panels: list[Panel] = [
            validate_part(panel, content=[validate_part(part) for part in panel.content]) for panel in figure.panels
        ]
        made: FigureModel = validate_part(figure, panels=panels)
    except ValidationError:
        return type(figure).model_validate(shorten_description(figure))  # this error has the path in the figure
    return made
