"""How the entities of a topology, or the members of a frame, are arranged; and what stands beside them: braces."""

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from tikzgen.model.base import Id, Part, empty, fail
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


class Auto(Part):
    """Entities in layers along their flows, each frame with layers of its own; without flows, in a row."""

    type: Literal["auto"] = "auto"
    """Tells this arrangement from the others."""
    direction: Literal["auto", "right", "down"] = "auto"
    """Where the next layer stands outside of all frames; auto is what makes the better picture."""
    keep: list[list[Id]] = Field(default_factory=empty)
    """Entities or frames of one layer each, which stay in this order."""


class Line(Part):
    """All entities in one row or one column."""

    type: Literal["row", "column"] = "row"
    """`row` runs to the right, `column` downwards."""


class Grid(Part):
    """Rows and columns."""

    type: Literal["grid"] = "grid"
    """Tells a grid from the other arrangements."""
    columns: int | None = Field(default=None, ge=1, le=64)
    """Entities in a row, in the order in which they are named; or else say `cells`."""
    cells: list[list[Id | None]] | None = Field(default=None, min_length=1)
    """The ids of each row, first row first; null leaves a cell empty."""

    def rows(self, names: Sequence[str]) -> list[list[str | None]]:
        """What stands in each row."""
        if self.cells is not None:
            return self.cells
        many = self.columns or 1
        return [[*names[start : start + many]] for start in range(0, len(names), many)]

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.columns is None and self.cells is None:
            fail("needs columns, or cells", hint="say how many stand in a row, as in columns: 3")
        if self.columns is not None and self.cells is not None:
            fail("has cells of its own", "columns", hint="drop one of the two")
        return self


class Star(Part):
    """One entity in the middle, the others around it."""

    type: Literal["star"] = "star"
    """Tells a star from the other arrangements."""
    center: Id
    """The entity in the middle."""


class Ring(Part):
    """All entities on a circle, clockwise from the top."""

    type: Literal["ring"] = "ring"
    """Tells a ring from the other arrangements."""


class Tree(Part):
    """A root above its children; flows from parent to child make the tree."""

    type: Literal["tree"] = "tree"
    """Tells a tree from the other arrangements."""
    root: Id
    """The entity at the top."""


class Bar(Part):
    """A level of one box, as long as all levels together."""

    span: Id
    """The entity."""


class Levels(Part):
    """Entities in levels, each centred on the others."""

    type: Literal["levels"] = "levels"
    """Tells levels from the other arrangements."""
    levels: list[list[Id | None] | Bar] = Field(min_length=1)
    """The ids of each level, first level first; null leaves a place free. `{span: a}` is a level of one long box."""
    labels: list[Text] = Field(default_factory=empty)
    """Names of the levels, the first ones first; an empty one leaves its level without."""
    label_side: Literal["before", "after"] = "before"
    """Where these stand: before the levels (on their left, or above levels that stand side by side), or after them."""
    direction: Literal["right", "down", "auto"] = "right"
    """Where the next level stands; auto is down where the figure's width allows it, else right."""

    @property
    def rows(self) -> list[list[str | None]]:
        """What stands in each level."""
        return [[level.span] if isinstance(level, Bar) else level for level in self.levels]

    @property
    def bars(self) -> frozenset[str]:
        """What is as long as all levels."""
        return frozenset(level.span for level in self.levels if isinstance(level, Bar))


Arrangement = Annotated[Auto | Line | Grid | Star | Ring | Tree | Levels, Field(discriminator="type")]
