"""Exact times of traces: microseconds of a file as nanoseconds, in integers where possible.

A time since 1970 such as `1712195495505582.988` does not fit a double, so that its digits are read exactly.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

Time: TypeAlias = int | Fraction
"""Nanoseconds."""

_DECIMAL_LIMIT = 40  # decimals
_SPELT = re.compile(r"\s*[-+]?\d{1,30}(\.\d{0,30})?([eE][-+]?\d{1,2})?\s*\Z", re.ASCII)


def nanoseconds(stamp: object) -> Time:
    """Return a time in ns from microseconds, as a number or its digits. Raise `ValueError` for others.

    >>> nanoseconds("1712195495505582.988"), nanoseconds(7), nanoseconds("0.0005")
    (1712195495505582988, 7000, Fraction(1, 2))
    """
    if type(stamp) is int:
        return stamp * 1000
    if not isinstance(stamp, str):
        raise ValueError("expected a number")
    whole, point, part = stamp.partition(".")
    if len(part) <= 3 and len(whole) <= 30 and whole.isdecimal() and (not point or part.isdecimal()):
        return int(whole + part.ljust(3, "0"))
    if not _SPELT.match(stamp):
        raise ValueError("expected a number")
    return whole_if_it_is(Fraction(stamp.strip()) * 1000)


def whole_if_it_is(time: Fraction) -> Time:
    """The same, as a whole number where it is one."""
    return time.numerator if time.denominator == 1 else time


class MomentArray:
    """Array of many times in order of arrival, with 8 bytes for each integer."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: array[int] | list[Time] = array("q")

    def append(self, time: Time) -> None:
        """Add one."""
        try:
            self._held.append(time)  # type: ignore[arg-type]
        except (TypeError, OverflowError):  # a fraction, or beyond 292 years
            self._held = [*self._held, time]

    def extend(self, times: Sequence[int]) -> None:
        """Add many."""
        try:
            self._held.extend(array("q", times))
        except (TypeError, OverflowError):
            for time in times:
                self.append(time)

    def __len__(self) -> int:
        return len(self._held)

    def __getitem__(self, place: int) -> Time:
        return self._held[place]

    def __iter__(self) -> Iterator[Time]:
        return iter(self._held)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MomentArray) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self._held))

    def order(self, places: Iterable[int]) -> array[int]:
        """Return the positions sorted by time, as an array: there may be millions."""
        return array("l", sorted(places, key=self._held.__getitem__))

    def shift_moments(self, by: Time) -> MomentArray:
        """Shift the times to a clock that is `by` ahead."""
        column = MomentArray()
        for time in self._held:
            column.append(time + by)
        return column


def microseconds(time: Time) -> str:
    """Format a time in microseconds, exactly if its decimals end, else to six decimals.

    >>> microseconds(182612048), microseconds(-2262227), microseconds(5000)
    ('182612.048', '-2262.227', '5')
    """
    value = Fraction(time) / 1000
    sign, rest = ("-" if value < 0 else ""), abs(value)
    digits = next((most for most in range(_DECIMAL_LIMIT) if not 10**most % rest.denominator), 6)
    whole, part = divmod(round(rest * 10**digits), 10**digits)
    return f"{sign}{whole}.{part:0{digits}d}" if digits else f"{sign}{whole}"


def milliseconds(time: Time) -> str:
    """The same in ms.

    >>> milliseconds(182612048)
    '182.612048'
    """
    return microseconds(Fraction(time) / 1000)
