"""Base class of recipes of arrays, whose contents follow from a few parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Self

from pydantic import model_validator

from tikzgen.model.cells import EMPTY, CellKey
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.part import fail
from tikzgen.recipe.simulated_recipe import Told
from tikzgen.schedule.held import ImpossibleFacts

LETTERS = f"{ascii_lowercase}{ascii_uppercase}{digits}+-"
"""Characters of fills, for 64 owners."""
MOST_FILLED_OWNERS = len(LETTERS)


class ComputedArrays(EditableRecipe):
    """A recipe that computes its arrays; contradicting parameters are an error at their field."""

    field_group = "arrays"

    @property
    def measured_names(self) -> Sequence[str]:
        """Names of the entries of measures that are lists, such as the ranks."""
        return ()

    def measure_arrays(self) -> Told:
        """Return the measures of the arrays, by key."""
        raise NotImplementedError

    def check_facts(self) -> None:
        """Raise an error for parameters that do not fit each other, before anything is computed."""

    @model_validator(mode="after")
    def _check_result(self) -> Self:
        self.check_facts()
        try:
            self.measure_arrays()
        except ImpossibleFacts as error:
            fail(error.message, *error.field_path, hint=error.hint)
        return self


def make_owner_keys(count: int) -> dict[str, CellKey]:
    """Return the keys of the first letters, for owners 0, 1, …"""
    return {letter: CellKey(owner=owner) for owner, letter in enumerate(LETTERS[:count])}


def write_fill(rows: int, columns: int, letters: Mapping[tuple[int, int], str], other: str = EMPTY) -> str:
    """Return the fill of an array with letters by row and column."""
    return "\n".join("".join(letters.get((row, column), other) for column in range(columns)) for row in range(rows))


def write_keys(*ranges: tuple[int, int]) -> str:
    """Return the keys of cells, from half-open ranges: `0:2,3`."""
    return ",".join(str(first) if end == first + 1 else f"{first}:{end}" for first, end in ranges)
