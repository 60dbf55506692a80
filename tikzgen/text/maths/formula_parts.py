"""Parts of a formula, from the parser to the measurement, and the space between parts by their kinds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal

from tikzgen.base.record import Record, as_dict

Kind = Literal["ord", "op", "bin", "rel", "open", "close", "punct", "inner"]
StyleName = Literal["display", "text", "script", "scriptscript"]


class FormulaPart(Record):
    """Part of a formula."""


class Glyph(FormulaPart):
    """Character; `font` is a symbol font ("letters", "operators" ...) or a math alphabet ("mathbf" ...)."""

    font: str
    code: int
    kind: Kind = "ord"
    limits: bool = False  # scripts are above and below in displays


class RowPart(FormulaPart):
    """Sequence of parts, which adjacent parts treat as one part of this kind.

    `like` marks an approximation of about the same size: "always", or "amsmath" if that package is loaded.
    """

    items: tuple[FormulaPart, ...]
    kind: Kind = "ord"
    limits: bool = False
    like: str = ""


class Flat(FormulaPart):
    """Parts whose height and depth are ignored; a relation."""

    items: tuple[FormulaPart, ...]
    kind: Kind = "rel"


class Hidden(FormulaPart):
    """Phantom: an invisible body with its size, or only its width (`across`) or its height (`upright`)."""

    body: RowPart
    across: bool = True
    upright: bool = True


class Bold(FormulaPart):
    r"""Body of `\boldsymbol`: bold, in a separate box, with the kind of its contents."""

    body: RowPart


class Space(FormulaPart):
    """Horizontal space in mu, 18 mu to the quad; `em` counts in quads of the text around the formula.

    Space of `amsmath` exists only if that package is loaded.
    """

    mu: float = 0.0
    em: float = 0.0
    amsmath: bool = False


class DotsPart(FormulaPart):
    """Three dots in the font of the text, from the top: `down` pt apart, with `apart` mu on each side."""

    down: float
    apart: float
    kind: Kind = "ord"


class StyleChange(FormulaPart):
    """Change of style up to the end of the row."""

    name: StyleName


class Scripts(FormulaPart):
    """Base with superscript and subscript; `limits` overrides their default position."""

    base: FormulaPart
    sup: RowPart | None
    sub: RowPart | None
    limits: bool | None = None


class Fraction(FormulaPart):
    """Fraction; a binomial coefficient has `fences` and no bar."""

    over: RowPart
    under: RowPart
    style: Literal["display", "text"] | None = None
    bar: bool = True
    fences: tuple[str, str] = ("", "")


class Radical(FormulaPart):
    """Root, with its index if it is not a square root."""

    body: RowPart
    index: RowPart | None = None


class Accent(FormulaPart):
    """Character above its body."""

    glyph: Glyph
    body: RowPart


class RulePart(FormulaPart):
    """Line over or under its body."""

    body: RowPart
    over: bool


class StackPart(FormulaPart):
    r"""`\overset`, `\underset` or `\stackrel`: a small row above or below its base.

    Without a `kind`, adjacent parts treat it as its base.
    """

    base: RowPart
    over: RowPart | None = None
    under: RowPart | None = None
    kind: Kind | None = None


class Fence(FormulaPart):
    r"""`\left ... \right`: delimiters by name ("" is empty), and the bodies that `\middle` separates."""

    delimiters: tuple[str, ...]
    bodies: tuple[RowPart, ...]


class Big(FormulaPart):
    r"""Delimiter of fixed height: `\big` to `\Bigg`, `height` in pt."""

    delimiter: str
    height: float
    kind: Kind = "ord"


class WordsPart(FormulaPart):
    r"""`\text{...}`: TeX source of ordinary text; if `shrinks`, it is smaller in scripts."""

    source: str
    shrinks: bool = True
    style: str = ""


def all_in(node: Any) -> Iterator[Any]:
    """Yield a part and everything in it, recursively."""
    yield node
    for value in node if isinstance(node, tuple) else as_dict(node).values() if isinstance(node, Record) else ():
        yield from all_in(value)


def without_braces(node: FormulaPart) -> FormulaPart:
    """Return a part without a single pair of braces around it."""
    while isinstance(node, RowPart) and node.kind == "ord" and not node.like and len(node.items) == 1:
        node = node.items[0]
    return node


def alone_in(node: FormulaPart) -> Glyph | None:
    """Return the single character of a part, without braces around an ordinary character; else None."""
    while isinstance(node, RowPart) and node.kind == "ord" and not node.like and len(node.items) == 1:
        inner = node.items[0]
        if not (isinstance(inner, RowPart | Glyph) and inner.kind == "ord"):
            return None
        node = inner
    return node if isinstance(node, Glyph) else None


# The TeXbook, page 170: thin, medium and thick spaces; capitals are zero in scripts.
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


def find_spacing_mu(left: Kind, right: Kind, *, small: bool) -> int:
    """Return the space in mu between two kinds of parts; `small` in scripts."""
    sign = _SPACING[left].split()[_KINDS.index(right)]
    return 0 if small and sign != "1" else _MU[sign]


def kind_of(node: FormulaPart) -> Kind | None:
    """Return the kind of a part for adjacent parts; None for a part that they ignore."""
    match node:
        case Space() | StyleChange():
            return None
        case Scripts():
            return kind_of(node.base)
        case StackPart():
            return node.kind or _kind_of_all(node.base.items)
        case DotsPart() | Glyph() | RowPart() | Flat() | Big():
            return node.kind
        case Fence():
            return "inner"
        case Bold():
            return _kind_of_all(node.body.items)
    return "ord"


def _kind_of_all(items: tuple[FormulaPart, ...]) -> Kind:
    r"""Return the kind of parts in a box, by the spaces at its ends: `\binrel@` of amsbsy."""
    small, told = False, []
    for item in items:
        small = item.name.startswith("script") if isinstance(item, StyleChange) else small
        if (kind := kind_of(item)) is not None:
            told.append((kind, small))
    spaces = [_medium_or_thick(each) for each in (told, [("ord", False), *told, ("ord", small)])]
    return "bin" if spaces[1] < spaces[0] else "rel" if spaces[1] > spaces[0] else "ord"


def _medium_or_thick(told: list[tuple[Kind, bool]]) -> int:
    """Return the number of thick minus medium spaces between parts, given as kinds and whether in scripts."""
    kinds = pairwise(settle_signs([kind for kind, _ in told]))
    asked = [
        find_spacing_mu(one, other, small=small)
        for (one, other), (_, small) in zip(kinds, told[1:], strict=False)
        if one and other
    ]
    return asked.count(_MU["T"]) - asked.count(_MU["M"])


def settle_signs(kinds: list[Kind | None]) -> list[Kind | None]:
    """Make binary operators without operands ordinary, such as the minus in `-1`."""
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
