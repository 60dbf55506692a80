"""What every part of a description shares: strict frozen models, identifiers, exact times, readable refusals."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from numbers import Rational
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import PydanticCustomError, PydanticKnownError, core_schema

from tikzgen.base.errors import quoted
from tikzgen.base.suggest import suggestion
from tikzgen.text import Tex, Told
from tikzgen.text.characters import describe

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue


_DEPRECATED = (
    *("construct", "copy", "dict", "from_orm", "json", "parse_file", "parse_obj", "parse_raw"),
    *("schema", "schema_json", "update_forward_refs", "validate"),
)


class Refusals:
    """How a part that cannot be made is told of to Python users; `tikzgen.specfile.error_places` says it.

    No field of `Part`: Pydantic would read its annotation again for each of two hundred models.
    """

    told: Callable[[ValidationError, type[Part], Mapping[str, Any]], Exception] | None = None


class Part(BaseModel):
    """A frozen piece of a description; unknown fields are refused.

    Fields are documented by the string that follows them; `tikzgen.specfile.schema` reads those strings when a schema
    is asked for, so that importing the models stays quick.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, validate_default=False)

    if not TYPE_CHECKING:  # type checkers have the fields of each model

        def __init__(self, /, **facts: Any) -> None:
            try:
                super().__init__(**facts)
            except ValidationError as error:
                if Refusals.told is None:
                    raise
                raise Refusals.told(error, type(self), facts) from None

        __init__.__pydantic_base_init__ = True  # parts inside parts are made by Pydantic alone

    def __dir__(self) -> Iterable[str]:
        """What a completion offers: not the names that Pydantic keeps for older programs."""
        return [name for name in super().__dir__() if name not in _DEPRECATED]

    def said(self) -> frozenset[str]:
        """The fields whose values mean something even where they are as by default."""
        return frozenset()


def empty() -> list[Any]:
    """The default of a field that is a list.

    Pydantic asks each field's factory for its signature: that of `list` is a text that takes Python half a millisecond
    to read.
    """
    return []


def fail(message: str, *path: str | int, hint: str = "") -> NoReturn:
    """Refuse a model inside a validator; `path` leads from the model to the field that is to blame."""
    context: dict[str, Any] = {"message": message, "path": path, "hint": hint}
    raise PydanticCustomError("tikzgen", "{message}", context)


def require(
    name: str, known: Collection[str], *path: str | int, what: str = "node", most: int = 12, own: str = ""
) -> None:
    """Refuse a reference to something that is not there, with the nearest name, and the field of one's `own` ones."""
    if name not in known:
        hint = suggestion(name, sorted(known), most=most)
        if own:
            given = name if len(name) <= 20 and name.isascii() and name.replace("-", "").isalnum() else "name"
            hint += f"{'' if hint.endswith('?') else '.'} {own}: {{{given}: {{color: otblue}}}} defines one of your own"
        fail(f"there is no {what} {quoted(name)}", *path, hint=hint)


def check_distinct(named: Iterable[tuple[str, Sequence[str | int]]], hint: str, where: str = "") -> None:
    """Refuse an id that stands twice, at the second of its places; `where` says in what."""
    seen: set[str] = set()
    for name, path in named:
        if name in seen:
            fail(f"the id {quoted(name)} stands twice{where}", *path, hint=hint)
        seen.add(name)


Id = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*$", max_length=60),
    Field(description="A name for a node: letters, digits and single hyphens, starting with a letter."),
]

# What no line of a file can hold: control characters and whatever else ends a line.
_LINE = r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]*$"


def _one_line(value: Any) -> Any:
    """Say in words which character the pattern refuses."""
    if isinstance(value, str) and not re.fullmatch(_LINE, value):
        for position, char in enumerate(value, start=1):
            if not re.fullmatch(_LINE, char):
                breaks = char in "\n\r\x85\u2028\u2029"
                what = "a line break" if breaks else f"the control character {describe(char)}"
                hint = "write it on one line" if breaks else "remove it"
                fail(f"cannot have {what} at character {position}", hint=hint)
    return value


Words = Annotated[str, StringConstraints(pattern=_LINE), BeforeValidator(_one_line)]

_TAG = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$"


def _tagged(value: Any) -> Any:
    """Say in words what the pattern refuses."""
    if isinstance(value, str) and not re.fullmatch(_TAG, value):
        fail(f"cannot be {quoted(value)}", hint="it is a tag of BCP 47, such as en, zh-Hans or pt-BR")
    return value


Language = Annotated[
    str,
    StringConstraints(pattern=_TAG, max_length=35),
    BeforeValidator(_tagged),
    Field(description="A language by its tag in BCP 47: en, zh-Hans, pt-BR."),
]

Ref = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9.-]*(@(0|1|0?\.[0-9]+))?$", max_length=200),
    Field(description="A node's id, `panel.id` from outside its panel, or `flow@0.3` for a point along a flow."),
]


_WITH_UNIT = re.compile(r"([0-9]+(?:[./][0-9]+)?) ?(?:ns|us|µs|μs|ms|s|sec|min|h)")
_LONGEST_TIME = 40  # characters: what is longer is no time


