"""Exact fractions of numbers in decimal notation, and `ScheduleError` for invalid ones."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from tikzgen.base.errors import TikzgenError, quote, shorten_for_message
from tikzgen.base.spelt_numbers import read_fraction
from tikzgen.base.trust import MOST_DRAWN_ITEMS, is_drawn


class ScheduleError(TikzgenError):
    """Impossible schedule, or one that is undefined for the given numbers; `hint` is the fix."""


class Deadlock(ScheduleError):
    """Operations that wait for each other; `cycle` has their indices, each waiting for the next."""

    def __init__(self, message: str, *, cycle: tuple[int, ...], hint: str) -> None:
        super().__init__(message, hint=hint)
        self.cycle = cycle


NUMBER_LIMIT = 10**15
MOST_OPERATIONS_COUNT = 4_000_000
FACTORS = "microbatches, steps, layers, ranks, buckets, devices or workers"
"""Names in recipes of the numbers whose product is the number of operations."""

Number: TypeAlias = int | float | str | Decimal | Fraction


def read_exact_number(value: Number, name: str = "duration") -> Fraction:
    """Return `value` as a nonnegative fraction; a float counts as its decimal notation (`0.1` is 1/10).

    Raise `ScheduleError` if `value` is not a finite number, is negative or exceeds `NUMBER_LIMIT`. `name` is its name
    in the message.
    """
    try:
        if isinstance(value, bool):
            raise ValueError
        fraction = Fraction(value) if isinstance(value, int | Fraction) else read_fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise ScheduleError(f"{name}: {quote(value)} is not a number", hint='write 2, 1.5 or "1/3"') from None
    if fraction > NUMBER_LIMIT:
        raise ScheduleError(f"{name}: longer than {NUMBER_LIMIT} time units", hint="choose a larger unit")
    if fraction < 0:
        raise ScheduleError(f"{name}: {shorten_for_message(value)} is negative", hint="times must be 0 or more")
    return fraction


def read_numbers_per_item(value: Number | Sequence[Number], count: int, name: str, *, one: str) -> tuple[Fraction, ...]:
    """Return one value per item, for `count` items called `one`, from a list or from a single value.

    Raise `ScheduleError` if the list has another length, or contains an invalid number.
    """
    if isinstance(value, Sequence) and not isinstance(value, str):
        if len(value) != count:
            raise ScheduleError(
                f"{name}: {len(value)} values for {count} {one}{'es' if one.endswith('ch') else 's'}",
                hint=f"give one value, or one for each {one}",
            )
        return tuple(read_exact_number(each, f"{name}[{index}]") for index, each in enumerate(value))
    return (read_exact_number(value, name),) * count


def check_integer(value: int, name: str, least: int = 1) -> int:
    """Return `value` if it is an integer of at least `least`; raise `ScheduleError` otherwise."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ScheduleError(f"{name}: {shorten_for_message(repr(value))} must be a whole number of at least {least}")
    return value


def check_operation_count(operations: int) -> None:
    """Raise `ScheduleError` if a schedule has more operations than fit into memory, or on a page if it is drawn."""
    most, what = (MOST_DRAWN_ITEMS, "drawn") if is_drawn() else (MOST_OPERATIONS_COUNT, "simulated")
    if operations > most:
        message = f"{operations} operations are more than the {most} that can be {what}"
        raise ScheduleError(message, hint=f"lower {FACTORS}")


SPELLED_DENOMINATOR_LIMIT = 1000
"""Largest denominator of a printed fraction; a share of measured times has a larger one and appears in percent."""


def is_measured(share: Fraction | int) -> bool:
    """Return whether a ratio comes from measured times, so that its exact value has no meaning."""
    return share.denominator > SPELLED_DENOMINATOR_LIMIT


def spell_exact_number(value: Fraction | int) -> int | str:
    """Return an exact value for JSON: an integer, or a string such as `"3/11"`."""
    return int(value) if value == int(value) else str(value)
