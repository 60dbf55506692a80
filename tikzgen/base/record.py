"""Frozen data: what a dataclass with `frozen=True, slots=True` is, made in a fraction of the time.

The standard decorator writes and compiles six methods for every class, and makes the class twice. Every run of the
command line would pay that for a hundred classes, most of which it does not use: 130 classes of six fields take 85 ms
as dataclasses, 18 as named tuples (which are equal to tuples, and have no heirs), and 2 here. Only `__init__` is
compiled, when the first of its kind is made, which takes 0.08 ms; all other methods are the same for every kind.
To readers and to the standard library, `dataclasses` and `copy.replace` included, records are dataclasses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copyreg import pickle
from functools import cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, ClassVar, NoReturn, TypeVar, dataclass_transform

NOTHING: Mapping[Any, Any] = MappingProxyType({})
"""The default of a field that is a mapping."""


def _read_only(held: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(held)


# workers send records that hold such mappings, which Python by itself does not pickle
pickle(MappingProxyType, lambda held: (_read_only, (dict(held),)))

_R = TypeVar("_R", bound="Record")


@dataclass_transform(frozen_default=True)
class _Kind(type):
    """Makes slots of a class's annotations; values beside them become defaults."""

    _fields: tuple[str, ...]
    _defaults: dict[str, Any]
    _held: Callable[[Any], Any]

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _Kind:
        annotations: dict[str, str] = namespace.get("__annotations__", {})
        own = tuple(field for field, kind in annotations.items() if not kind.startswith("ClassVar"))
        fields, defaults = own, {field: namespace.pop(field) for field in own if field in namespace}
        for base in bases:
            if isinstance(base, _Kind):
                fields, defaults = (*base._fields, *fields), base._defaults | defaults
        namespace.update(__slots__=own, __match_args__=fields, __init__=_first, _fields=fields, _defaults=defaults)
        namespace["_held"] = attrgetter("__class__", *fields)
        return super().__new__(mcs, name, bases, namespace)


def _first(self: Record, *args: Any, **kwargs: Any) -> None:
    """Stands for the `__init__` of a kind until the first of it is made."""
    kind = type(self)
    kind.__init__ = _initialiser(kind)  # type: ignore[method-assign]
    kind.__init__(self, *args, **kwargs)


def _initialiser(kind: type[Record]) -> Any:
    """A function with the fields as its parameters, which sets each by its slot: `__setattr__` would refuse."""
    scope: dict[str, Any] = {f"default_{field}": value for field, value in kind._defaults.items()}
    scope.update((f"set_{field}", getattr(kind, field).__set__) for field in kind._fields)
    parameters = [f"{field}=default_{field}" if field in kind._defaults else field for field in kind._fields]
    body = [f"set_{field}(self, {field})" for field in kind._fields] or ["pass"]
    exec(f"def __init__({', '.join(['self', *parameters])}):\n  " + "\n  ".join(body), scope)
    scope["__init__"].__qualname__ = f"{kind.__qualname__}.__init__"
    return scope["__init__"]


@cache
def _standard_fields(kind: type[Record]) -> dict[str, Any]:
    """The fields as `dataclasses` knows them."""
    from dataclasses import field, make_dataclass

    def default(name: str) -> Any:
        return field(default_factory=lambda: kind._defaults[name]) if name in kind._defaults else field()

    fields = [(name, Any, default(name)) for name in kind._fields]
    made: Any = make_dataclass(kind.__name__, fields, kw_only=True)
    known: dict[str, Any] = made.__dataclass_fields__
    return known


class _StandardFields:
    """Made when somebody asks: `dataclasses` is imported for nobody else."""

    def __get__(self, record: Record | None, kind: type[Record]) -> dict[str, Any]:
        return _standard_fields(kind)


class Record(metaclass=_Kind):
    """A base for frozen data: annotated fields, in order, with defaults where a value stands beside them.

    Two records are equal if they are of one kind and hold the same; `match` knows their fields by position. A module
    that defines some begins with `from __future__ import annotations`.
    """

    _fields: ClassVar[tuple[str, ...]]
    _defaults: ClassVar[dict[str, Any]]
    _held: ClassVar[Callable[[Any], Any]]
    __dataclass_fields__: ClassVar[Any] = _StandardFields()

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: its {name} stays as it is")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: its {name} stays as it is")

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        held = type(self)._held
        return bool(held(self) == held(other))

    def __hash__(self) -> int:
        return hash(type(self)._held(self))

    def __repr__(self) -> str:
        facts = ", ".join(f"{field}={value!r}" for field, value in as_dict(self).items())
        return f"{type(self).__name__}({facts})"

    def __replace__(self: _R, /, **changes: Any) -> _R:
        held = as_dict(self) | changes
        # by place, which is quicker; by name, what is no field is refused by its name
        return type(self)(*held.values()) if len(held) == len(self._fields) else type(self)(**held)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(as_dict(self).values())


class WithCache:
    """A base beside `Record` for those that have cached properties, which need a dictionary of their own."""


def fields(kind: type[Record]) -> tuple[str, ...]:
    """The names of the fields of a kind of records."""
    return kind._fields


def as_dict(record: Record) -> dict[str, Any]:
    """The values of a record by field; records among them stay as they are."""
    kind = type(record)
    return dict(zip(kind._fields, kind._held(record)[1:], strict=True)) if kind._fields else {}


def replace(record: _R, **changes: Any) -> _R:
    """The same record but for `changes`."""
    untyped: Any = record  # from Python 3.13 on, type checkers assume a `__replace__` that returns the base
    changed: _R = untyped.__replace__(**changes)
    return changed
