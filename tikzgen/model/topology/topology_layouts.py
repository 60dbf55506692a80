"""Layouts of the nodes of a topology or the members of a group; braces along nodes."""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from tikzgen.base.errors import quote
from tikzgen.model.part import Id, Part, fail, make_empty_list, require
from tikzgen.text import Text

Row = list[str | None]
"""Ids in one row, layer or order, with None for an empty cell."""


class TopologyBrace(Part):
    """A brace or a double arrow along nodes, with a label at its middle."""

    over: list[Id] = Field(min_length=1)
    """Ids of nodes or groups."""
    label: Text = ""
    """Text at the middle of the brace."""
    side: Literal["above", "below", "left", "right"] = "above"
    """Side of the topology."""
    look: Literal["brace", "range"] = "brace"
    """Curly brace, or double arrow between two ticks."""


class Arranged(Part):
    """Base class of all layouts."""

    @property
    def required_nodes(self) -> frozenset[str]:
        """Nodes that the layout requires."""
        return frozenset()

    def with_rows(self, change: Callable[[Row], Row]) -> Self:
        """Return the layout with every row of ids changed."""
        return self

    def with_places(self, change: Callable[[Row], Row]) -> Self:
        """Return the layout with every row changed in which each id has a position."""
        return self.with_rows(change)

    def without(self, name: str) -> Self:
        """Return the layout without a name."""
        return self.with_rows(lambda row: [one for one in row if one != name])

    def check(self, known: Collection[str], *path: str | int, what: str = "node") -> None:
        """Check the ids in the layout against `known`; errors name the `path` and `what` the ids are."""


class LayoutHint(Part):
    """A relative position: the node or group `left` is left of `of`, or `above` is above it."""

    left: Id | None = None
    """Id of the node or group on the left."""
    above: Id | None = None
    """Id of the upper node or group."""
    of: Id
    """Id of the other node or group."""

    @property
    def word(self) -> Literal["left", "above"]:
        """Field that is set."""
        return "above" if self.left is None else "left"

    @property
    def name(self) -> str:
        """Node or group on the left, or the upper one."""
        return self.left or self.above or ""

    @property
    def spec_text(self) -> str:
        """Hint in one line, as in a spec."""
        return f"{{{self.word}: {self.name}, of: {self.of}}}"

    @model_validator(mode="after")
    def _has_one_word(self) -> Self:
        if (self.left is None) == (self.above is None):
            fail("needs left, or above", hint="write {left: a, of: b} or {above: a, of: b}")
        if self.name == self.of:
            fail(f"{quote(self.of)} cannot be {self.word} of itself", "of", hint="name two nodes")
        return self


