"""What stands beside the entities of a topology: braces, ranges, notes."""

from typing import Literal, Self

from pydantic import Field, model_validator

from tikzgen.model.base import Id, Part, Ref, fail
from tikzgen.text import Text


class TopologyBrace(Part):
    """A brace or a double arrow beside entities, as long as they reach, with text at its middle."""

    over: list[Id] = Field(min_length=1)
    """The ids of entities or frames."""
    label: Text = ""
    """Text at its middle."""
    side: Literal["above", "below", "left", "right"] = "above"
    """On which side of the whole topology it stands."""
    look: Literal["brace", "range"] = "brace"
    """A curly brace, or a double arrow between two strokes."""


class TopologyNote(Part):
    """A free text: beside the whole topology or in its middle, or beside what it speaks of."""

    text: Text
    """What it says; a long one is broken into lines."""
    about: Ref | None = None
    """The id of an entity, a frame or a flow; null speaks of the whole topology."""
    side: Literal["auto", "above", "below", "left", "right", "center"] = "auto"
    """On which side of that it stands; auto is where there is free paper, of the whole topology below. Center is the
    middle of the whole topology, or of a frame."""
    boxed: bool = False
    """Whether it stands in a box."""
    leader: bool | None = None
    """Whether a thin line joins it to what it is about; null draws one where it stands farther away."""

    @model_validator(mode="after")
    def _leads_somewhere(self) -> Self:
        if self.leader and self.about is None:
            fail("a line leads to what a note is about", "leader", hint="say about, or leave it out")
        if self.leader and self.side == "center":
            fail("a note in the middle needs no line", "leader", hint="name a side, or leave it out")
        return self
