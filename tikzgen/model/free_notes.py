"""Free texts, which stand where there is free paper."""

from typing import Literal, Self

from pydantic import model_validator

from tikzgen.model.base import Part, Ref, fail
from tikzgen.text import Said


class FreeNote(Part):
    """A free text: beside a whole topology or timeline or in its middle, or beside what it speaks of."""

    text: Said
    """What it says; a long one is broken into lines."""
    about: Ref | None = None
    """The id of an entity, a frame or a flow, of a lane or a span; null speaks of the whole."""
    side: Literal["auto", "above", "below", "left", "right", "center"] = "auto"
    """On which side of that it stands; auto is where there is free paper, of the whole below. Center is the middle of
    the whole, of a frame or of a lane."""
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
