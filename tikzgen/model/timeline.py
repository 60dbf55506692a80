"""A timeline: lanes over time, with spans on them that can be."""

from typing import Self

from pydantic import model_validator

from tikzgen.model.consistency import check_timeline
from tikzgen.model.timeline_parts import TimelineParts

__all__ = ["Timeline"]


class Timeline(TimelineParts):
    """Lanes over time."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_timeline(self)
        return self
