"""The size of a text as TeX sets it, where font metrics alone give no more than an upper bound."""

from typing import Literal

from pydantic import Field

from tikzgen.model.base import Part
from tikzgen.text import Text

LARGEST = 16383
"""pt: TeX's largest dimension."""


class Measured(Part):
    """The size of one text as TeX sets it, in pt; `tikzgen render --measure` writes these."""

    text: Text
    """The text: a formula, raw TeX, or one with Chinese characters."""
    size: float = Field(gt=0, le=100)
    """The size of its type in pt."""
    family: Literal["sans", "serif", "inherit"] = "sans"
    """The figure's type family."""
    bold: bool = False
    """Whether it is set in bold type."""
    width: float = Field(ge=0, le=LARGEST)
    """Of its longest line."""
    height: float = Field(ge=0, le=LARGEST)
    """Above the baseline of its first line."""
    depth: float = Field(ge=0, le=LARGEST)
    """Below that baseline, down to the end of its last line."""
