"""What stands beside the entities of a topology: braces and ranges."""

from typing import Literal

from pydantic import Field

from tikzgen.model.base import Id, Part
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
