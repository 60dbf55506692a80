r"""Read the maths between two dollar signs, so that a plain text can never give broken or dangerous TeX."""

from __future__ import annotations

from functools import lru_cache

from tikzgen.base.record import Record
from tikzgen.text.maths.atoms import read_atom
from tikzgen.text.maths.maths_tokens import glue, tokenise
from tikzgen.text.maths.reader import Reader
from tikzgen.text.maths.tree import Row

__all__ = ["Formula", "parse"]


class Formula(Record):
    """Valid maths: its TeX source without the dollar signs, the packages it needs, and its parts."""

    source: str
    packages: frozenset[str]
    row: Row


@lru_cache(maxsize=4096)
def parse(maths: str, start: int = 0, *, trusted: bool = False) -> Formula:
    """Parse `maths`, which begins at character `start` of its text; raises `TextRefused` with the place.

    Trusted maths comes from a raw `Tex`: commands that the table does not have are let through.
    """
    tokens = tokenise(maths, start, trusted=trusted)
    reader = Reader(tokens, read_atom, trusted=trusted)
    items, _ = reader.row("")
    return Formula(glue(tokens), frozenset(reader.packages), Row(items))
