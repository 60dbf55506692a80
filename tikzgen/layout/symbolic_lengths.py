r"""Symbolic lengths: sums such as `2*\colsep + 1.3`, so that what is placed still follows the parameters;
what others would exceed them by; and the rectangles between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from tikzgen.base.plane import Box
from tikzgen.base.record import Record


@lru_cache(maxsize=32768)
def number(value: float, digits: int = 3) -> str:
    """Spell a number as TeX reads it, without exponent, trailing zeros or minus zero."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


Terms: TypeAlias = "tuple[tuple[str | Excess, float], ...]"


class Length(Record):
    """A constant in cm plus multiples of named parameters, sorted by name, and of what others exceed it by."""

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
            length += factor * (values[name] if isinstance(name, str) else name.at(values))
        return length

    def most(self, values: Mapping[str, float]) -> float:
        """The largest that it is where each parameter is within reach of its value."""
        return self.constant + sum(_most(name, factor, values) for name, factor in self.terms)

    def __str__(self) -> str:
        r"""As pgf's maths reads it: `0`, `\colsep`, `-1.5*\rowsep+1.2`, `\rowsep+max(0,\colsep-1.2)`."""
        parts = []
        for name, factor in self.terms:
            size = number(abs(factor), 4)
            spelt = f"\\{name}" if isinstance(name, str) else str(name)
            macro = spelt if size == "1" else f"{size}*{spelt}"
            parts.append(("-" if factor < 0 else "+") + macro)
        constant = number(self.constant)
        if constant != "0":
            parts.append(constant if constant.startswith("-") else f"+{constant}")
        return "".join(parts).removeprefix("+") or "0"


class Excess(Record):
    """What the largest of some lengths is above nothing: so much more than its own a length takes where they grow."""

    lengths: tuple[Length, ...]

    def at(self, values: Mapping[str, float]) -> float:
        return max(0.0, *(length.at(values) for length in self.lengths))

    def most(self, values: Mapping[str, float]) -> float:
        """The largest that it is where each parameter is within reach of its value."""
        return max(0.0, *(length.most(values) for length in self.lengths))

    def __str__(self) -> str:
        return f"max(0,{','.join(map(str, self.lengths))})"


_CHANGE_FACTOR = 4.0  # times as long and as short as it is: so far a distance is expected to be changed


def _most(name: str | Excess, factor: float, values: Mapping[str, float]) -> float:
    """The largest that a multiple is where each parameter is within reach of its value."""
    if not isinstance(name, str):
        return factor * name.most(values) if factor > 0 else 0.0
    return factor * values[name] * (_CHANGE_FACTOR if factor > 0 else 1 / _CHANGE_FACTOR)


# A figure adds the same few multiples of its parameters again and again.
@lru_cache(maxsize=4096)
def _sum(one: Terms, other: Terms) -> Terms:
    sums = dict(one)
    for name, factor in other:
        sums[name] = sums.get(name, 0.0) + factor
    return tuple(sorted([entry for entry in sums.items() if abs(entry[1]) > 1e-9], key=_order))


def _order(entry: tuple[str | Excess, float]) -> tuple[bool, str]:
    """Parameters by their names, what exceeds a length behind them."""
    return isinstance(entry[0], Excess), str(entry[0])


@lru_cache(maxsize=4096)
def _multiple(terms: Terms, factor: float) -> Terms:
    return tuple((name, part * factor) for name, part in terms if abs(part * factor) > 1e-9)


Pair: TypeAlias = tuple[Length, Length]
"""Right and up: a place, or a shift."""
ZERO = Length()
ZERO_PAIR: Pair = (ZERO, ZERO)


@lru_cache(maxsize=4096)
def param(name: str, factor: float = 1.0) -> Length:
    """A multiple of one parameter."""
    return Length(0.0, ((name, factor),)) if abs(factor) > 1e-9 else ZERO


class SymbolicBox(Record):
    """The corners of what is drawn."""

    left: Length = ZERO
    bottom: Length = ZERO
    right: Length = ZERO
    top: Length = ZERO

    @property
    def middle(self) -> Pair:
        return (self.left + self.right) * 0.5, (self.bottom + self.top) * 0.5

    def move_by(self, dx: Length, dy: Length) -> SymbolicBox:
        if not (dx.constant or dx.terms or dy.constant or dy.terms):
            return self
        return SymbolicBox(self.left + dx, self.bottom + dy, self.right + dx, self.top + dy)

    def grow_by(self, by: float) -> SymbolicBox:
        return SymbolicBox(self.left - by, self.bottom - by, self.right + by, self.top + by)

    def box(self, values: Mapping[str, float]) -> Box:
        """The corners in cm."""
        return self.left.at(values), self.bottom.at(values), self.right.at(values), self.top.at(values)

    def width(self, values: Mapping[str, float]) -> float:
        return self.right.at(values) - self.left.at(values)

    def height(self, values: Mapping[str, float]) -> float:
        return self.top.at(values) - self.bottom.at(values)


def around(place: Pair, wide: float = 0.0, tall: float = 0.0) -> SymbolicBox:
    """The paper within half a width and half a height of a place."""
    x, y = place
    return SymbolicBox(x - wide, y - tall, x + wide, y + tall)


def union(extents: Sequence[SymbolicBox], values: Mapping[str, float]) -> SymbolicBox:
    """The smallest rectangle around all: each side by the length that reaches farthest for these values."""

    def reach(length: Length) -> float:
        return length.at(values)

    return SymbolicBox(
        min([extent.left for extent in extents], key=reach),
        min([extent.bottom for extent in extents], key=reach),
        max([extent.right for extent in extents], key=reach),
        max([extent.top for extent in extents], key=reach),
    )


def farthest(lengths: Sequence[Length], values: Mapping[str, float]) -> Length:
    """The largest of some lengths, plus what others exceed it by where parameters are within reach of their values."""
    first = max(lengths, key=lambda length: length.at(values))
    beyond = (length - first for length in dict.fromkeys(lengths))
    longer = tuple(length for length in beyond if length.most(values) > _LENGTH_TOLERANCE)
    return first + Length(0.0, ((Excess(longer), 1.0),)) if longer else first


_LENGTH_TOLERANCE = 1e-3  # cm
