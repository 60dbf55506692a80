"""The parts of a formula: what the parser hands to the measurer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

from tikzgen.base.record import Record, as_dict

Kind = Literal["ord", "op", "bin", "rel", "open", "close", "punct", "inner"]


class Glyph(Record):
    """One character; `font` is a symbol font ("letters", "operators" ...) or a maths alphabet ("mathbf" ...)."""

    font: str
    code: int
    kind: Kind = "ord"
    limits: bool = False  # scripts go above and below in displays


class Row(Record):
    """Parts side by side, treated by its neighbours as one part of this kind.

    `like` says that they are no more than about as large as what is meant: "always", or "amsmath" where it is loaded.
    """

    items: tuple[Node, ...]
    kind: Kind = "ord"
    limits: bool = False
    like: str = ""


class Flat(Record):
    """Parts whose height and depth do not count; a relation."""

    items: tuple[Node, ...]
    kind: Kind = "rel"


class Hidden(Record):
    """A body that takes its room, and is not seen; only across or only up and down where that is said."""

    body: Row
    across: bool = True
    upright: bool = True


class Bold(Record):
    r"""A body in bold, in a box of its own: what `\boldsymbol` makes, which its neighbours treat as its body."""

    body: Row


class Space(Record):
    """Horizontal space in mu, 18 mu to the quad; `em` counts in quads of the text around the formula.

    Space of `amsmath` is there only where that package is.
    """

    mu: float = 0.0
    em: float = 0.0
    amsmath: bool = False


class Dots(Record):
    """Three dots of the text around the formula, from the top: `down` pt between two, `apart` mu beside each."""

    down: float
    apart: float
    kind: Kind = "ord"


class Style(Record):
    """From here to the end of the row, set in another style."""

    name: Literal["display", "text", "script", "scriptscript"]


class Scripts(Record):
    """A base with what stands above and below it; `limits` overrules where they go."""

    base: Node
    sup: Row | None
    sub: Row | None
    limits: bool | None = None


class Fraction(Record):
    """One row over another; a binomial coefficient has `fences` and no bar."""

    over: Row
    under: Row
    style: Literal["display", "text"] | None = None
    bar: bool = True
    fences: tuple[str, str] = ("", "")


class Radical(Record):
    """A root, with its index if it is not a square root."""

    body: Row
    index: Row | None = None


class Accent(Record):
    """A character above its body."""

    glyph: Glyph
    body: Row


class Rule(Record):
    """A line over or under its body."""

    body: Row
    over: bool


class Stack(Record):
    r"""`\overset`, `\underset` and their like: a small row above or below its base.

    Without a `kind` neighbours treat it as its base.
    """

    base: Row
    over: Row | None = None
    under: Row | None = None
    kind: Kind | None = None


class Fence(Record):
    r"""`\left ... \right`: delimiters by name ("" is empty), and the bodies that `\middle` parts."""

    delimiters: tuple[str, ...]
    bodies: tuple[Row, ...]


class Big(Record):
    r"""A delimiter of fixed height: `\big` to `\Bigg`, `height` in pt."""

    delimiter: str
    height: float
    kind: Kind = "ord"


class Words(Record):
    r"""`\text{...}`: TeX source of ordinary text; `shrinks` in scripts or not."""

    source: str
    shrinks: bool = True
    style: str = ""


Node: TypeAlias = (
    Glyph
    | Row
    | Flat
    | Hidden
    | Bold
    | Space
    | Dots
    | Style
    | Scripts
    | Fraction
    | Radical
    | Accent
    | Rule
    | Stack
    | Fence
    | Big
    | Words
)


def all_in(node: Any) -> Iterator[Any]:
    """A part and all that is in it, however deep."""
    yield node
    for value in node if isinstance(node, tuple) else as_dict(node).values() if isinstance(node, Record) else ():
        yield from all_in(value)


def unbraced(node: Node) -> Node:
    """A part without the braces around it alone."""
    while isinstance(node, Row) and node.kind == "ord" and not node.like and len(node.items) == 1:
        node = node.items[0]
    return node


def alone_in(node: Node) -> Glyph | None:
    """The character that is all there is in a part: braces around an ordinary one mean nothing."""
    while isinstance(node, Row) and node.kind == "ord" and not node.like and len(node.items) == 1:
        inner = node.items[0]
        if not (isinstance(inner, Row | Glyph) and inner.kind == "ord"):
            return None
        node = inner
    return node if isinstance(node, Glyph) else None
