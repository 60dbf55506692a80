"""The kinds of what a panel may hold: a kind is registered here, and what draws and tells it is found by its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property, reduce
from importlib import import_module
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import Field, TypeAdapter
from pydantic_core import PydanticKnownError, core_schema

from tikzgen.model.base import Part
from tikzgen.model.content import Content

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue


class Tagged:
    """Reads a part by the kind that its field `tag` names; `kinds` and `model` tell the kinds, and the model of one.

    A union of Pydantic's means the same, and has the schemas of all its members made before the first is read.
    """

    def __init__(self, tag: str, kinds: Sequence[str], model: Callable[[str], type[Part]]) -> None:
        self.tag = tag
        self.kinds = kinds
        self.model = model

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._read)

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

    def meant(self, data: Any) -> type[Part] | None:
        """The model that data name, if they name one."""
        kind = data.get(self.tag) if isinstance(data, dict) else None
        return self.model(kind) if isinstance(kind, str) and kind in self.kinds else None

    def _read(self, value: Any) -> Part:
        if isinstance(value, Part) and getattr(value, self.tag, None) in self.kinds:
            return value
        if not isinstance(value, dict):
            raise PydanticKnownError("model_attributes_type")
        facts = {"discriminator": f"'{self.tag}'"}
        if self.tag not in value:
            raise PydanticKnownError("union_tag_not_found", facts)
        if (found := self.meant(value)) is None:
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
    return cast(type[Content], getattr(import_module(f"tikzgen.model.{name}"), _MODELS[name]))


AnyContent = Annotated[Content, Tagged("type", KINDS, model_of_kind)]