def _exact(value: Any) -> Fraction:
    """Read 3, 2.8 or "14/5" as the fraction it spells; floats by their shortest decimal form, so 2.8 is 14/5."""
    if isinstance(value, bool):
        message = "should be a number, not {value}"
        raise PydanticCustomError("tikzgen", message, {"value": str(value).lower()})
    if isinstance(value, float):
        value = str(value)
    if isinstance(value, (int, str)):
        try:
            # the length keeps "1e999999999" from filling the memory
            return _bounded(Fraction(value if isinstance(value, int) else _short(value)))
        except (ValueError, ZeroDivisionError, OverflowError):
            message = "should be a number or a fraction such as 1/3, not {value}"
            number = _WITH_UNIT.fullmatch(value) if isinstance(value, str) and len(value) < _LONGEST_TIME else None
            hint = f"times have no unit of their own: write {number[1]}" if number else ""
            raise PydanticCustomError("tikzgen", message, {"value": quoted(value), "hint": hint}) from None
    if isinstance(value, Rational | Decimal):
        return Fraction(value)
    raise PydanticCustomError("fraction_type", "should be a number or a fraction such as 1/3")


def _short(text: str) -> str:
    """The text of a number, unless its exponent would make it enormous."""
    _, _, exponent = text.lower().partition("e")
    if len(text) > 60 or len(exponent.lstrip("+-0")) > 2:
        raise ValueError(text)
    return text


def _bounded(value: Fraction) -> Fraction:
    """The number, unless no figure could be as long."""
    if abs(value) > 10**12:
        raise OverflowError(value)
    return value


def spell_time(value: Fraction) -> int | float | str:
    """Write a fraction so that `_exact` reads the same one back: 3, 2.8 or "1/3"."""
    if value.denominator == 1:
        return value.numerator
    decimal = float(value)
    return decimal if Fraction(str(decimal)) == value else str(value)


class _Exact:
    """Reads and writes an exact number within bounds.

    The whole of the validation, and no step before Pydantic's own: what that does with a list or a null where a union
    has members left to try changed from release to release.
    """

    def __init__(
        self, ge: int | None = None, gt: int | None = None, lt: int | None = None, le: int | None = None
    ) -> None:
        self._ge, self._gt, self._lt, self._le = ge, gt, lt, le

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        spelled = core_schema.plain_serializer_function_ser_schema(spell_time)
        return core_schema.no_info_plain_validator_function(self._read, serialization=spelled)

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        named = {"minimum": self._ge, "exclusiveMinimum": self._gt, "exclusiveMaximum": self._lt, "maximum": self._le}
        bounds = {word: bound for word, bound in named.items() if bound is not None}
        return {"anyOf": [{"type": "integer", **bounds}, {"type": "number", **bounds}, {"type": "string"}]}

    def _read(self, value: Any) -> Fraction:
        number = _exact(value)
        if self._ge is not None and number < self._ge:
            raise PydanticKnownError("greater_than_equal", {"ge": self._ge})
        if self._gt is not None and number <= self._gt:
            raise PydanticKnownError("greater_than", {"gt": self._gt})
        if self._lt is not None and number >= self._lt:
            raise PydanticKnownError("less_than", {"lt": self._lt})
        if self._le is not None and number > self._le:
            raise PydanticKnownError("less_than_equal", {"le": self._le})
        return number


Time = Annotated[Fraction, _Exact(ge=0), Field(description="A moment, in time units from the start; 1/3 stays exact.")]
Duration = Annotated[Fraction, _Exact(gt=0), Field(description="A length of time, in time units; 1/3 stays exact.")]
Cost = Annotated[
    Fraction, _Exact(ge=0), Field(description="A length of time, in time units, perhaps none; 1/3 stays exact.")
]
Offset = Annotated[Fraction, _Exact(), Field(description="A length of time, with a minus one back; 1/3 stays exact.")]
Grain = Annotated[Fraction, _Exact(ge=0, le=1), Field(description="A part of a whole, perhaps none or all of it.")]
Share = Annotated[Fraction, _Exact(gt=0, lt=1), Field(description="A part of a whole; 1/3 stays exact.")]


# Fields that tell one kind of part from another: a description keeps them though they have defaults.
_TELLING = ("recipe", "do", "kind", "type")


@cache
def _defaults(kind: type[Part]) -> dict[str, Any]:
    return {
        name: field.get_default(call_default_factory=True)
        for name, field in kind.model_fields.items()
        if not field.is_required() and (name not in _TELLING or field.default is None)
    }


def shortest(value: Any) -> Any:
    """A description as plain JSON data, without what is as by default; loading it gives an equal description."""
    if isinstance(value, Part):
        kind, data = type(value), value.__dict__
        defaults = _defaults(kind)
        # telling fields first: they say how to read the rest
        names = sorted(data, key=lambda name: name not in _TELLING)
        said = value.said()
        return {
            (kind.model_fields[name].alias or name): shortest(data[name])
            for name in names
            if name in said or name not in defaults or data[name] != defaults[name]
        }
    if isinstance(value, Fraction):
        return spell_time(value)
    if isinstance(value, Tex):
        return {"tex": str(value)}
    if isinstance(value, Told):
        return str(value)
    if isinstance(value, list):
        return [shortest(entry) for entry in value]
    if isinstance(value, dict):
        return {key: shortest(entry) for key, entry in value.items()}
    return value


def raw_tex_in(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where a figure, a part of one, or the plain data of a description has raw TeX: the path of each such text.

    What holds raw TeX runs what its writer wrote, whoever made the file round it.
    """
    if isinstance(value, Part):
        value = value.__dict__
    spelled = isinstance(value, dict) and value.keys() == {"tex"} and isinstance(value["tex"], str)
    if spelled or isinstance(value, Tex):
        yield path
    elif isinstance(value, dict | list | tuple):
        for step, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from raw_tex_in(entry, (*path, step))