class Auto(Arranged):
    """Nodes in layers along their flows, with separate layers in each group; without flows, in a row."""

    type: Literal["auto"] = "auto"
    """Type of the layout."""
    direction: Literal["auto", "right", "down"] = "auto"
    """Direction from one layer to the next outside of groups; `auto` chooses the better picture."""
    keep: list[list[Id]] = Field(default_factory=make_empty_list)
    """Lists of nodes or groups of one layer, which keep their order."""
    same: list[list[Id]] = Field(default_factory=make_empty_list)
    """Lists of nodes or groups of one container that share a layer."""
    hints: list[LayoutHint] = Field(default_factory=make_empty_list)
    """Relative positions, as in `{left: a, of: b}`; an error if the layout cannot satisfy one."""

    def with_rows(self, change: Callable[[Row], Row]) -> Self:
        """Return the layout with every order, shared layer and hint changed; drop hints that lose a name."""
        hints = []
        for hint in self.hints:
            names, others = change([hint.name]), change([hint.of])
            if len(names) == len(others) == 1 and names != others:
                hints.append(hint.model_copy(update={hint.word: names[0], "of": others[0]}))
        orders = {"keep": [change([*row]) for row in self.keep], "same": [change([*row]) for row in self.same]}
        return self.model_copy(update={**orders, "hints": hints})

    def with_places(self, change: Callable[[Row], Row]) -> Self:
        """Return the layout unchanged: it computes positions, and an order need not list an entire layer."""
        return self

    def check(self, known: Collection[str], *path: str | int, what: str = "node") -> None:
        """Raise an error for an unknown name, and for a hint that contradicts other fields."""
        for field, rows in (("keep", self.keep), ("same", self.same)):
            for row, names in enumerate(rows):
                for place, name in enumerate(names):
                    require(name, known, *path, field, row, place, what=what)
        for index, hint in enumerate(self.hints):
            for field, name in ((hint.word, hint.name), ("of", hint.of)):
                require(name, known, *path, "hints", index, field, what=what)
            if others := self._find_contradicted(hint, index):
                fail(f"{hint.spec_text} contradicts {others}", *path, "hints", index, hint="remove one of them")

    def _find_contradicted(self, hint: LayoutHint, index: int) -> str:
        """Return the earlier hints, or the layer or order, that a hint contradicts; otherwise an empty text."""
        if chain := self._find_chain(hint, index):
            return " and ".join(each.spec_text for each in chain[:2]) + " …" * (len(chain) > 2)
        for field, rows in (("same", self.same), ("keep", self.keep)):
            for names in rows:
                if {hint.name, hint.of} <= {*names}:
                    turned = field == "keep" and names.index(hint.of) < names.index(hint.name)
                    if turned or hint.word == self._forward_word:
                        return f"{field}: [{', '.join(names)}]"
        return ""

    def check_pins(self, pins: Mapping[str, int], *path: str | int) -> None:
        """Raise an error for a hint, or a shared layer, that contradicts the pins of two nodes or groups."""
        for row, names in enumerate(self.same):
            pinned = [name for name in names if name in pins]
            for one, other in pairwise(pinned):
                if pins[one] != pins[other]:
                    message = f"same contradicts {_spell_pin(one, pins)} and {_spell_pin(other, pins)}"
                    fail(message, *path, "same", row, hint="pin both to one layer, or remove one of them")
        for index, hint in enumerate(self.hints):
            pinned = [name for name in (hint.name, hint.of) if name in pins]
            if hint.word == self._forward_word and len(pinned) > 1 and pins[hint.name] >= pins[hint.of]:
                both = " and ".join(_spell_pin(name, pins) for name in pinned)
                fail(f"{hint.spec_text} contradicts {both}", *path, "hints", index, hint="remove one of them")

    @property
    def _forward_word(self) -> str | None:
        """Word of the hints that order layers, if the direction of the layers is stated."""
        return {"right": "left", "down": "above"}.get(self.direction)

    def _find_chain(self, hint: LayoutHint, index: int) -> list[LayoutHint]:
        """Return the earlier hints that lead from its second name to its first one, or an empty list."""
        ways: dict[str, list[LayoutHint]] = {hint.of: []}
        names = [hint.of]
        for name in names:
            for other in self.hints[:index]:
                if other.word == hint.word and other.name == name and other.of not in ways:
                    ways[other.of] = [*ways[name], other]
                    names.append(other.of)
        return ways.get(hint.name, [])


class Line(Arranged):
    """All nodes in one row or one column."""

    type: Literal["row", "column"] = "row"
    """`row` runs to the right, `column` downward."""


class Grid(Arranged):
    """Nodes in rows and columns."""

    type: Literal["grid"] = "grid"
    """Type of the layout."""
    columns: int | None = Field(default=None, ge=1, le=64)
    """Nodes per row, in the order of the spec; an alternative to `cells`."""
    cells: list[list[Id | None]] | None = Field(default=None, min_length=1)
    """Ids of each row, first row first; null leaves a cell empty."""

    def rows(self, names: Sequence[str]) -> list[Row]:
        """Return the ids in each row."""
        if self.cells is not None:
            return self.cells
        many = self.columns or 1
        return [[*names[start : start + many]] for start in range(0, len(names), many)]

    def with_rows(self, change: Callable[[Row], Row]) -> Self:
        """Return the layout with every row of cells changed."""
        return self if self.cells is None else self.model_copy(update={"cells": [change(row) for row in self.cells]})

    def without(self, name: str) -> Self:
        """Return the layout with an empty cell in place of a name."""
        return self.with_rows(lambda row: [None if one == name else one for one in row])

    def check(self, known: Collection[str], *path: str | int, what: str = "node") -> None:
        """Raise an error for cells that omit a name or have it twice."""
        if self.cells is not None:
            _check_places(self.cells, known, "cell", frozenset(), *path, "cells", what=what)

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.columns is None and self.cells is None:
            fail("needs columns, or cells", hint="set the nodes per row, as in columns: 3")
        if self.columns is not None and self.cells is not None:
            fail("excludes cells", "columns", hint="drop one of the two")
        return self


class Star(Arranged):
    """One node in the middle, with the others around it."""

    type: Literal["star"] = "star"
    """Type of the layout."""
    center: Id
    """Id of the node in the middle."""

    @property
    def required_nodes(self) -> frozenset[str]:
        """Node in the middle."""
        return frozenset({self.center})

    def check(self, known: Collection[str], *path: str | int, what: str = "node") -> None:
        """Raise an error for an unknown node in the middle."""
        require(self.center, known, *path, "center", what=what)


