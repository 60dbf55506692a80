"""Resolution of the `loc` of a validation error in the document and the models.

Pydantic mixes fields and entries, which the document has, with branches of unions, which it lacks: a tag (`worker`), a
class (`Crowd`) or a type (`list[str]`). Only the models can distinguish them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from tikzgen.base.record import Record
from tikzgen.model.content import Tagged
from tikzgen.spec.document import Path

_VALIDATED_BRANCH = re.compile(
    r"function-\w+\[.*?\(\), (.*)\]"
)  # a branch with validators: function-after[check(), Crowd]


class ErrorLocation(Record):
    """Location of an error: the path of the `loc` in the document, and its field in the models.

    `root` has the first field of the path, `owner` the last named field, `model` the last step. `kind` is the type at
    the end of the path, None if it is unknown. `accepts` are the types that validators convert to it, and `description`
    is its description. `forks` are the positions in the `loc` that choose a branch of a union.
    """

    path: Path
    root: type[BaseModel] | None
    owner: type[BaseModel] | None
    model: type[BaseModel] | None
    kind: Any
    accepts: tuple[Any, ...]
    description: str
    forks: tuple[int, ...]


def find(loc: Sequence[str | int], kind: Any, data: Any) -> ErrorLocation:
    """Follow `loc` from the outermost model (or union of models) `kind` and the whole document's `data`."""
    path: list[str | int] = []
    forks: list[int] = []
    model: type[BaseModel] | None = None
    root: type[BaseModel] | None = None
    owner: type[BaseModel] | None = None
    notes: tuple[Any, ...] = ()
    inside = True
    for index, step in enumerate(loc):
        kind = _model_of_tag(kind, data)
        choices = _list_branches(kind)
        if len(choices) > 1:
            forks.append(index)
            kind = _find_branch(choices, step)
            notes = _list_notes(kind)
            continue
        kind = choices[0] if choices else None
        model = kind if _is_model(kind) else None
        root, owner = root or model, model or owner
        if inside and _has_step(data, step):
            data = data[step]
            path.append(step)
        elif kind is not None and not (isinstance(step, int) and isinstance(data, dict)):
            inside = False  # data made by validators; a mapping may also replace a list of one
        kind, notes = _find_part_type(kind, step)
        notes = (*notes, *(note for choice in _list_branches(kind)[:1] for note in _list_notes(choice)))
    return ErrorLocation(
        tuple(path), root, owner, model, kind, _list_choices(notes), _find_description(notes), tuple(forks)
    )


def list_tags(kind: Any, field: str) -> list[str]:
    """Return the values of `field` that distinguish the branches of a tagged union."""
    for note in _list_notes(kind):
        if isinstance(note, Tagged):
            return list(note.kinds)
    fields = [model.model_fields[field] for model in list_models(kind) if field in model.model_fields]
    return [tag for found in fields for tag in get_args(_without_annotations(found.annotation))]


def list_models(kind: Any) -> list[type[BaseModel]]:
    """Return the models among the branches of a type."""
    return [found for found in map(_without_annotations, _list_branches(kind)) if _is_model(found)]


def _model_of_tag(kind: Any, data: Any) -> Any:
    """Return the model that a tag in the data names; the `loc` does not name it."""
    met = [note.model_of(data) for note in _list_notes(kind) if isinstance(note, Tagged)]
    return met[0] or kind if met else kind


def _has_step(data: Any, step: str | int) -> bool:
    if isinstance(data, dict):
        return step in data
    return isinstance(data, list) and isinstance(step, int) and step < len(data)


def _without_annotations(kind: Any) -> Any:
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    return kind


def _list_branches(kind: Any) -> list[Any]:
    """Return the branches of a union without null; any other type is its only branch."""
    bare = _without_annotations(kind)
    if get_origin(bare) not in (Union, UnionType):
        return [] if bare is None else [kind]
    some = [choice for choice in get_args(bare) if choice is not NoneType]
    return _list_branches(some[0]) if len(some) == 1 else some


def _find_branch(choices: list[Any], step: str | int) -> Any:
    """Return the branch of a union that Pydantic calls `step`; None if it is unclear."""
    while match := _VALIDATED_BRANCH.fullmatch(str(step)):
        step = match[1]
    for choice in choices:
        bare = _without_annotations(choice)
        if step in kinds_of(bare) or str(step).removeprefix("constrained-") == getattr(bare, "__name__", None):
            return choice
        origin = get_origin(bare)
        if origin is not None and str(step).startswith(f"{getattr(origin, '__name__', origin)}["):
            return choice
    return None


def kinds_of(kind: Any) -> list[Any]:
    """Return all values of a model's literal fields, including its tag."""
    if not _is_model(kind):
        return []
    literals = (_without_annotations(field.annotation) for field in kind.model_fields.values())
    return [tag for literal in literals if get_origin(literal) is Literal for tag in get_args(literal)]


def _find_part_type(kind: Any, step: str | int) -> tuple[Any, tuple[Any, ...]]:
    """Return the type of a field or an entry, and its notes that are not in the type."""
    bare = _without_annotations(kind)
    if _is_model(bare):
        for name, field in bare.model_fields.items():
            if step in (name, field.alias):
                return field.annotation, (*field.metadata, field)
        return None, ()
    origin, inner = get_origin(bare), get_args(bare)
    if not isinstance(origin, type) or not inner:
        return None, ()
    if issubclass(origin, Mapping):
        part = inner[-1]
    elif issubclass(origin, tuple) and isinstance(step, int) and Ellipsis not in inner:
        part = inner[min(step, len(inner) - 1)]
    else:
        part = inner[0]
    return part, ()


def _list_notes(kind: Any) -> tuple[Any, ...]:
    return getattr(kind, "__metadata__", ())


def _find_description(notes: tuple[Any, ...]) -> str:
    said = [note.description for note in notes if isinstance(note, FieldInfo) and note.description]
    return said[-1] if said else ""


def _list_choices(notes: tuple[Any, ...]) -> tuple[Any, ...]:
    for note in notes:
        if isinstance(note, BeforeValidator) and note.json_schema_input_type is not PydanticUndefined:
            return tuple(map(_without_annotations, _list_branches(note.json_schema_input_type)))
    return ()


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
