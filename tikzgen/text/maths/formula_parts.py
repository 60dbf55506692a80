"""The parts of a formula, which the parser hands to the measurer, and the space between two by their kinds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal

from tikzgen.base.record import Record, as_dict

Kind = Literal["ord", "op", "bin", "rel", "open", "close", "punct", "inner"]
StyleName = Literal["display", "text", "script", "scriptscript"]


class FormulaPart(Record):
    """A part of a formula."""


class Glyph(FormulaPart):
    """One character; `font` is a symbol font ("letters", "operators" ...) or a maths alphabet ("mathbf" ...)."""

    font: str
    code: int
    kind: Kind = "ord"
    limits: bool = False  # scripts go above and below in displays


class RowPart(FormulaPart):
    """Parts side by side, treated by its neighbours as one part of this kind.

    `like` says that they are no more than about as large as what is meant: "always", or "amsmath" where it is loaded.
    """

    items: tuple[FormulaPart, ...]
    kind: Kind = "ord"
    limits: bool = False
    like: str = ""


class Flat(FormulaPart):
    """Parts whose height and depth do not count; a relation."""

    items: tuple[FormulaPart, ...]
    kind: Kind = "rel"


class Hidden(FormulaPart):
    """A body that takes its room, and is not seen; only across or only up and down where that is said."""

    body: RowPart
    across: bool = True
    upright: bool = True


class Bold(FormulaPart):
    r"""A body in bold, in a box of its own: what `\boldsymbol` makes, which its neighbours treat as its body."""

    body: RowPart


class Space(FormulaPart):
    """Horizontal space in mu, 18 mu to the quad; `em` counts in quads of the text around the formula.

    Space of `amsmath` is there only where that package is.
    """

    mu: float = 0.0
    em: float = 0.0
    amsmath: bool = False


class DotsPart(FormulaPart):
    """Three dots of the text around the formula, from the top: `down` pt between two, `apart` mu beside each."""

    down: float
    apart: float
    kind: Kind = "ord"


class StyleChange(FormulaPart):
    """From here to the end of the row, set in another style."""

    name: StyleName


class Scripts(FormulaPart):
    """A base with what stands above and below it; `limits` overrules where they go."""

    base: FormulaPart
    sup: RowPart | None
    sub: RowPart | None
    limits: bool | None = None


class Fraction(FormulaPart):
    """One row over another; a binomial coefficient has `fences` and no bar."""

    over: RowPart
    under: RowPart
    style: Literal["display", "text"] | None = None
    bar: bool = True
    fences: tuple[str, str] = ("", "")


class Radical(FormulaPart):
    """A root, with its index if it is not a square root."""

    body: RowPart
    index: RowPart | None = None


class Accent(FormulaPart):
    """A character above its body."""

    glyph: Glyph
    body: RowPart


class RulePart(FormulaPart):
    """A line over or under its body."""

    body: RowPart
    over: bool


class StackPart(FormulaPart):
    r"""`\overset`, `\underset` and their like: a small row above or below its base.

    Without a `kind` neighbours treat it as its base.
    """

    base: RowPart
    over: RowPart | None = None
    under: RowPart | None = None
    kind: Kind | None = None


class Fence(FormulaPart):
    r"""`\left ... \right`: delimiters by name ("" is empty), and the bodies that `\middle` parts."""

    delimiters: tuple[str, ...]
    bodies: tuple[RowPart, ...]


class Big(FormulaPart):
    r"""A delimiter of fixed height: `\big` to `\Bigg`, `height` in pt."""

    delimiter: str
    height: float
    kind: Kind = "ord"


class WordsPart(FormulaPart):
    r"""`\text{...}`: TeX source of ordinary text; `shrinks` in scripts or not."""

    source: str
    shrinks: bool = True
    style: str = ""


def all_in(node: Any) -> Iterator[Any]:
    """A part and all that is in it, however deep."""
    yield node
    for value in node if isinstance(node, tuple) else as_dict(node).values() if isinstance(node, Record) else ():
        yield from all_in(value)


def without_braces(node: FormulaPart) -> FormulaPart:
    """Return a part without a single pair of braces around it."""
    while isinstance(node, RowPart) and node.kind == "ord" and not node.like and len(node.items) == 1:
        node = node.items[0]
    return node


def alone_in(node: FormulaPart) -> Glyph | None:
    """The character that is all there is in a part: braces around an ordinary one mean nothing."""
    while isinstance(node, RowPart) and node.kind == "ord" and not node.like and len(node.items) == 1:
        inner = node.items[0]
        if not (isinstance(inner, RowPart | Glyph) and inner.kind == "ord"):
            return None
        node = inner
    return node if isinstance(node, Glyph) else None


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


def kind_of(node: FormulaPart) -> Kind | None:
    """How neighbours treat a part; None for what they look through."""
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
    r"""How neighbours treat parts in a box: `\binrel@` of amsbsy asks for the space at both ends."""
    small, told = False, []
    for item in items:
        small = item.name.startswith("script") if isinstance(item, StyleChange) else small
        if (kind := kind_of(item)) is not None:
            told.append((kind, small))
    spaces = [_medium_or_thick(each) for each in (told, [("ord", False), *told, ("ord", small)])]
    return "bin" if spaces[1] < spaces[0] else "rel" if spaces[1] > spaces[0] else "ord"


def _medium_or_thick(told: list[tuple[Kind, bool]]) -> int:
    """How many thick spaces there are between parts, less the medium ones; each with whether it is in scripts."""
    kinds = pairwise(settle_signs([kind for kind, _ in told]))
    asked = [
        gap(one, other, small=small) for (one, other), (_, small) in zip(kinds, told[1:], strict=False) if one and other
    ]
    return asked.count(_MU["T"]) - asked.count(_MU["M"])


def settle_signs(kinds: list[Kind | None]) -> list[Kind | None]:
    """Make binary signs without operands ordinary, such as the minus in `-1`."""
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
