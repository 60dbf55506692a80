"""Validity of parameter values, by the types in the metadata: for `check` and for `edit`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tikzgen.base.errors import quote
from tikzgen.base.record import Record
from tikzgen.lint.inventory.inventory_facts import ParameterInFile
from tikzgen.texfile import split_at_commas

_MEASURE = re.compile(r"(-?(?:\d+\.?\d*|\.\d+))\s*([a-z]{2})?$")
_CHOICE = re.compile(r"(?:enum|bool)\s*\(([^()]*)\)$")
_LIST = re.compile(r"list\s*<\s*(\w+)\s*>$")
_INTEGERS = ("int", "integer", "count")
_LENGTH = "length-"


class Wrong(Record):
    """Reason why a value is invalid: `code` for programs, a message, and a valid value (`nearest`)."""

    code: str
    message: str
    nearest: str = ""


def is_list(kind: str) -> bool:
    """Return whether a type is a list type, such as `list<int>`."""
    return _LIST.match(kind) is not None


def is_text(kind: str) -> bool:
    """Return whether a type is text, or unknown."""
    numeric = kind == "number" or kind in _INTEGERS or kind.startswith(_LENGTH)
    return not (numeric or _CHOICE.match(kind) or is_list(kind))


def split_list_value(value: str) -> list[str]:
    """Return the entries of a list, with or without its braces. A comma in braces is part of an entry."""
    inner = value.strip()
    return split_at_commas(inner[1:-1] if inner.startswith("{") and inner.endswith("}") else inner)


def spell_value(parameter: ParameterInFile, given: str) -> str:
    """Spell a value as the parameter does: a length with its unit, a list in braces."""
    given, held = given.strip(), parameter.value.strip()
    if is_list(parameter.type):
        bare = given[1:-1] if given.startswith("{") and given.endswith("}") else given
        return f"{{{bare}}}" if held.startswith("{") else bare
    found, before = _MEASURE.match(given), _MEASURE.match(held)
    unit = (before[2] or "") if before else ""
    if _CHOICE.match(parameter.type) or found is None or (found[2] and found[2] != (unit or parameter.unit)):
        return given
    return found[1] + unit


def check_value(
    parameter: ParameterInFile, value: str, bounds: Sequence[tuple[float | None, float | None]]
) -> Wrong | None:
    """Return the reason why a value, spelled as in the file, is invalid for a parameter; else None.

    `bounds` are additional bounds of a contract. Values that TeX computes are not checked.
    """
    name, held, kind, given = parameter.name, parameter.value.strip(), parameter.type, value.strip()
    if is_text(kind) or "\\" in given:
        return None if given else Wrong("no-text", f"{name} is empty")
    if choice := _CHOICE.match(kind):
        allowed = [each.strip() for each in choice[1].split(",")]
        return (
            None
            if given in allowed
            else Wrong("no-choice", f"{quote(value)} is not a value of {name}", ", ".join(allowed))
        )
    if listed := _LIST.match(kind):
        return _wrong_list(name, given, listed[1] in _INTEGERS)
    found, before = _MEASURE.match(given), _MEASURE.match(held)
    unit = (before[2] or "") if before else ""
    if found is None or (found[2] or "") != unit:
        of = f" of {unit}" if unit else ""
        point = given.replace(",", ".")
        nearest = point if point != given and _MEASURE.match(point) else held if before else "2.5"
        return Wrong("no-number", f"{quote(value)} is not a number{of}", f"set {name[1:]} {nearest}")
    if kind in _INTEGERS and "." in found[1]:
        return Wrong("no-integer", f"{quote(value)} is not a whole number", f"set {name[1:]} {held}")
    return _check_bounds(parameter, float(found[1]), bounds)


def _wrong_list(name: str, given: str, whole: bool) -> Wrong | None:
    listed = split_list_value(given)
    if not all(listed):
        return Wrong("no-list", f"{name} has no entries" if len(listed) < 2 else f"{name} has an empty entry")
    odd = next((each for each in listed if whole and not re.fullmatch(r"-?\d+", each)), None)
    return Wrong("no-integer", f"{quote(odd)} in {name} is not a whole number") if odd is not None else None


def _check_bounds(
    parameter: ParameterInFile, number: float, bounds: Sequence[tuple[float | None, float | None]]
) -> Wrong | None:
    for least, most in (*bounds, (parameter.least, parameter.most)):
        over = parameter.over_least and least == parameter.least
        if least is not None and (number < least or (over and number == least)):
            message = f"{parameter.name} must be {'over' if over else 'at least'} {least:g}"
            return Wrong("too-small", message, f"{least:g}")
        if most is not None and number > most:
            return Wrong("too-large", f"{parameter.name} must be at most {most:g}", f"{most:g}")
    return None
