"""What the curves of a scene need: a style that follows their ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.layout.scene import Edge, Family, Item, Scope, Style

__all__ = ["curves"]


def curves(items: Sequence[Item]) -> tuple[Style, ...]:
    """The style for curves, where the scene has some."""
    return (Style("bow", "bow"),) if any(edge.bend for edge in _edges(items)) else ()


def _edges(items: Sequence[Item]) -> Iterator[Edge]:
    for item in items:
        match item:
            case Scope():
                yield from _edges(item.items)
            case Family():
                yield from item.edges
            case Edge():
                yield item
