"""Contents of panels: the base class of all types of parts, free notes, and the table `KINDS` of types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import Field, TypeAdapter, model_validator
from pydantic_core import PydanticKnownError, core_schema

from tikzgen.base.extensions import Table
from tikzgen.model.addresses import Address, AddressAxis, Reason, find_ranges, name_node
from tikzgen.model.part import Part, Ref, fail
from tikzgen.text import Said, Text

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue


Path: TypeAlias = tuple[str | int, ...]


class Content(Part):
    """Base class of the parts of a panel.

    A subclass states here the properties that all types have. Its other modules are addresses `module:attribute`,
    which are loaded at first use: reading a figure loads no layout.
    """

    layout_address: ClassVar[str]
    """Address of its `LayoutKind`."""
    sentences_address: ClassVar[str]
    """Address of its function `describe(part, figure, known)`."""
    operations_address: ClassVar[str] = ""
    """Address of its edit operations, a tuple of models."""
    names_address: ClassVar[str] = ""
    """Address of a function that returns the names in a figure that its operations accept, by type of name."""
    rows_address: ClassVar[str] = ""
    """Address of its `Rows`, which adds and removes lanes."""
    subject_address: ClassVar[str] = ""
    """Address of the function that makes the input of `check` rules from the document, the path of the part and the
    part."""
    other_names: ClassVar[tuple[str, ...]] = ()
    """Names that other tools use for this type of part, for hints."""

    type: str
    """Type of the part."""

    def named_parts(self) -> Iterator[tuple[str, Path]]:
        """Yield the ids that links may refer to, each with its path in this part."""
        yield from ()

    def find_axes(self, name: str) -> tuple[AddressAxis, ...]:
        """Return the directions in which addresses choose from one of its named parts; none by default."""
        return ()

    def resolve(self, address: Address) -> Reason | None:
        """Return why an address in one of its named parts names nothing, or None."""
        found = find_ranges(self.find_axes(address.name), address)
        return found if isinstance(found, Reason) else None

    def name_node(self, address: Address) -> str:
        """Return the name of the node at an address, without its panel."""
        return name_node(self.find_axes(address.name), address)

    def list_owners(self) -> Iterator[tuple[int, Path]]:
        """Yield the numbers of the owners that fill its parts, each with the path of the field."""
        yield from ()

    def list_ramps(self) -> list[str]:
        """List the labels of its ramps of values, for the legend."""
        return []

    def name_owner(self, owner: int) -> Text:
        """Return the name of one of its owners."""
        return f"owner {owner}"

    def phases(self) -> Iterator[tuple[str, Path]]:
        """Yield the names of its phases, each with the path of the field that names it."""
        yield from ()

    def flow_kinds(self) -> Iterator[tuple[str, Path]]:
        """Yield the names of its flow kinds, each with the path of the field that names it."""
        yield from ()

    def legend_names(self) -> Iterator[str]:
        """Yield the names that a legend may explain besides phases and kinds of flow."""
        yield from ()

    def colors(self) -> Iterator[str]:
        """Yield the colors of its elements, except for colors of phases and flow kinds."""
        yield from ()

    @property
    def end(self) -> Fraction:
        """Time at which everything has ended, in time units; 0 for parts without time."""
        return Fraction(0)

    def starts(self) -> list[Fraction]:
        """Return the distinct times at which a part of it begins, in order."""
        return []

    def count_lanes(self) -> int:
        """Return the number of its lanes."""
        return 0

    @property
    def has_owned_spans(self) -> bool:
        """Whether it has spans with an owner, which have the fill of their owner."""
        return False

    def list_numbers(self) -> list[int]:
        """List the numbers of its numbered parts, in order."""
        return []

    def steps(self) -> list[int]:
        """Return the numbers of its steps, in order."""
        return []

    @property
    def turns(self) -> bool:
        """Whether it may run down or to the right, depending on the width."""
        return False

    def with_direction(self, direction: Literal["down", "right"]) -> Self:
        """Return the part running in this direction, if its direction is open."""
        return self


class FreeNote(Part):
    """A note next to a whole topology or timeline, in its middle, or next to the part that it describes."""

    text: Said
    """Content of the note; long notes are wrapped."""
    about: Ref | None = None
    """Id of a node, a group, a flow, a lane or a span; null refers to the whole part."""
    side: Literal["auto", "above", "below", "left", "right", "center"] = "auto"
    """Side of the element in `about`; the default of the whole part is below. `auto` takes a side with blank space. If
    a timeline has none, a number marks the element and the note is below. `center` is the middle of the whole part,
    of a group or of a lane."""
    boxed: bool = False
    """Whether the note has a border."""
    leader: bool | None = None
    """Whether a thin line joins the note to its element; null draws the line if the note is not next to it."""

    @model_validator(mode="after")
    def _leads_somewhere(self) -> Self:
        if self.leader and self.about is None:
            fail("a leader needs a target", "leader", hint="set about, or omit the leader")
        if self.leader and self.side == "center":
            fail("a note in the middle needs no line", "leader", hint="name a side, or leave it out")
        return self


class Tagged:
    """Annotation that reads a part by the type in its field `tag`: an entry of a table of models.

    A Pydantic union has the same meaning, but builds the schemas of all members before the first read.
    """

    def __init__(self, tag: str, kinds: Mapping[str, type[Part]] | Table[Any]) -> None:
        self.tag = tag
        self.kinds = kinds

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._read_part)

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return handler(self._union)

    @cached_property
    def _union(self) -> core_schema.CoreSchema:
        """Pydantic's union of all types, which is slow to build."""
        models: Any = reduce(or_, (self.kinds[name] for name in self.kinds))
        union: Any = Annotated[models, Field(discriminator=self.tag)]
        return TypeAdapter(union).core_schema

    def model_of(self, data: Any) -> type[Part] | None:
        """Return the model for the type in the data, or None."""
        kind = data.get(self.tag) if isinstance(data, dict) else None
        return self.kinds[kind] if isinstance(kind, str) and kind in self.kinds else None

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


def _problem_of(name: str, model: Any) -> str:
    field = getattr(model, "model_fields", {}).get("type")
    if field is None:
        return "lacks the field type"
    return "" if field.default == name else f"has the field type={field.default!r}, not {name!r}"


KINDS: Table[type[Content]] = Table(
    "kinds",
    {
        "topology": "tikzgen.model.topology.topology:Topology",
        "timeline": "tikzgen.model.timeline.timeline:Timeline",
        "spacetime": "tikzgen.model.spacetime.spacetime:SpaceTime",
        "cells": "tikzgen.model.cells.cells:Cells",
    },
    needed=("layout_address", "sentences_address"),
    classes=True,
    problem_of=_problem_of,
)
AnyContent = Annotated[Content, Tagged("type", KINDS)]
