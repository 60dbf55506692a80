"""Frozen records: classes like frozen dataclasses with slots, created in a fraction of the time.

The standard decorator writes and compiles six methods for every class, and creates the class twice. Every run of the
command line would pay that for a hundred classes, most of which it does not use. Measured for 130 classes of six
fields: 85 ms as dataclasses, 18 ms as named tuples (which equal tuples and cannot be subclassed), 2 ms here. The first
instance compiles `__init__`, in 0.08 ms. All classes share the other methods. Records are dataclasses to readers and
to the standard library, including `dataclasses` and `copy.replace`.
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


# Workers send records with such mappings, which Python does not pickle.
pickle(MappingProxyType, lambda held: (_read_only, (dict(held),)))

_R = TypeVar("_R", bound="Record")


@dataclass_transform(frozen_default=True)
class _Kind(type):
    """Metaclass that makes slots of the annotations of a class, and defaults of the assigned values."""

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
        namespace.update(
            __slots__=own, __match_args__=fields, __init__=_compile_and_initialise, _fields=fields, _defaults=defaults
        )
        namespace["_held"] = attrgetter("__class__", *fields)
        return super().__new__(mcs, name, bases, namespace)


def _compile_and_initialise(self: Record, *args: Any, **kwargs: Any) -> None:
    """Compile the `__init__` of the class at the creation of the first instance, then call it."""
    kind = type(self)
    kind.__init__ = _make_initialiser(kind)  # type: ignore[method-assign]
    kind.__init__(self, *args, **kwargs)


def _make_initialiser(kind: type[Record]) -> Any:
    """Return a function with the fields as parameters. It sets each field by its slot, since `__setattr__` raises."""
    scope: dict[str, Any] = {f"default_{field}": value for field, value in kind._defaults.items()}
    scope.update((f"set_{field}", getattr(kind, field).__set__) for field in kind._fields)
    parameters = [f"{field}=default_{field}" if field in kind._defaults else field for field in kind._fields]
    body = [f"set_{field}(self, {field})" for field in kind._fields] or ["pass"]
    exec(f"def __init__({', '.join(['self', *parameters])}):\n  " + "\n  ".join(body), scope)
    scope["__init__"].__qualname__ = f"{kind.__qualname__}.__init__"
    return scope["__init__"]


@cache
def _standard_fields(kind: type[Record]) -> dict[str, Any]:
    """Return the fields as `dataclasses` defines them."""
    from dataclasses import field, make_dataclass

    def make_field(name: str) -> Any:
        return field(default_factory=lambda: kind._defaults[name]) if name in kind._defaults else field()

    fields = [(name, Any, make_field(name)) for name in kind._fields]
    made: Any = make_dataclass(kind.__name__, fields, kw_only=True)
    known: dict[str, Any] = made.__dataclass_fields__
    return known


class _StandardFields:
    """Descriptor that imports `dataclasses` only when the fields are requested."""

    def __get__(self, record: Record | None, kind: type[Record]) -> dict[str, Any]:
        return _standard_fields(kind)


class Record(metaclass=_Kind):
    """Base class of frozen data: annotated fields in order, with assigned values as defaults.

    Two records are equal if class and fields are equal; `match` supports fields by position. A module that defines
    records must begin with `from __future__ import annotations`.
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
        # Positional arguments are faster; keyword arguments report an unknown field by its name.
        return type(self)(*held.values()) if len(held) == len(self._fields) else type(self)(**held)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(as_dict(self).values())


class WithCache:
    """Second base class for records with cached properties, which need a `__dict__`."""


def list_record_fields(kind: type[Record]) -> tuple[str, ...]:
    """Return the names of the fields of a record class."""
    return kind._fields


def as_dict(record: Record) -> dict[str, Any]:
    """Return the values of a record by field. Nested records stay records."""
    kind = type(record)
    return dict(zip(kind._fields, kind._held(record)[1:], strict=True)) if kind._fields else {}


def replace(record: _R, **changes: Any) -> _R:
    """Return a copy of the record with `changes`."""
    untyped: Any = record  # from Python 3.13 on, type checkers assume a `__replace__` that returns the base
    changed: _R = untyped.__replace__(**changes)
    return changed
