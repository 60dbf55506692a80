"""Fills of cells: keys of letters, regions, marks, and ramps of values."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from tikzgen.model.exact_fields import Offset, spell_time
from tikzgen.model.looks import MOST_OWNERS_COUNT, Hatch
from tikzgen.model.part import Keys, Part, fail
from tikzgen.text import Tex, Text, stack_texts

EMPTY, MASKED, HOLE = ".", "#", " "
"""Characters of a fill with a fixed meaning: an empty cell, a masked cell, and no cell."""
FIXED = frozenset((EMPTY, MASKED, HOLE))
VALUE_PREFIX = "value "
"""Prefix of the class of a value, in place of the character of a fill."""
VALUE_CLASSES_COUNT = 7
"""Number of lightness classes of a ramp."""
MOST_OWNERS = MOST_OWNERS_COUNT

FillLetter: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=1, description="A character of `fill`: a key, `.` for empty, `#` for masked.")
]


class CellKey(Part):
    """The meaning of one letter of a fill: a phase, or an owner."""

    role: str | None = None
    """Name of a phase, whose fill the cells have."""
    owner: int | None = Field(default=None, ge=0, lt=MOST_OWNERS)
    """Number of the owner of the cells, such as a rank; each owner has its own fill."""
    hatch: Hatch = "none"
    """Pattern over the fill, such as for partial sums."""

    @model_validator(mode="after")
    def _check_meaning(self) -> Self:
        if (self.role is None) == (self.owner is None):
            fail("needs a role or an owner", "role", hint="write {role: forward} or {owner: 0}")
        return self


def owner_key(letter: str) -> CellKey | None:
    """Return the key of a letter without keys: a is owner 0, b is owner 1; None for other characters."""
    return CellKey(owner=ord(letter) - ord("a")) if "a" <= letter <= "z" and len(letter) == 1 else None


class CellRegion(Part):
    """A rectangle of cells with one fill, over the fill of the array. Later regions cover earlier ones."""

    at: Keys
    """Cells of the region, such as `3,0:2`."""
    fill: FillLetter | None = None
    """Fill of the cells, a character as in `fill`; null keeps their fill."""
    label: Text = ""
    """Text in the middle of the region."""
    merged: bool = False
    """Whether the cells form one cell, without lines between them."""


class CellMark(Part):
    """A mark on cells that keeps their fill."""

    at: Keys
    """Cells with the mark, such as `3,0:2`."""
    look: Literal["held", "removed", "diagonal"] = "held"
    """`held` is a heavy border, `removed` a dashed one; `diagonal` pales the upper right half of each cell."""


class CellLine(Part):
    """A heavy line across an array behind a row or a column, such as the end of the committed entries."""

    after: str | int
    """Number or id of the row or column in front of the line; one less than the first number is the outer edge."""
    axis: Literal["rows", "columns"] = "columns"
    """Whether the line is behind a column (vertical) or behind a row (horizontal)."""
    label: Text = ""
    """Text at the end of the line."""


class Ramp(Part):
    """Fills by value: seven classes of equal width, from light to dark."""

    start: Offset = Field(alias="from")
    """Least value of the lightest class."""
    end: Offset = Field(alias="to")
    """Greatest value of the darkest class."""
    label: Text = ""
    """Text at the strip of classes in the legend."""
    texts: bool = True
    """Whether the cells also show their values."""

    @property
    def legend_label(self) -> Text:
        """Label in the legend: the text with the range of the values."""
        low, high = (str(spell_time(value)).replace("-", "\u2212") for value in (self.start, self.end))
        span = f"{low} to {high}"
        return (
            stack_texts(self.label, span)
            if isinstance(self.label, Tex)
            else f"{self.label}: {span}"
            if self.label
            else span
        )

    @model_validator(mode="after")
    def _check_range(self) -> Self:
        if self.end <= self.start:
            fail("a ramp rises", "to", hint="use a value above from")
        return self
