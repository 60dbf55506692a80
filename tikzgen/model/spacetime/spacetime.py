"""Space-time diagrams: lifelines over time with messages between them."""

from typing import Self

from pydantic import model_validator

from tikzgen.model.spacetime.check_spacetime import check_spacetime
from tikzgen.model.spacetime.spacetime_parts import SpaceTimeParts


class SpaceTime(SpaceTimeParts):
    """A space-time diagram: lifelines over time, with messages between them."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_spacetime(self)
        return self
