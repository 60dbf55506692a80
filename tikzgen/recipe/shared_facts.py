"""Shared functions of recipes: labels of bounds, and parameters with one panel per value."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from tikzgen.model.part import fail
from tikzgen.text import fill_placeholders

_T = TypeVar("_T")


def by_bound(bounds: Iterable[int | None], zero: str, some: str, none: str) -> list[str]:
    """Return the labels of bounds: 0, another number `{n}`, and no bound."""
    return [none if bound is None else fill_placeholders(some, n=bound) if bound else zero for bound in bounds]


def as_list(value: Any) -> Any:
    """Return a list of one for a single value, for recipes that draw one panel for each value."""
    return value if isinstance(value, (list, tuple)) else [value]


def iterate_distinct(values: Sequence[_T], field: str) -> Iterator[_T]:
    """Yield the values for panels. Raise an error for a duplicate."""
    for index, value in enumerate(values):
        if value in values[:index]:
            fail(f"{value} is used twice", field, index, hint="one panel each")
        yield value