class Ring(Arranged):
    """All nodes on a circle, clockwise from the top."""

    type: Literal["ring"] = "ring"
    """Type of the layout."""


class Tree(Arranged):
    """A root above its children; flows from parent to child make the tree."""

    type: Literal["tree"] = "tree"
    """Type of the layout."""
    root: Id
    """Id of the node at the top. Nodes that no flow connects to it are next to the tree."""

    @property
    def required_nodes(self) -> frozenset[str]:
        """Root of the tree."""
        return frozenset({self.root})

    def check(self, known: Collection[str], *path: str | int, what: str = "node") -> None:
        """Raise an error for an unknown root."""
        require(self.root, known, *path, "root", what=what)


class Bar(Part):
    """A level of one box, as long as all levels together."""

    span: Id
    """Id of the node."""

    @model_validator(mode="before")
    @classmethod
    def _is_no_list(cls, value: Any) -> Any:
        for each in value.values() if isinstance(value, dict) else ():
            if isinstance(each, list):
                fail("should be a list of ids, not a mapping", hint=f"write [{', '.join(map(str, each))}]")
        return value


class Levels(Arranged):
    """Nodes in levels, each level centered on the others."""

    type: Literal["levels"] = "levels"
    """Type of the layout."""
    levels: list[list[Id | None] | Bar] = Field(min_length=1)
    """Ids of each level, first level first. Null leaves a cell empty; the id of a group places the group with its
    members. `{span: a}` is a level with one node as long as all levels."""
    labels: list[Text] = Field(default_factory=make_empty_list)
    """Names of the levels, first level first; an empty string shows no name."""
    label_side: Literal["before", "after"] = "before"
    """Position of `labels`: before the levels (left of rows, above columns) or after them."""
    direction: Literal["right", "down", "auto"] = "right"
    """Direction from one level to the next; `auto` is down if the figure's width allows it, otherwise right."""

    @property
    def rows(self) -> list[Row]:
        """Ids in each level."""
        return [[level.span] if isinstance(level, Bar) else level for level in self.levels]

    @property
    def bars(self) -> frozenset[str]:
        """Nodes that are as long as all levels."""
        return frozenset(level.span for level in self.levels if isinstance(level, Bar))

    @property
    def required_nodes(self) -> frozenset[str]:
        """Nodes that are a level each."""
        return self.bars

    def with_rows(self, change: Callable[[Row], Row]) -> Self:
        """Return the layout with every level changed; a long box with a neighbor becomes a normal level."""
        rows = [(level, change(row)) for level, row in zip(self.levels, self.rows, strict=True)]
        levels = [level if isinstance(level, Bar) and row == [level.span] else row for level, row in rows]
        return self.model_copy(update={"levels": levels})

    def without(self, name: str) -> Self:
        """Return the layout without a name, and without a level that becomes empty."""
        left = super().without(name)
        kept = [place for place, (now, row) in enumerate(zip(left.rows, self.rows, strict=True)) if now or not row]
        labels = [self.labels[place] for place in kept if place < len(self.labels)]
        return left.model_copy(update={"levels": [left.levels[place] for place in kept], "labels": labels})

    def check(self, known: Collection[str], *path: str | int, what: str = "node") -> None:
        """Raise an error for levels that omit a name or have it twice, and for additional labels."""
        _check_places(self.rows, known, "level", self.bars, *path, "levels", what=what)
        if len(self.labels) > len(self.levels):
            fail("has more labels than levels", *path, "labels", hint="one label a level; some may be empty")


def _spell_pin(name: str, pins: Mapping[str, int]) -> str:
    return f"pin: {{level: {pins[name]}}} of {quote(name)}"


def _check_places(
    rows: Sequence[Row], known: Collection[str], place_name: str, bars: frozenset[str], *path: str | int, what: str
) -> None:
    """Check that every name has exactly one position in the rows."""
    placed: set[str] = set()
    for row, names in enumerate(rows):
        for place, name in enumerate(names):
            if name is None:
                continue
            here = (*path, row, "span" if name in bars and len(names) == 1 else place)
            require(name, known, *here, what=what)
            if name in placed:
                fail(f"{quote(name)} has a place already", *here)
            placed.add(name)
    if missing := sorted({*known} - placed):
        fail(f"{quote(missing[0])} has no {place_name}", *path, hint=f"put every {what} into one {place_name}")


Arrangement = Annotated[Auto | Line | Grid | Star | Ring | Tree | Levels, Field(discriminator="type")]
