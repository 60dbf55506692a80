"""What a parameter may be set to, by the type that the metadata beside the figure give it."""

from __future__ import annotations

import re
from typing import Any

from tikzgen.base.errors import quoted
from tikzgen.edit.outcome import EditRefused
from tikzgen.inventory.inventory_facts import Parameter

__all__ = ["is_text", "spelt_number"]

_MEASURE = re.compile(r"(-?(?:\d+\.?\d*|\.\d+))\s*([a-z]{2})?$")
_CHOICE = re.compile(r"(?:enum|bool)\s*\(([^()]*)\)$")
_INTEGERS = ("int", "integer", "count")
_LENGTH = "length-"


def is_text(parameter: Parameter) -> bool:
    """Whether a parameter holds words, or something that nobody says how to read."""
    kind = parameter.type
    return not (kind == "number" or kind in _INTEGERS or kind.startswith(_LENGTH) or _CHOICE.match(kind))


def spelt_number(parameter: Parameter, value: Any) -> str:
    """A number, a length or a choice as the parameter spells it: with a unit where its value has one.

    `EditRefused` for what the type does not allow.
    """
    given = value.strip() if isinstance(value, str) else f"{value:.6f}".rstrip("0").rstrip(".")
    held, kind, name = parameter.value.strip(), parameter.type, parameter.name[1:]
    if choice := _CHOICE.match(kind):
        allowed = [each.strip() for each in choice[1].split(",")]
        if given not in allowed:
            raise EditRefused(
                "no-choice", f"{quoted(value)} is no value of {parameter.name}", nearest=", ".join(allowed)
            )
        return given
    found, before = _MEASURE.match(given), _MEASURE.match(held)
    unit = (before[2] or "") if before else ""
    if found is None or (found[2] and found[2] != (unit or parameter.unit)):
        raise EditRefused("no-number", f"{quoted(value)} is no number{_of(unit)}", nearest=f"set {name} {held}")
    if kind in _INTEGERS and "." in found[1]:
        raise EditRefused("no-integer", f"{quoted(value)} is no whole number", nearest=f"set {name} {held}")
    return found[1] + unit


def _of(unit: str) -> str:
    return f" of {unit}" if unit else ""
