"""Base of all parts of a description: strict frozen models, identifiers, errors, plain data."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import lcm
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import PydanticCustomError

from tikzgen.base.errors import quote
from tikzgen.base.suggest import suggest_known_names
from tikzgen.model.addresses import (
    ADDRESS_PATTERN,
    KEYS_PATTERN,
    PartEnd,
    explain_address,
    read_end,
    remove_spaces,
    spell_end,
)
from tikzgen.model.exact_fields import spell_time
from tikzgen.model.looks.palettes import OwnColor
from tikzgen.text import FieldText, Tex, describe

_DEPRECATED_NAMES = (
    *("construct", "copy", "dict", "from_orm", "json", "parse_file", "parse_obj", "parse_raw"),
    *("schema", "schema_json", "update_forward_refs", "validate"),
)


class Refusals:
    """Hook that turns a validation error into one for Python users; `spec.errors.error_places` sets it.

    It is not a field of `Part`, because Pydantic would read its annotation again for each of 200 models.
    """

    told: Callable[[ValidationError, type[Part], Mapping[str, Any]], Exception] | None = None


class Part(BaseModel):
    """A frozen part of a description; unknown fields are errors.

    The string after a field documents it. `tikzgen.spec.schema` reads these strings when it builds a schema, so that
    importing the models stays fast.
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

        __init__.__pydantic_base_init__ = True  # Pydantic creates nested parts without calling this

    def __dir__(self) -> Iterable[str]:
        """Return the names for completion, without Pydantic's deprecated methods."""
        return [name for name in super().__dir__() if name not in _DEPRECATED_NAMES]

    def stated_fields(self) -> frozenset[str]:
        """Return the fields whose values mean something even if they equal the defaults."""
        return frozenset()


def make_empty_list() -> list[Any]:
    """Return a new list: the default of list fields.

    Pydantic parses the signature of each field's factory. For `list`, Python parses it from a string in 0.5 ms.
    """
    return []


def label_by_id(data: Any) -> Any:
    """Return the data of a part with its id as the label, if no label is given.

    A node without a label would look like an error.
    """
    return {"label": data["id"], **data} if isinstance(data, dict) and "id" in data else data


def fail(message: str, *path: str | int, hint: str = "", impossible: bool = False) -> NoReturn:
    """Raise a Pydantic error inside a validator; `path` leads from the model to the faulty field.

    `impossible` marks a description that is well formed, but shows something that cannot happen.
    """
    context: dict[str, Any] = {"message": message, "path": path, "hint": hint, "impossible": impossible}
    raise PydanticCustomError("tikzgen", "{message}", context)


DENOMINATOR_LIMIT = 10**18
"""Times have a common measure of at least one over this."""


def check_common_measure(times: Iterable[tuple[tuple[str | int, ...], Fraction]]) -> int:
    """Return the number of common measures of the times in a time unit.

    Raise an error at the first time without a common measure of at least 1/`DENOMINATOR_LIMIT`.

    Sums of such times have numerators and denominators that grow with each term.
    """
    common, known = 1, {1}
    for path, time in times:
        if time.denominator not in known:
            known.add(time.denominator)
            common = lcm(common, time.denominator)
            if common > DENOMINATOR_LIMIT:
                fail(
                    "these times have no common measure of 10^-18 or more", *path, hint="write decimals, such as 0.333"
                )
    return common


def times_in(value: Any, *path: str | int) -> Iterator[tuple[tuple[str | int, ...], Fraction]]:
    """Yield the exact numbers in a part, in a list of parts or in lists of numbers, with their paths."""
    if isinstance(value, Fraction):
        yield path, value
    elif isinstance(value, Part):
        for name, held in value.__dict__.items():
            yield from times_in(held, *path, name)
    elif isinstance(value, list | tuple):
        for index, held in enumerate(value):
            if isinstance(held, Fraction | Part | list | tuple):
                yield from times_in(held, *path, index)


def require(name: str, known: Collection[str], *path: str | int, what: str = "node", own: str = "") -> None:
    """Raise an error for an unknown reference, with the nearest name as a hint.

    `own` is the field in which a user can define the name.
    """
    if name not in known:
        hint = suggest_known_names(name, sorted(known), "known:" if own else "the existing ones are")
        if own:
            given = name if len(name) <= 20 and name.isascii() and name.replace("-", "").isalnum() else "name"
            hint += f"{'' if hint.endswith('?') else ';'} {own}: {{{given}: {{color: otblue}}}} adds it"
        fail(f"unknown {what} {quote(name)}", *path, hint=hint)


def check_distinct(named: Iterable[tuple[str, Sequence[str | int]]], hint: str, where: str = "") -> None:
    """Raise an error at the second use of an id; `where` names the scope in the message."""
    seen: set[str] = set()
    for name, path in named:
        if name in seen:
            fail(f"the id {quote(name)} is used twice{where}", *path, hint=hint)
        seen.add(name)


Id = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*$", max_length=60),
    Field(description="A name for a node: letters, digits and single hyphens, starting with a letter."),
]

LocalId = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*$", max_length=60),
    Field(description="A name inside one node or array: letters, digits and single hyphens, starting with a letter."),
]

# A string without control characters, line breaks and byte order marks, which no line of a file can contain.
_LINE = r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]*$"


