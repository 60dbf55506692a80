"""Arithmetic of lengths with TeX's precision: numbers are multiples of 1/65536."""

from __future__ import annotations

import re
from functools import lru_cache
from math import floor

from tikzgen.base.plane import PT_PER_BP, PT_PER_CM, PT_PER_IN
from tikzgen.compile.draw.unsupported import Unsupported

LARGEST_PT = 16383.99998
"""pt, TeX's largest length."""

_UNITS = {"pt": 1.0, "cm": PT_PER_CM, "mm": PT_PER_CM / 10, "in": PT_PER_IN, "bp": PT_PER_BP}
_TOKEN = re.compile(r"\s*(?:(\d+\.?\d*|\.\d+)|([a-z]+)|(\S))")
_NESTING_LIMIT = 30  # nested sums
_SP_PER_PT = 65536
_CM = (7227, 254)  # TeX's own fraction


def in_cm(number: float) -> float:
    """Return a length given in cm, in pt, as TeX reads it."""
    fixed = floor(abs(number) * _SP_PER_PT + 0.5)
    points = fixed * _CM[0] // _CM[1] / _SP_PER_PT
    return points if number >= 0 else -points


@lru_cache(maxsize=65536)
def evaluate(text: str, em: float = 0.0, ex: float = 0.0) -> tuple[float, bool]:
    """Return the value of an expression, lengths in pt, and whether it contains a unit."""
    found = _Expression(text, em, ex)
    value = found.parse_all()
    if not abs(value) <= LARGEST_PT:
        raise Unsupported(f"a number as large as {text.strip()!r}")
    return value, found.has_unit


class _Expression:
    """Recursive descent parser of one expression."""

    def __init__(self, text: str, em: float, ex: float) -> None:
        self.text = text
        self.tokens = _TOKEN.findall(text)
        self.at = 0
        self.depth = 0
        self.has_unit = False
        self.units = _UNITS | {"em": em, "ex": ex}

    def refuse(self) -> Unsupported:
        return Unsupported(f"the expression {self.text.strip()!r}")

    def peek_token(self) -> str:
        return "".join(self.tokens[self.at]) if self.at < len(self.tokens) else ""

    def parse_all(self) -> float:
        value = self.parse_sum()
        if self.at < len(self.tokens):
            raise self.refuse()
        return value

    def parse_sum(self) -> float:
        self.depth += 1
        if self.depth > _NESTING_LIMIT:
            raise self.refuse()
        value = self.parse_product()
        while (sign := self.peek_token()) in ("+", "-"):
            self.at += 1
            other = self.parse_product()
            value = value + other if sign == "+" else value - other
        self.depth -= 1
        return value

    def parse_product(self) -> float:
        value = self.parse_factor()
        while (sign := self.peek_token()) in ("*", "/"):
            self.at += 1
            other = self.parse_factor()
            if sign == "/" and other == 0:
                raise self.refuse()
            value = value * other if sign == "*" else value / other
        return value

    def parse_factor(self) -> float:
        negative = False
        while (sign := self.peek_token()) in ("+", "-"):
            self.at += 1
            negative ^= sign == "-"
        value = self.parse_atom()
        if (unit := self.peek_token()) in self.units:
            self.at += 1
            self.has_unit = True
            value *= self.units[unit]
        return -value if negative else value

    def parse_atom(self) -> float:
        if self.at >= len(self.tokens):
            raise self.refuse()
        number, name, sign = self.tokens[self.at]
        self.at += 1
        if number:
            return floor(float(number) * _SP_PER_PT + 0.5) / _SP_PER_PT
        if sign in ("(", "{"):
            value = self.parse_sum()
            self.take({"(": ")", "{": "}"}[sign])
            return value
        if name in ("min", "max"):
            self.take("(")
            values = [self.parse_sum()]
            while self.peek_token() == ",":
                self.at += 1
                values.append(self.parse_sum())
            self.take(")")
            return min(values) if name == "min" else max(values)
        raise self.refuse()

    def take(self, sign: str) -> None:
        if self.peek_token() != sign:
            raise self.refuse()
        self.at += 1
