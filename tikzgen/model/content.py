"""What a panel may hold: what all kinds have in common, free notes, and the kinds by their names.

A kind is registered here, and what draws and tells it is found by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, cached_property, reduce
from importlib import import_module
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias, cast

from pydantic import Field, TypeAdapter, model_validator
from pydantic_core import PydanticKnownError, core_schema

from tikzgen.model.part import Part, Ref, fail
from tikzgen.text import Said

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue


Path: TypeAlias = tuple[str | int, ...]


class Content(Part):
    """One part of a panel. A kind says here what it has in common with the others; the rest of it nobody else knows."""

    type: str
    """Tells the kinds of parts from each other."""

    def named_parts(self) -> Iterator[tuple[str, Path]]:
        """Yield what links may end on, by id, with its path in this part."""
        yield from ()

    def phases(self) -> Iterator[tuple[str, Path]]:
        """The phases that it speaks of, each with the place of the word."""
        yield from ()

    def flow_kinds(self) -> Iterator[tuple[str, Path]]:
        """The kinds of flow that it speaks of, each with the place of the word."""
        yield from ()

    def legend_names(self) -> Iterator[str]:
        """Yield the names that a legend may explain besides phases and kinds of flow."""
        yield from ()

    def colors(self) -> Iterator[str]:
        """The colors of its elements; those of phases and kinds of flow are left out."""
        yield from ()

    @property
    def end(self) -> Fraction:
        """When all has ended, in time units; 0 for what takes no time."""
        return Fraction(0)

    def starts(self) -> list[Fraction]:
        """The moments at which something in it begins, in order."""
        return []

    def list_numbers(self) -> list[int]:
        """List the numbers of its numbered parts, in order."""
        return []

    def steps(self) -> list[int]:
        """The numbers of its steps, in order."""
        return []

    @property
    def turns(self) -> bool:
        """Whether it may run down or to the right, as the width allows."""
        return False

    def with_direction(self, direction: Literal["down", "right"]) -> Self:
        """Return the part running in this direction, if its direction is open."""
        return self


class FreeNote(Part):
    """A free text: beside a whole topology or timeline or in its middle, or beside what it speaks of."""

    text: Said
    """What it says; a long one is broken into lines."""
    about: Ref | None = None
    """The id of an entity, a frame or a flow, of a lane or a span; null speaks of the whole."""
    side: Literal["auto", "above", "below", "left", "right", "center"] = "auto"
    """On which side of that it stands; auto is where there is free paper, of the whole below, and where a timeline has
    none, below it behind a number. Center is the middle of the whole, of a frame or of a lane."""
    boxed: bool = False
    """Whether it stands in a box."""
    leader: bool | None = None
    """Whether a thin line joins it to what it is about; null draws one where it stands farther away."""

    @model_validator(mode="after")
    def _leads_somewhere(self) -> Self:
        if self.leader and self.about is None:
            fail("a line leads to what a note is about", "leader", hint="say about, or leave it out")
        if self.leader and self.side == "center":
            fail("a note in the middle needs no line", "leader", hint="name a side, or leave it out")
        return self


class Tagged:
    """Reads a part by the kind that its field `tag` names; `kinds` and `model` tell the kinds, and the model of one.

    A union of Pydantic's means the same, and has the schemas of all its members made before the first is read.
    """

    def __init__(self, tag: str, kinds: Sequence[str], model: Callable[[str], type[Part]]) -> None:
        self.tag = tag
        self.kinds = kinds
        self.model = model

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._read_part)

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return handler(self._union)

    @cached_property
    def _union(self) -> core_schema.CoreSchema:
        """Pydantic's own union of all kinds, which takes long to make."""
        models: Any = reduce(or_, map(self.model, self.kinds))
        union: Any = Annotated[models, Field(discriminator=self.tag)]
        return TypeAdapter(union).core_schema

    def model_of(self, data: Any) -> type[Part] | None:
        """Return the model that the data name, if they name one."""
        kind = data.get(self.tag) if isinstance(data, dict) else None
        return self.model(kind) if isinstance(kind, str) and kind in self.kinds else None

    def _read_part(self, value: Any) -> Part:
        if isinstance(value, Part) and getattr(value, self.tag, None) in self.kinds:
            return value
        if not isinstance(value, dict):
            raise PydanticKnownError("model_attributes_type")
        facts = {"discriminator": f"'{self.tag}'"}
        if self.tag not in value:
            raise PydanticKnownError("union_tag_not_found", facts)
        if (found := self.model_of(value)) is None:
            expected = ", ".join(f"'{kind}'" for kind in self.kinds)
            raise PydanticKnownError(
                "union_tag_invalid", {**facts, "tag": str(value[self.tag]), "expected_tags": expected}
            )
        return found.model_validate(value)


_MODELS = {"topology": "Topology", "timeline": "Timeline", "spacetime": "SpaceTime"}
KINDS = tuple(_MODELS)
"""Every kind by its name."""


@cache
def model_of_kind(name: str) -> type[Content]:
    """The model of a kind, in the module of its name: figures without one go without what it imports."""
    return cast(type[Content], getattr(import_module(f"tikzgen.model.{name}.{name}"), _MODELS[name]))


AnyContent = Annotated[Content, Tagged("type", KINDS, model_of_kind)]