def _one_line(value: Any) -> Any:
    """Raise an error that names the first character that the pattern does not allow."""
    if isinstance(value, str) and not re.fullmatch(_LINE, value):
        for position, char in enumerate(value, start=1):
            if not re.fullmatch(_LINE, char):
                breaks = char in "\n\r\x85\u2028\u2029"
                what = "line break" if breaks else f"control character {describe(char)}"
                hint = "write it on one line" if breaks else "remove it"
                fail(f"unexpected {what} at character {position}", hint=hint)
    return value


Words = Annotated[str, StringConstraints(pattern=_LINE), BeforeValidator(_one_line)]

_TAG = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$"


def _explain_tag(value: Any) -> Any:
    """Raise an error that explains the pattern of language tags."""
    if isinstance(value, str) and not re.fullmatch(_TAG, value):
        fail(f"cannot be {quote(value)}", hint="it is a tag of BCP 47, such as en, zh-Hans or pt-BR")
    return value


Language = Annotated[
    str,
    StringConstraints(pattern=_TAG, max_length=35),
    BeforeValidator(_explain_tag),
    Field(description="A language by its tag in BCP 47: en, zh-Hans, pt-BR."),
]


def _explain_address(value: Any) -> Any:
    """Raise an error that explains the grammar of addresses."""
    if isinstance(value, str) and (reason := explain_address(value)):
        fail(reason.message, hint=reason.hint)
    return value


Ref = Annotated[
    str,
    StringConstraints(pattern=ADDRESS_PATTERN, max_length=200),
    BeforeValidator(_explain_address),
    AfterValidator(remove_spaces),
    Field(
        description="A node's id, `panel.id` from outside its panel, `flow@0.3` for a point along a flow, or an "
        "address in it: `table.part(2)`, `pool[0,2]`, `pool[0:2,:]`, `pool.row(7)`."
    ),
]
End = Annotated[
    str,
    StringConstraints(pattern=ADDRESS_PATTERN, max_length=200),
    BeforeValidator(lambda value: spell_end(value) if isinstance(value, PartEnd) else _explain_address(value)),
    AfterValidator(remove_spaces),
    AfterValidator(read_end),
    Field(description="A node's id, or a part of a node: `table.part(2)`, by its number or its id."),
]


def _explain_keys(value: Any) -> Any:
    """Raise an error that explains the keys between the brackets of addresses."""
    if isinstance(value, str) and not re.fullmatch(KEYS_PATTERN, value):
        hint = "write rows and columns: 3,0:2 or :,1; numbers are as in the header, never negative"
        fail(f"{quote(value)} are no keys of cells", hint=hint)
    return value


Keys = Annotated[
    str,
    StringConstraints(pattern=KEYS_PATTERN, max_length=200),
    BeforeValidator(_explain_keys),
    AfterValidator(remove_spaces),
    Field(description="Rows and columns of an array, as in its addresses: `3,0:2`; ranges leave out their end."),
]


# Fields that identify the type of a part: a description keeps them even if they equal the defaults.
_TELLING = ("recipe", "do", "kind", "type")


@cache
def _collect_defaults(kind: type[Part]) -> dict[str, Any]:
    return {
        name: field.get_default(call_default_factory=True)
        for name, field in kind.model_fields.items()
        if not field.is_required() and (name not in _TELLING or field.default is None)
    }


def _said_fields(part: Part) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a part that differ from the defaults, fields that identify its type first."""
    kind, data = type(part), part.__dict__
    defaults, said = _collect_defaults(kind), part.stated_fields()
    for name in sorted(data, key=lambda name: name not in _TELLING):
        if name in said or name not in defaults or data[name] != defaults[name]:
            yield kind.model_fields[name].alias or name, data[name]


def shorten_description(value: Any) -> Any:
    """Return a description as plain JSON data without defaults; loading it gives an equal description."""
    if isinstance(value, Part):
        return {name: shorten_description(held) for name, held in _said_fields(value)}
    if isinstance(value, Fraction):
        return spell_time(value)
    if isinstance(value, Tex):
        return {"tex": str(value)}
    if isinstance(value, FieldText):
        return str(value)
    if isinstance(value, OwnColor):
        return value.spelling
    if isinstance(value, PartEnd):
        return value.spec_text
    if isinstance(value, list | tuple):
        return [shorten_description(entry) for entry in value]
    if isinstance(value, dict):
        return {key: shorten_description(entry) for key, entry in value.items()}
    return value


def facts_of(value: Any) -> Any:
    """Return a description as mappings and lists of Python values such as fractions, without defaults."""
    if isinstance(value, Part):
        return {name: facts_of(held) for name, held in _said_fields(value)}
    if isinstance(value, list):
        return [facts_of(entry) for entry in value]
    if isinstance(value, dict):
        return {key: facts_of(entry) for key, entry in value.items()}
    return value


def check_again(part: Part) -> None:
    """Validate a part whose lists may have been changed, or that `model_copy` made.

    Raise the errors that creating the part raises.
    """
    type(part)(**facts_of(part))


def raw_tex_in(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of each raw TeX string in a figure, in a part, or in the plain data of a description.

    Raw TeX runs the code of its author, no matter which program wrote the file around it.
    """
    if isinstance(value, Part):
        value = value.__dict__
    spelled = isinstance(value, dict) and value.keys() == {"tex"} and isinstance(value["tex"], str)
    if spelled or isinstance(value, Tex):
        yield path
    elif isinstance(value, dict | list | tuple):
        for step, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from raw_tex_in(entry, (*path, step))
