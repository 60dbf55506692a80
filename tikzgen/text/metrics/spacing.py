"""The space between the parts of a formula, and which kind of part each one is."""

from __future__ import annotations

from tikzgen.text.maths.tree import Big, Fence, Flat, Glyph, Kind, Node, Row, Scripts, Space, Stack, Strut, Style

__all__ = ["gap", "kind_of", "settled"]

# The TeXbook, page 170: thin, medium and thick spaces; capitals vanish in scripts.
_KINDS: tuple[Kind, ...] = ("ord", "op", "bin", "rel", "open", "close", "punct", "inner")
_SPACING = {
    "ord": "0 1 M T 0 0 0 N",
    "op": "1 1 0 T 0 0 0 N",
    "bin": "M M 0 0 M 0 0 M",
    "rel": "T T 0 0 T 0 0 T",
    "open": "0 0 0 0 0 0 0 0",
    "close": "0 1 M T 0 0 0 N",
    "punct": "N N 0 N N N N N",
    "inner": "N 1 M T N 0 N N",
}
_MU = {"0": 0, "1": 3, "N": 3, "M": 4, "T": 5}


def gap(left: Kind, right: Kind, *, small: bool) -> int:
    """The space in mu between two kinds of parts; `small` in scripts."""
    sign = _SPACING[left].split()[_KINDS.index(right)]
    return 0 if small and sign != "1" else _MU[sign]


def kind_of(node: Node) -> Kind | None:
    """How neighbours treat a part; None for what they look through."""
    match node:
        case Space() | Strut() | Style():
            return None
        case Scripts():
            return kind_of(node.base)
        case Glyph() | Row() | Flat() | Stack() | Big():
            return node.kind
        case Fence():
            return "inner"
    return "ord"


def settled(kinds: list[Kind | None]) -> list[Kind | None]:
    """Binary signs with nothing to bind become ordinary, as the minus in `-1`."""
    result = list(kinds)
    before: int | None = None
    for index, kind in enumerate(kinds):
        if kind is None:
            continue
        last = result[before] if before is not None else None
        if kind == "bin" and last in (None, "bin", "op", "rel", "open", "punct"):
            result[index] = "ord"
        elif kind in ("rel", "close", "punct") and last == "bin" and before is not None:
            result[before] = "ord"
        before = index
    if before is not None and result[before] == "bin":
        result[before] = "ord"
    return result
