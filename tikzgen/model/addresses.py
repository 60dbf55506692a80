"""Addresses of parts of a figure: the grammar of flows, links, notes, marks, slides and operations.

`a` is a whole part, `a[r,c]` a cell, `a[r0:r1,c]` a range, `a.row(r)` a row, `a.part(2)` a cell of a node, `f@0.3` a
point along a flow. Ranges are half-open, like slices of tensors. A number is the number in the header.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, cast

from tikzgen.base.errors import quote
from tikzgen.base.patterns import pattern_of
from tikzgen.base.plain_words import join_words
from tikzgen.base.record import Record
from tikzgen.base.suggest import suggest_known_names

Bound: TypeAlias = int | str
"""A number of a header, or an id."""
Range: TypeAlias = tuple[int, int]
"""Indices from the first, up to and without the second."""
Way: TypeAlias = Literal["all", "cells", "row", "column", "part"]

_NAME = r"[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*"
_BOUND = rf"(?:[0-9]{{1,9}}|{_NAME})"
_KEY = rf"(?:{_BOUND}|(?:{_BOUND})? ?: ?(?:{_BOUND})?)"
_KEYS = rf"{_KEY}(?: ?, ?{_KEY}){{0,2}}"
_CHOICE = rf"(?:\[ ?{_KEYS} ?\]|\.(?:row|column|part)\( ?{_BOUND} ?\))"
_ALONG = r"@(?:0|1|0?\.[0-9]+)"

ADDRESS_PATTERN = rf"^[A-Za-z][A-Za-z0-9.-]*{_CHOICE}?(?:{_ALONG})?$"
"""Pattern of all addresses, for the schema."""
KEYS_PATTERN = rf"^{_KEYS}$"
"""Pattern of the keys alone, as in `at: "3,0:2"`."""
_PARTS = pattern_of(
    rf"([A-Za-z][A-Za-z0-9.-]*?)(?:\[({_KEYS})\]|\.(row|column|part)\(({_BOUND})\))?(?:@([01]|0?\.[0-9]+))?"
)


class Reason(Record):
    """Why an address names nothing, with a hint; `outside` if a number is past the last one."""

    message: str
    hint: str = ""
    outside: bool = False


class Key(Record):
    """A key of an address: one position, or a range, which may lack bounds."""

    start: Bound | None = None
    end: Bound | None = None
    single: bool = False

    def __str__(self) -> str:
        if self.single:
            return str(self.start)
        return ":".join("" if bound is None else str(bound) for bound in (self.start, self.end))


ALL = Key()
"""The key `:`, for everything."""


class Address(Record):
    """An address in a figure; `name` includes the panel, if any."""

    name: str
    way: Way = "all"
    keys: tuple[Key, ...] = ()
    along: str = ""
    """Position along a flow, without the `@`."""

    @property
    def base(self) -> str:
        """Address without the position along a flow."""
        chosen = spell_keys(self.keys)
        return self.name + {"all": "", "cells": f"[{chosen}]"}.get(self.way, f".{self.way}({chosen})")

    def __str__(self) -> str:
        return f"{self.base}@{self.along}" if self.along else self.base

    @property
    def inside(self) -> Address:
        """Address as its panel knows it."""
        return Address(self.name.rpartition(".")[2], self.way, self.keys, self.along)


class PartEnd(str):
    """Id of the node at an end of a flow; the flow ends at a `part` of it, a number from 1 or an id."""

    __slots__ = ("part",)
    part: Bound

    def __new__(cls, name: str, part: Bound = 1) -> PartEnd:
        made = super().__new__(cls, name)
        made.part = part
        return made

    @property
    def address(self) -> Address:
        """Address of the part."""
        return Address(str(self), "part", (Key(self.part, single=True),))

    @property
    def spec_text(self) -> str:
        """End as a spec spells it: `table.part(2)`."""
        return self.address.base

    def __eq__(self, other: object) -> bool:
        """Return whether both are ends at one part, or the other one is the id of the node."""
        return str.__eq__(self, other) is True and getattr(other, "part", self.part) == self.part

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


def read_end(text: str) -> str:
    """Return the end of a flow: the id of a node, as a `PartEnd` if an address names a part of it."""
    address = read_address(text)
    bound = address.keys[0].start if address.way == "part" else None
    return text if bound is None else PartEnd(address.name, bound)


def spell_end(end: str) -> str:
    """Return the end of a flow as a spec spells it."""
    return end.spec_text if isinstance(end, PartEnd) else end


def remove_spaces(text: str) -> str:
    """Return an address, or keys, as they are stored.

    >>> remove_spaces("pool[0 : 2, :]")
    'pool[0:2,:]'
    """
    return text.replace(" ", "")


def read_address(text: str) -> Address:
    """Return the address that a string states. A malformed address becomes a name that no part has.

    >>> read_address("pool.row(7)").keys, str(read_address("f@0.3"))
    ((Key(start=7, end=None, single=True),), 'f@0.3')
    """
    found = _PARTS.fullmatch(remove_spaces(text))
    if found is None:
        return Address(text)
    name, keys, way, key, along = found.groups(default="")
    if keys:
        return Address(name, "cells", read_keys(keys), along)
    return Address(name, cast("Way", way), (_read_key(key),), along) if way else Address(name, along=along)


def read_keys(text: str) -> tuple[Key, ...]:
    """Return the keys between the brackets of an address.

    >>> [str(key) for key in read_keys("3, 0:2")]
    ['3', '0:2']
    """
    return tuple(map(_read_key, remove_spaces(text).split(",")))


def spell_keys(keys: Sequence[Key]) -> str:
    """Return keys as an address spells them between its brackets."""
    return ",".join(map(str, keys))


def _read_key(text: str) -> Key:
    start, colon, end = text.partition(":")
    return Key(_read_bound(start), _read_bound(end), single=not colon)


def _read_bound(text: str) -> Bound | None:
    return (int(text) if text.isdigit() else text) if text else None


def explain_address(text: str) -> Reason | None:
    """Return why a string with brackets is not an address; None for an address, or without brackets."""
    if not set(text) & set("[]()") or _PARTS.fullmatch(remove_spaces(text)):
        return None
    hint = "write a[0,2], a[0:2,:], a.row(0), a.column(2) or a.part(2)"
    if "-" in text.partition("[")[2]:
        hint += "; numbers are as in the header, never negative"
    return Reason(f"{quote(text)} is not an address", hint)


class AddressAxis(Record):
    """Positions along one direction of an array, as addresses name them.

    `what` is the word for a position: row, column, layer, part. `names` are ids, empty where a position has none.
    """

    what: str
    count: int
    first: int = 0
    names: Sequence[str] = ()

    @property
    def last(self) -> int:
        """Number of the last position."""
        return self.first + self.count - 1

    def number(self, index: int) -> int:
        """Return the number of a position in the header."""
        return self.first + index

    def find(self, key: Key) -> Range | Reason:
        """Return the positions that a key takes, or the reason for none."""
        start = 0 if key.start is None else self._index(key.start, end=False)
        if isinstance(start, Reason):
            return start
        if key.single:
            return start, start + 1
        end = self.count if key.end is None else self._index(key.end, end=True)
        if isinstance(end, Reason):
            return end
        if start < end:
            return start, end
        hint = f"ranges leave out their end: {self.first}:{self.first + self.count} is everything"
        return Reason(f"the range {key} of {self.what}s is empty", hint)

    def _index(self, bound: Bound, *, end: bool) -> int | Reason:
        """Return the index of a number or id; the `end` of a range may be one more than the last."""
        bounds = f"{self.what}s are {self.first} to {self.last}" if self.count else f"there are no {self.what}s"
        if isinstance(bound, str):
            if bound in self.names:
                return list(self.names).index(bound)
            known = [name for name in self.names if name]
            hint = suggest_known_names(bound, known, "the ids are") if known else bounds
            return Reason(f"no {self.what} has the id {quote(bound)}", hint)
        index = bound - self.first
        if 0 <= index < self.count + end:
            return index
        return Reason(f"there is no {self.what} {bound}", bounds, outside=self.count > 0)


def move_key(key: Key, axis: AddressAxis, index: int, by: int) -> Key | None:
    """Return a key after a position was added before an index (`by` 1), or removed at it (-1).

    Bounds that are ids stay. Return None if the key takes nothing anymore.

    >>> axis = AddressAxis("row", 8)
    >>> str(move_key(read_keys("2:5")[0], axis, 3, 1)), move_key(read_keys("3")[0], axis, 3, -1)
    ('2:6', None)
    """
    found = axis.find(key)
    if isinstance(found, Reason):
        return key
    start, end = found
    if by < 0 and start == index and end == index + 1:
        return None
    moved_start = isinstance(key.start, int) and (start >= index if by > 0 else start > index)
    moved_end = isinstance(key.end, int) and end > index
    return Key(
        key.start + by if moved_start and isinstance(key.start, int) else key.start,
        key.end + by if moved_end and isinstance(key.end, int) else key.end,
        key.single,
    )


def move_address(address: Address, axes: Sequence[AddressAxis], what: str, index: int, by: int) -> Address | None:
    """Return an address after a row or column (`what`) of its array was added or removed, as in `move_key`."""
    ways = [axis.what for axis in axes]
    place = ways.index(what)
    if address.way == what:
        moved = [move_key(address.keys[0], axes[place], index, by)]
    elif address.way == "cells":
        at = place - len(axes) + len(address.keys)
        moved = [
            move_key(key, axes[place], index, by) if number == at else key for number, key in enumerate(address.keys)
        ]
    else:
        return address
    keys = tuple(key for key in moved if key is not None)
    return Address(address.name, address.way, keys, address.along) if len(keys) == len(moved) else None


def find_ranges(axes: Sequence[AddressAxis], address: Address) -> tuple[Range, ...] | Reason:
    """Return the positions that an address takes along each axis, or the reason for none.

    Axes are layers if any, rows and columns. Without a key for layers, an address takes every layer.
    """
    by_what = {axis.what: place for place, axis in enumerate(axes)}
    keys = [ALL] * len(axes)
    if not axes and address.way != "all":
        what = "cell" if address.way == "cells" else address.way
        return Reason(f"{quote(address.name)} has no {what}s", f"write {address.name}, without a {what}")
    if address.way == "cells":
        count = len(address.keys)
        if not min(2, len(axes)) <= count <= len(axes):
            message = f"{quote(address.base)} has {count} key{'s' * (count > 1)}, and needs {len(axes)}"
            hint = f"{address.name}[{','.join(':' * len(axes))}] is all of it"
            return Reason(f"{message}: {', '.join(by_what)}", hint)
        keys[len(axes) - count :] = address.keys
    elif address.way in by_what:
        keys[by_what[address.way]] = address.keys[0]
    elif address.way != "all":
        existing = join_words(f"{axis.what}s" for axis in axes)
        ways = " or ".join(f"{address.name}.{axis.what}({axis.last})" for axis in axes)
        return Reason(f"{quote(address.name)} has no {address.way}s", f"it has {existing}: write {ways}")
    found = [axis.find(key) for axis, key in zip(axes, keys, strict=True)]
    for reason in found:
        if isinstance(reason, Reason):
            return _explain_place(reason, axes, address)
    return tuple(taken for taken in found if not isinstance(taken, Reason))


def _explain_place(reason: Reason, axes: Sequence[AddressAxis], address: Address) -> Reason:
    """Return a reason with the array; if a number is past the last one, with the last address."""
    hint = reason.hint
    if reason.outside and all(axis.count for axis in axes):
        chosen = [axis.last for axis in axes[-len(address.keys) :]]
        last = f"[{','.join(map(str, chosen))}]" if address.way == "cells" else ""
        hint = f"the last one is {address.name}{last or f'.{address.way}({_axis_of(axes, address).last})'}"
    return Reason(f"{reason.message} in {quote(address.name)}", hint, outside=reason.outside)


def _axis_of(axes: Sequence[AddressAxis], address: Address) -> AddressAxis:
    return next(axis for axis in axes if axis.what == address.way)


def name_node(axes: Sequence[AddressAxis], address: Address) -> str:
    """Return the name of the node at an address, without its panel.

    >>> name_node([AddressAxis("row", 4), AddressAxis("column", 8)], read_address("w[0,2:5]"))
    'w-0-2to5'
    """
    found = find_ranges(axes, address)
    if address.way == "all" or isinstance(found, Reason):
        return address.name
    return f"{address.name}-{name_of_ranges(axes, found)}"


def name_of_ranges(axes: Sequence[AddressAxis], ranges: Sequence[Range]) -> str:
    """Return the end of the node's name for the positions: `0-2`, `0-2to5` for a range, `part2` for a part.

    >>> name_of_ranges([AddressAxis("row", 4), AddressAxis("column", 8)], [(0, 1), (2, 5)])
    '0-2to5'
    """
    return "-".join(
        ("part" if axis.what == "part" else "")
        + (f"{axis.number(start)}" if end - start == 1 else f"{axis.number(start)}to{axis.number(end)}")
        for axis, (start, end) in zip(axes, ranges, strict=True)
    )
