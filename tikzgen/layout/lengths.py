r"""Symbolic lengths: sums such as `2*\colsep + 1.3`, so that what is placed still follows the parameters;
and the rectangles between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from tikzgen.base.record import Record
from tikzgen.plane.path import Path
from tikzgen.plane.rectangles import Box


@lru_cache(maxsize=32768)
def number(value: float, digits: int = 3) -> str:
    """Spell a number as TeX reads it, without exponent, trailing zeros or minus zero."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


Terms: TypeAlias = tuple[tuple[str, float], ...]


class Length(Record):
    """A constant in cm plus multiples of named parameters, sorted by name."""

    constant: float = 0.0
    terms: Terms = ()

    def __add__(self, other: Length | float) -> Length:
        if not isinstance(other, Length):
            return Length(self.constant + other, self.terms)
        if not (self.terms and other.terms):
            return Length(self.constant + other.constant, self.terms or other.terms)
        return Length(self.constant + other.constant, _sum(self.terms, other.terms))

    def __neg__(self) -> Length:
        return self * -1

    def __sub__(self, other: Length | float) -> Length:
        if not isinstance(other, Length):
            return Length(self.constant - other, self.terms)
        if not other.terms:
            return Length(self.constant - other.constant, self.terms)
        return self + other * -1

    def __mul__(self, factor: float) -> Length:
        return Length(self.constant * factor, _multiple(self.terms, factor) if self.terms else ())

    def at(self, values: Mapping[str, float]) -> float:
        """The length in cm for given parameter values."""
        length = self.constant
        for name, factor in self.terms:
            length += factor * values[name]
        return length

    def __str__(self) -> str:
        r"""As pgf's maths reads it: `0`, `\colsep`, `-1.5*\rowsep+1.2`."""
        parts = []
        for name, factor in self.terms:
            size = number(abs(factor), 4)
            macro = f"\\{name}" if size == "1" else f"{size}*\\{name}"
            parts.append(("-" if factor < 0 else "+") + macro)
        constant = number(self.constant)
        if constant != "0":
            parts.append(constant if constant.startswith("-") else f"+{constant}")
        return "".join(parts).removeprefix("+") or "0"


# A figure adds the same few multiples of its parameters again and again.
@lru_cache(maxsize=4096)
def _sum(one: Terms, other: Terms) -> Terms:
    sums = dict(one)
    for name, factor in other:
        sums[name] = sums.get(name, 0.0) + factor
    return tuple(sorted((name, factor) for name, factor in sums.items() if abs(factor) > 1e-9))


@lru_cache(maxsize=4096)
def _multiple(terms: Terms, factor: float) -> Terms:
    return tuple((name, part * factor) for name, part in terms if abs(part * factor) > 1e-9)


Pair: TypeAlias = tuple[Length, Length]
"""Right and up: a place, or a shift."""
ZERO = Length()
NOWHERE: Pair = (ZERO, ZERO)


@lru_cache(maxsize=4096)
def param(name: str, factor: float = 1.0) -> Length:
    """A multiple of one parameter."""
    return Length(0.0, ((name, factor),)) if abs(factor) > 1e-9 else ZERO


class Extent(Record):
    """The corners of what is drawn."""

    left: Length = ZERO
    bottom: Length = ZERO
    right: Length = ZERO
    top: Length = ZERO

    @property
    def middle(self) -> Pair:
        return (self.left + self.right) * 0.5, (self.bottom + self.top) * 0.5

    def moved(self, dx: Length, dy: Length) -> Extent:
        if not (dx.constant or dx.terms or dy.constant or dy.terms):
            return self
        return Extent(self.left + dx, self.bottom + dy, self.right + dx, self.top + dy)

    def grown(self, by: float) -> Extent:
        return Extent(self.left - by, self.bottom - by, self.right + by, self.top + by)

    def box(self, values: Mapping[str, float]) -> Box:
        """The corners in cm."""
        return self.left.at(values), self.bottom.at(values), self.right.at(values), self.top.at(values)

    def width(self, values: Mapping[str, float]) -> float:
        return self.right.at(values) - self.left.at(values)

    def height(self, values: Mapping[str, float]) -> float:
        return self.top.at(values) - self.bottom.at(values)


def around(place: Pair, wide: float = 0.0, tall: float = 0.0) -> Extent:
    """The paper within half a width and half a height of a place."""
    x, y = place
    return Extent(x - wide, y - tall, x + wide, y + tall)


def in_cm(path: Path[Length], values: Mapping[str, float]) -> Path[float]:
    """A path where the distances have these values."""
    return Path(tuple(tuple((x.at(values), y.at(values)) for x, y in leg) for leg in path.legs))


def union(extents: Sequence[Extent], values: Mapping[str, float]) -> Extent:
    """The smallest rectangle around all: each side by the length that reaches farthest for these values."""

    def reach(length: Length) -> float:
        return length.at(values)

    return Extent(
        min([extent.left for extent in extents], key=reach),
        min([extent.bottom for extent in extents], key=reach),
        max([extent.right for extent in extents], key=reach),
        max([extent.top for extent in extents], key=reach),
    )
