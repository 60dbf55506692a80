r"""Symbolic lengths: sums such as `2*\colsep + 1.3`, so that positions in a file follow its parameters.

`Length` is a sum, `Excess` a maximum of sums, and `SymbolicBox` a rectangle of lengths.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from tikzgen.base.plane import Box, Compass
from tikzgen.base.record import Record


@lru_cache(maxsize=32768)
def number(value: float, digits: int = 3) -> str:
    """Return a number as TeX reads it, without exponent, trailing zeros or minus zero."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


Terms: TypeAlias = "tuple[tuple[str | Excess, float], ...]"


class Length(Record):
    """Constant in cm plus multiples of named parameters, sorted by name, and of excesses."""

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
        return Length(self.constant * factor, _multiply_terms(self.terms, factor) if self.terms else ())

    def round_constant(self) -> Length:
        """Return the length with its constant as a file has it."""
        return Length(float(number(self.constant)), self.terms)

    def compute_cm(self, values: Mapping[str, float]) -> float:
        """Return the length in cm for given parameter values."""
        length = self.constant
        for name, factor in self.terms:
            length += factor * (values[name] if isinstance(name, str) else name.compute_cm(values))
        return length

    def find_growth(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the growth of the length with each parameter, at these values."""
        found: dict[str, float] = {}
        for name, factor in self.terms:
            inner = {name: 1.0} if isinstance(name, str) else name.find_growth(values)
            for parameter, growth in inner.items():
                found[parameter] = found.get(parameter, 0.0) + factor * growth
        return found

    def find_maximum(self, values: Mapping[str, float]) -> float:
        """Return the maximum of the length in cm, if each parameter is in the expected range around its value."""
        return self.constant + sum(_find_term_maximum(name, factor, values) for name, factor in self.terms)

    def __str__(self) -> str:
        r"""Return the length as pgf math reads it: `0`, `\colsep`, `-1.5*\rowsep+1.2`, `\rowsep+max(0,\colsep-1.2)`."""
        parts = []
        for name, factor in self.terms:
            size = number(abs(factor))
            spelt = f"\\{name}" if isinstance(name, str) else str(name)
            macro = spelt if size == "1" else f"{size}*{spelt}"
            parts.append(("-" if factor < 0 else "+") + macro)
        constant = number(self.constant)
        if constant != "0":
            parts.append(constant if constant.startswith("-") else f"+{constant}")
        return "".join(parts).removeprefix("+") or "0"


class Excess(Record):
    """Maximum of 0 and some lengths: the amount by which other lengths exceed a length."""

    lengths: tuple[Length, ...]

    def compute_cm(self, values: Mapping[str, float]) -> float:
        return max(0.0, *(length.compute_cm(values) for length in self.lengths))

    def find_growth(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the growth of the maximum with each parameter, at these values."""
        largest = max(self.lengths, key=lambda length: length.compute_cm(values))
        return largest.find_growth(values) if largest.compute_cm(values) > 0 else {}

    def find_maximum(self, values: Mapping[str, float]) -> float:
        """Return the maximum in cm, if each parameter is in the expected range around its value."""
        return max(0.0, *(length.find_maximum(values) for length in self.lengths))

    def __str__(self) -> str:
        return f"max(0,{','.join(map(str, self.lengths))})"


_CHANGE_FACTOR = 4.0  # expected range of a parameter: from a quarter of its value to four times its value


def _find_term_maximum(name: str | Excess, factor: float, values: Mapping[str, float]) -> float:
    """Return the maximum of a multiple, if each parameter is in the expected range around its value."""
    if not isinstance(name, str):
        return factor * name.find_maximum(values) if factor > 0 else 0.0
    return factor * values[name] * (_CHANGE_FACTOR if factor > 0 else 1 / _CHANGE_FACTOR)


# A figure adds the same few multiples of its parameters many times.
@lru_cache(maxsize=4096)
def _sum(one: Terms, other: Terms) -> Terms:
    sums = dict(one)
    for name, factor in other:
        sums[name] = sums.get(name, 0.0) + factor
    return tuple(sorted([entry for entry in sums.items() if abs(entry[1]) > 1e-9], key=_order))


def _order(entry: tuple[str | Excess, float]) -> tuple[bool, str]:
    """Return the sort key of a term: parameters by name, then excesses."""
    return isinstance(entry[0], Excess), str(entry[0])


@lru_cache(maxsize=4096)
def _multiply_terms(terms: Terms, factor: float) -> Terms:
    return tuple((name, part * factor) for name, part in terms if abs(part * factor) > 1e-9)


Pair: TypeAlias = tuple[Length, Length]
"""Right and up: a place, or a shift."""
ZERO = Length()
ZERO_PAIR: Pair = (ZERO, ZERO)


@lru_cache(maxsize=4096)
def make_length(name: str, factor: float = 1.0) -> Length:
    """Return a multiple of one parameter."""
    return Length(0.0, ((name, factor),)) if abs(factor) > 1e-9 else ZERO


class SymbolicBox(Record):
    """Corners of a rectangle, in symbolic lengths."""

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

    def find_side(self, side: Compass) -> Length:
        """Return the position of a side on its axis."""
        return {"west": self.left, "south": self.bottom, "east": self.right, "north": self.top}[side]

    def measure_box(self, values: Mapping[str, float]) -> Box:
        """Return the corners in cm."""
        return (
            self.left.compute_cm(values),
            self.bottom.compute_cm(values),
            self.right.compute_cm(values),
            self.top.compute_cm(values),
        )

    def measure_width(self, values: Mapping[str, float]) -> float:
        return self.right.compute_cm(values) - self.left.compute_cm(values)

    def measure_height(self, values: Mapping[str, float]) -> float:
        return self.top.compute_cm(values) - self.bottom.compute_cm(values)


def make_box_around(place: Pair, wide: float = 0.0, tall: float = 0.0) -> SymbolicBox:
    """Return the box within half a width and half a height of a point."""
    x, y = place
    return SymbolicBox(x - wide, y - tall, x + wide, y + tall)


def union(extents: Sequence[SymbolicBox], values: Mapping[str, float]) -> SymbolicBox:
    """Return the smallest rectangle around all extents for these parameter values.

    Each side is the length with the extreme value.
    """

    def compute_reach(length: Length) -> float:
        return length.compute_cm(values)

    return SymbolicBox(
        min([extent.left for extent in extents], key=compute_reach),
        min([extent.bottom for extent in extents], key=compute_reach),
        max([extent.right for extent in extents], key=compute_reach),
        max([extent.top for extent in extents], key=compute_reach),
    )


def find_farthest_length(lengths: Sequence[Length], values: Mapping[str, float]) -> Length:
    """Return the largest of some lengths, plus the amount by which others may exceed it.

    Another length counts if it can be larger with parameters in the expected range around their values.
    """
    first = max(lengths, key=lambda length: length.compute_cm(values))
    beyond = (length - first for length in dict.fromkeys(lengths))
    longer = tuple(length for length in beyond if length.find_maximum(values) > _LENGTH_TOLERANCE)
    return first + Length(0.0, ((Excess(longer), 1.0),)) if longer else first


_LENGTH_TOLERANCE = 1e-3  # cm
