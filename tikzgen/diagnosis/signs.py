"""A recipe with a sign of its own in place of every text: where the figure then shows a sign, that text went."""

from __future__ import annotations

from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Union, get_args, get_origin

from tikzgen.model.base import Part
from tikzgen.text.label_text import is_text

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["signed"]

_P = TypeVar("_P", bound=Part)
_SIGN = "tikzgenfield"


def signed(recipe: _P) -> tuple[_P, dict[str, tuple[str | int, ...]]]:
    """A copy of the recipe with signs for texts, and the field that each sign stands in. Empty texts stay empty."""
    signs: dict[str, tuple[str | int, ...]] = {}

    def put(value: Any, kind: Any, path: tuple[str | int, ...]) -> Any:
        if isinstance(value, Part):
            return value.model_copy(update={name: put(*each, (*path, name)) for name, each in _fields(value)})
        if isinstance(value, str):
            if not value or not any(map(is_text, _branches(kind))):
                return value
            sign = f"{_SIGN}{len(signs)}x"
            signs[sign] = path
            return sign
        if isinstance(value, list):
            inner = _inner(kind, list)
            return [put(one, inner, (*path, index)) for index, one in enumerate(value)]
        if isinstance(value, dict):
            inner = _inner(kind, dict)
            return {key: put(one, inner, (*path, key)) for key, one in value.items()}
        return value

    return put(recipe, type(recipe), ()), signs


def _fields(part: Part) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """The fields with their values and their types."""
    for name, field in type(part).model_fields.items():
        kind = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
        yield name, (getattr(part, name), kind)


def _branches(kind: Any) -> Iterator[Any]:
    """A type, and those that it is a union of."""
    yield kind
    origin = get_origin(kind)
    if origin in (Annotated, Union, UnionType):
        for part in get_args(kind)[: 1 if origin is Annotated else None]:
            yield from _branches(part)


def _inner(kind: Any, container: type) -> Any:
    """The type of the entries of the list or the mapping that a type may be."""
    found = (each for each in _branches(kind) if get_origin(each) is container)
    return next((get_args(each)[-1] for each in found), None)
