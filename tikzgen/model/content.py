"""What a panel may hold: what all kinds have in common, free notes, and the kinds by their names.

The table `KINDS` has the models of the kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import Field, TypeAdapter, model_validator
from pydantic_core import PydanticKnownError, core_schema

from tikzgen.base.extensions import Table
from tikzgen.model.part import Part, Ref, fail
from tikzgen.text import Said

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue


Path: TypeAlias = tuple[str | int, ...]


class Content(Part):
    """One part of a panel.

    A kind states here what it has in common with the others. Its other modules are addresses `module:attribute`, which
    are loaded when they are needed: reading a figure loads no layout.
    """

    layout_address: ClassVar[str]
    """The address of its `LayoutKind`."""
    sentences_address: ClassVar[str]
    """The address of its function `describe(part, figure, known)`."""
    operations_address: ClassVar[str] = ""
    """The address of its edit operations, a tuple of models."""
    names_address: ClassVar[str] = ""
    """The address of a function that returns the names in a figure that its operations take, by kind of name."""
    rows_address: ClassVar[str] = ""
    """The address of its `Rows`: how a lane is added and removed."""
    subject_address: ClassVar[str] = ""
    """The address of what rules of `check` take, made of the document, the path of the part and the part."""
    other_names: ClassVar[tuple[str, ...]] = ()
    """What other tools call this kind, for hints."""

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
    """Reads a part by the kind that its field `tag` names, an entry of a table of models.

    A union of Pydantic's means the same, and has the schemas of all its members made before the first is read.
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
        """Pydantic's own union of all kinds, which takes long to make."""
        models: Any = reduce(or_, (self.kinds[name] for name in self.kinds))
        union: Any = Annotated[models, Field(discriminator=self.tag)]
        return TypeAdapter(union).core_schema

    def model_of(self, data: Any) -> type[Part] | None:
        """Return the model that the data name, if they name one."""
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
    },
    needed=("layout_address", "sentences_address"),
    classes=True,
    problem_of=_problem_of,
)
AnyContent = Annotated[Content, Tagged("type", KINDS)]
