"""Marks on timelines: the table `MARKS`, the base class of its entries, the field for package marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import PydanticKnownError, core_schema

from tikzgen.base.errors import quote
from tikzgen.base.extensions import Table
from tikzgen.base.suggest import suggest_known_names
from tikzgen.model.part import Part, fail
from tikzgen.model.sentences import Sentence


class MarkType:
    """A type of marks on a timeline.

    Fields of its model have their usual meaning: `lane` and `lanes` name lanes, `time`, `start` and `end` are times.
    """

    model: ClassVar[type[Part]]
    """Model of one mark. The model of a package has a field `type` that contains the name of the entry."""
    field: ClassVar[str] = "marks"
    """Field of a timeline that lists such marks."""
    noun: ClassVar[str]
    """Noun for one mark, in messages: "a frame"."""
    texts: ClassVar[tuple[tuple[str, str, str], ...]] = ()
    """Fields that are labels: the field, the stem of the macro, and the meaning of the label."""
    layout_address: ClassVar[str] = ""
    """Address of its `MarkLayout`; empty for built-in marks, which have modules in `layout/timeline`."""
    telling_order: ClassVar[int] = 9
    """Position of its sentences in the description, relative to sentences of other marks."""
    happens_on_lane: ClassVar[bool] = True
    """Whether the mark is an activity of its `lane`, which is impossible on an ellipsis."""

    def list_in(self, timeline: Any) -> Sequence[Any]:
        """Return the marks of this type on a timeline."""
        marks: Sequence[Any] = getattr(timeline, self.field)
        return marks if self.field != "marks" else [mark for mark in marks if isinstance(mark, self.model)]

    def iterate_end_times(self, mark: Any) -> Iterator[Fraction]:
        """Yield the times up to which a timeline must last for a mark."""
        yield from (getattr(mark, name) for name in ("end", "time") if name in type(mark).model_fields)

    def sentences(self, marks: Sequence[Any], timeline: Any) -> Iterator[Sentence]:
        """Yield the sentences of a description about all marks of this type."""
        yield from ()


_TYPES = "tikzgen.model.timeline.mark_types"


def _problem_of(name: str, entry: Any) -> str:
    fields = getattr(entry.model, "model_fields", {})
    if "type" not in fields:
        return "lacks the field type in its model"
    if not entry.layout_address:
        return "lacks layout_address"
    default = fields["type"].default
    return "" if default == name else f"has the field type={default!r} in its model, not {name!r}"


MARKS: Table[MarkType] = Table(
    "marks",
    {
        "barrier": f"{_TYPES}:BarrierType",
        "event": f"{_TYPES}:EventType",
        "brace": f"{_TYPES}:BraceType",
        "dimension": f"{_TYPES}:DimensionType",
        "remark": f"{_TYPES}:RemarkType",
        "note": f"{_TYPES}:NoteType",
        "group": f"{_TYPES}:GroupType",
        "dependency": f"{_TYPES}:DependencyType",
        "strip": f"{_TYPES}:StripType",
        "frame": f"{_TYPES}:FrameType",
        "bubble": f"{_TYPES}:BubbleType",
    },
    needed=(
        "model",
        "field",
        "noun",
        "texts",
        "layout_address",
        "telling_order",
        "list_in",
        "iterate_end_times",
        "sentences",
    ),
    problem_of=_problem_of,
)


def list_marks(timeline: Any) -> Iterator[tuple[MarkType, int, Any]]:
    """Yield all marks of a timeline, each with its type and its index in its field."""
    for name in MARKS.built_in:
        kind = MARKS[name]
        yield from ((kind, index, mark) for index, mark in enumerate(getattr(timeline, kind.field)))
    yield from ((type_of(mark), index, mark) for index, mark in enumerate(timeline.marks))


def types_on(timeline: Any) -> list[MarkType]:
    """Return the built-in types, and the types of packages that a timeline uses."""
    return [MARKS[name] for name in (*MARKS.built_in, *dict.fromkeys(mark.type for mark in timeline.marks))]


def type_of(mark: Any) -> MarkType:
    """Return the type of a mark that a package provides."""
    return MARKS[mark.type]


class _ReadMark:
    """Annotation that reads a mark of a package by its `type`."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(_read_mark)

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        kind = {"type": "string", "description": "The type of the mark: an entry that an installed package provides."}
        return {"type": "object", "required": ["type"], "properties": {"type": kind}}


def _read_mark(value: Any) -> Part:
    if isinstance(value, Part) and getattr(value, "type", None) in MARKS.map_entry_packages():
        return value
    if not isinstance(value, dict):
        raise PydanticKnownError("model_attributes_type")
    if "type" not in value:
        raise PydanticKnownError("union_tag_not_found", {"discriminator": "'type'"})
    name = value["type"]
    if isinstance(name, str) and name in MARKS.built_in:
        fail(f"{quote(name)} has a field of its own", hint=f"write it in {MARKS[name].field}")
    if not isinstance(name, str) or name not in MARKS.map_entry_packages():
        known = MARKS.map_entry_packages()
        install = "install the package that provides it"
        hint = suggest_known_names(str(name), list(known), "installed packages have") if known else install
        fail(f"unknown mark {quote(str(name))}", "type", hint=hint)
    return MARKS[name].model.model_validate(value)


PackageMark = Annotated[Any, _ReadMark()]
