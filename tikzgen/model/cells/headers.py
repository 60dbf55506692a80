"""Headers of the rows and columns of an array."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from tikzgen.model.addresses import AddressAxis, Range, Reason, read_keys, remove_spaces
from tikzgen.model.part import Id, Part, make_empty_list
from tikzgen.text import Numbered, Text, fill_number

HeaderRange: TypeAlias = Annotated[
    str,
    StringConstraints(pattern=r"^(?:\w+(?:-\w+)*)? ?: ?(?:\w+(?:-\w+)*)?$", max_length=120),
    AfterValidator(remove_spaces),
    Field(description="A half-open range of rows or columns: `0:2` are the first two."),
]


class HeaderGroup(Part):
    """A label over several neighboring rows or columns: the outer level of a header."""

    cells: HeaderRange
    """Rows or columns below the label, half-open: `0:2` are the first two."""
    label: Text
    """Text of the group."""


class LayerHeader(Part):
    """Names of the layers of an array."""

    text: Numbered = "{n}"
    """Format of the header of a layer: `pp {n}`; `{n}` is the number of the layer."""
    apart: bool = False
    """Whether each layer is drawn as a separate array, instead of behind the layer in front of it."""


AnyLayers = Annotated[
    LayerHeader,
    BeforeValidator(
        lambda value: {"apart": True} if value == "apart" else value,
        json_schema_input_type=LayerHeader | Literal["apart"],
    ),
]


class Header(Part):
    """Names of the rows, or of the columns, of an array."""

    first: int = Field(default=0, ge=0, le=10**6)
    """Number of the first one, in the header and in addresses."""
    text: Numbered = "{n}"
    """Format of a header: `{n}` is the number."""
    texts: list[Text] = Field(default_factory=make_empty_list)
    """Labels, in order, instead of the numbers."""
    ids: list[Id] = Field(default_factory=make_empty_list)
    """Names for addresses, in order."""
    side: Literal["before", "after", "both", "none"] = "before"
    """Position of the header: left of the rows or above the columns (`before`), at the opposite side, at both, or
    nowhere."""
    after: list[Text] = Field(default_factory=make_empty_list)
    """Other labels at the opposite side, in order."""
    label: Text = ""
    """Text beyond the header, for all of them: keys and values."""
    groups: list[HeaderGroup] = Field(default_factory=make_empty_list, max_length=64)
    """Outer level of the header: labels over several rows or columns."""
    show: int | None = Field(default=None, ge=2, le=128)
    """Maximum number that are drawn: the first ones, dots, and the last one; null draws all."""
    keep: list[int] = Field(default_factory=make_empty_list, max_length=128)
    """Numbers of further rows or columns that are drawn: `[40, 41]`. Dots replace the others."""
    apart: bool = False
    """Whether gaps divide them, each with its own border."""

    def text_of(self, index: int) -> Text:
        """Return the text of the header at an index."""
        return self.texts[index] if self.texts else fill_number(self.text, self.first + index)

    @property
    def has_side_before(self) -> bool:
        """Whether the header is left of the rows, or above the columns."""
        return self.side in ("before", "both")

    @property
    def has_side_after(self) -> bool:
        """Whether a header is right of the rows, or below the columns."""
        return self.side in ("after", "both") or bool(self.after)

    def drawn_indices(self, count: int, at_most: int | None = None, keep: Collection[int] = ()) -> list[int | None]:
        """Return the indices that are drawn, in order, with None for dots. Always include `keep`."""
        limits = [limit for limit in (self.show, at_most) if limit is not None]
        if not limits or count <= min(limits):
            return list(range(count))
        own = (number - self.first for number in self.keep)
        drawn = sorted({*range(min(limits) - 1), *own, *keep, count - 1})
        found: list[int | None] = []
        for before, index in pairwise([-1, *drawn]):
            found += [index] if index == before + 1 else [None, index]
        return found

    def find_range(self, cells: str, what: str, count: int) -> Range | Reason:
        """Return the indices of a range such as `0:2` of `count` rows or columns, or the reason for an error."""
        return AddressAxis(what, count, self.first, self.ids).find(read_keys(cells)[0])
