"""A space-time diagram: lifelines over time, and the messages that travel between them."""

from typing import Self

from pydantic import model_validator

from tikzgen.model.spacetime_checks import check_spacetime
from tikzgen.model.spacetime_parts import SpaceTimeParts


class SpaceTime(SpaceTimeParts):
    """Lifelines over time."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_spacetime(self)
        return self
