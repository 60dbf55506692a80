r"""Positions as sums: `1.5*\rowsep+1.2` read into numbers, so that positions can be compared and moved."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import chain

from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.texfile.options_and_coordinates import read_options
from tikzgen.texfile.scan_source import Facts
from tikzgen.texfile.source_facts import SourceNode
from tikzgen.texfile.source_text import TextSpan

Linear = Mapping[str, Fraction]
"""Coefficient of each macro; the empty name has the constant term, in cm."""

_TERM = pattern_of(
    r"(?P<sign>[-+]?)(?:(?P<number>\d+\.?\d*|\.\d+)(?:\*(?P<macro>\\[A-Za-z@]+))?|(?P<alone>\\[A-Za-z@]+))"
)


def parse_sum(text: str) -> Linear | None:
    r"""Read a sum of numbers and macros with factors; None for anything else.

    >>> parse_sum(r"1.5*\rowsep + 1.2")
    {'\\rowsep': Fraction(3, 2), '': Fraction(6, 5)}
    """
    text = "".join(text.split())
    found: dict[str, Fraction] = {}
    at = 0
    while at < len(text):
        term = _TERM.match(text, at)
        if term is None or (at and not term["sign"]):
            return None
        macro = term["alone"] or term["macro"] or ""
        number = Fraction(term["number"] or 1) * (-1 if term["sign"] == "-" else 1)
        found[macro] = found.get(macro, Fraction(0)) + number
        at = term.end()
    return _drop_zeros(found) if text else None


def spell_sum(sum_: Linear) -> str:
    r"""Format the sum in the notation of TikZ.

    >>> spell_sum({'\\rowsep': Fraction(-3, 2), '': Fraction(6, 5)})
    '-1.5*\\rowsep+1.2'
    """
    terms = []
    for macro, number in sorted(sum_.items(), key=lambda each: not each[0]):
        if number and not macro:
            terms.append(_spell_decimal(number))
        elif number:
            factor = {1: "", -1: "-"}.get(number, f"{_spell_decimal(number)}*")  # type: ignore[call-overload]
            terms.append(factor + macro)
    return "+".join(terms).replace("+-", "-") or "0"


def add_sums(first: Linear, second: Linear) -> Linear:
    """Add two sums."""
    return _drop_zeros(
        {name: first.get(name, Fraction(0)) + second.get(name, Fraction(0)) for name in {**first, **second}}
    )


def scale_sum(sum_: Linear, factor: Fraction) -> Linear:
    """Multiply a sum by a factor."""
    return _drop_zeros({name: number * factor for name, number in sum_.items()})


def subtract_sums(first: Linear, second: Linear) -> Linear:
    """Return the difference of two sums."""
    return add_sums(first, scale_sum(second, Fraction(-1)))


def with_values(sum_: Linear, values: Mapping[str, Linear]) -> Linear:
    """Replace some macros of a sum by sums."""
    found: Linear = {name: number for name, number in sum_.items() if name not in values}
    for name, value in values.items():
        if name in sum_:
            found = add_sums(found, scale_sum(value, sum_[name]))
    return found


def _drop_zeros(sum_: Linear) -> Linear:
    return {name: number for name, number in sum_.items() if number}


def _spell_decimal(number: Fraction) -> str:
    return f"{float(number):.6f}".rstrip("0").rstrip(".")


_COMMA = pattern_of(r"[,{(]")


class NodePosition(Record):
    """Position of a node: the spans of its two sums, inside their braces, and the sums."""

    x_span: TextSpan
    y_span: TextSpan
    x: Linear
    y: Linear


def spot_of(facts: Facts, node: SourceNode) -> NodePosition | None:
    """Return the position of a node, without shifts; None if it is not a pair of sums."""
    if node.at is None:
        return None
    keys = _find_keys(facts, node)
    start = facts.code.skip_group(keys.start - 1) if keys is not None else node.at.span.start
    parts = facts.code.split_parts(start, node.at.span.end, _COMMA)
    if len(parts) != 2:
        return None
    spans = [facts.code.trim_span(*part) for part in parts]
    x, y = (parse_sum(span.extract_from(facts.text)) for span in spans)
    return NodePosition(spans[0], spans[1], x, y) if x is not None and y is not None else None


SHIFT_KEYS = ("xshift", "yshift")
_SHIFT = pattern_of(r"(?P<number>[-+]?\s*(?:\d+\.?\d*|\.\d+))\s*(?P<unit>cm|mm|pt)")
_CM = {"cm": Fraction(1), "mm": Fraction(1, 10), "pt": Fraction("2.54") / Fraction("72.27")}


def read_shift(facts: Facts, node: SourceNode) -> tuple[Linear, Linear] | None:
    """Return the sum of the keys `xshift` and `yshift` of a node and of its coordinate; None for unknown lengths."""
    keys = _find_keys(facts, node)
    sums: dict[str, Linear] = {key: {} for key in SHIFT_KEYS}
    for option in chain(node.options, read_options(facts.code, *keys) if keys is not None else ()):
        if option.key in sums:
            length = _SHIFT.fullmatch(option.value.strip("{} ")) if option.value else None
            if length is None:
                return None
            number = Fraction("".join(length["number"].split())) * _CM[length["unit"]]
            sums[option.key] = add_sums(sums[option.key], {"": number})
    x, y = sums.values()
    return x, y


def _find_keys(facts: Facts, node: SourceNode) -> TextSpan | None:
    """Return the span of the keys in the coordinate of a node."""
    start = facts.code.skip(*node.at.span) if node.at is not None else 0
    if node.at is None or facts.code.read_character(start) != "[" or start not in facts.code.closes:
        return None
    return facts.code.find_group_contents(start)


def is_shifted(drawn: NodePosition, hand: NodePosition) -> bool:
    """Return whether a position differs from a drawn one by a distance in cm, or is stated in cm only.

    Other editors write the position of a dragged node in cm. A position at another multiple of a parameter does not
    follow it as the drawn one does.
    """
    axes = ((drawn.x, hand.x), (drawn.y, hand.y))
    return is_fixed(hand) or not any(any(subtract_sums(there, here)) for here, there in axes)


def is_fixed(place: NodePosition) -> bool:
    """Return whether a position depends on no parameter."""
    return not any(any(axis) for axis in (place.x, place.y))
