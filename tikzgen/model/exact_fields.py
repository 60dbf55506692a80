"""Fields for exact times, durations, costs and shares, as fractions within bounds."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field
from pydantic_core import PydanticCustomError, PydanticKnownError, core_schema

from tikzgen.base.errors import quote
from tikzgen.base.spelt_numbers import read_fraction

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue

_WITH_UNIT = re.compile(r"([0-9]+(?:[./][0-9]+)?) ?(?:ns|us|µs|μs|ms|s|sec|min|h)")
_TIME_CHARS = 40  # characters: a string of this length or more is not a time


def _read_exact(value: Any) -> Fraction:
    """Return the fraction that 3, 2.8 or "14/5" spells.

    A float is read by its shortest decimal form: 2.8 is 14/5. Raise `PydanticCustomError` for any other value.
    """
    if isinstance(value, bool):
        message = "should be a number, not {value}"
        raise PydanticCustomError("tikzgen", message, {"value": str(value).lower()})
    if isinstance(value, float):
        value = str(value)
    if isinstance(value, (int, str)):
        try:
            return _check_bound(Fraction(value) if isinstance(value, int) else read_fraction(value))
        except (ValueError, ZeroDivisionError, OverflowError):
            message = "should be a number or a fraction such as 1/3, not {value}"
            number = _WITH_UNIT.fullmatch(value) if isinstance(value, str) and len(value) < _TIME_CHARS else None
            hint = f"omit the unit of a time: write {number[1]}" if number else ""
            raise PydanticCustomError("tikzgen", message, {"value": quote(value), "hint": hint}) from None
    if isinstance(value, Rational | Decimal):
        return Fraction(value)
    raise PydanticCustomError("fraction_type", "should be a number or a fraction such as 1/3")


def _check_bound(value: Fraction) -> Fraction:
    """Return the number; raise `OverflowError` if its absolute value is above 10**12."""
    if abs(value) > 10**12:
        raise OverflowError(value)
    return value


def spell_time(value: Fraction) -> int | float | str:
    """Return the number or string that `_read_exact` reads back as this fraction: 3, 2.8 or "1/3"."""
    if value.denominator == 1:
        return value.numerator
    decimal = float(value)
    return decimal if Fraction(str(decimal)) == value else str(value)


def count_units(time: Fraction, per_unit: int) -> int:
    """Return the number of units of 1/`per_unit` in a time, of which its denominator is a divisor."""
    return time.numerator * (per_unit // time.denominator)


class _Exact:
    """Annotation that reads and writes an exact number within bounds.

    It replaces the entire validation of the field. A step before Pydantic's own validation behaves differently from
    release to release for a list or a null in a union.
    """

    def __init__(
        self, ge: int | None = None, gt: int | None = None, lt: int | None = None, le: int | None = None
    ) -> None:
        self._ge, self._gt, self._lt, self._le = ge, gt, lt, le

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        spelled = core_schema.plain_serializer_function_ser_schema(spell_time)
        return core_schema.no_info_plain_validator_function(self._read_number, serialization=spelled)

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        named = {"minimum": self._ge, "exclusiveMinimum": self._gt, "exclusiveMaximum": self._lt, "maximum": self._le}
        bounds = {word: bound for word, bound in named.items() if bound is not None}
        return {"anyOf": [{"type": "integer", **bounds}, {"type": "number", **bounds}, {"type": "string"}]}

    def _read_number(self, value: Any) -> Fraction:
        number = _read_exact(value)
        if self._ge is not None and number < self._ge:
            raise PydanticKnownError("greater_than_equal", {"ge": self._ge})
        if self._gt is not None and number <= self._gt:
            raise PydanticKnownError("greater_than", {"gt": self._gt})
        if self._lt is not None and number >= self._lt:
            raise PydanticKnownError("less_than", {"lt": self._lt})
        if self._le is not None and number > self._le:
            raise PydanticKnownError("less_than_equal", {"le": self._le})
        return number


Time = Annotated[Fraction, _Exact(ge=0), Field(description="Time in time units from the start; 1/3 stays exact.")]
Duration = Annotated[Fraction, _Exact(gt=0), Field(description="Duration in time units; 1/3 stays exact.")]
Cost = Annotated[Fraction, _Exact(ge=0), Field(description="Duration in time units, at least 0; 1/3 stays exact.")]
Offset = Annotated[Fraction, _Exact(), Field(description="Offset in time units; negative is earlier; 1/3 stays exact.")]
Grain = Annotated[Fraction, _Exact(ge=0, le=1), Field(description="Share from 0 to 1, both included.")]
Share = Annotated[Fraction, _Exact(gt=0, lt=1), Field(description="Share between 0 and 1; 1/3 stays exact.")]
